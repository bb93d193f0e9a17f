"""A screenshot of the page, with the selected element marked."""

from __future__ import annotations

import asyncio
import tempfile
import time
from base64 import b64decode
from pathlib import Path
from typing import ClassVar, Self

from PIL import Image
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ScrollableContainer, Vertical
from textual.content import Content
from textual.geometry import Region
from textual.widgets import Static

from pwtui.app.actions.files import ask_target
from pwtui.app.element_marker import NotOnPicture, draw_mark, find_mark
from pwtui.app.graphics import PixelImage, pixel_image
from pwtui.app.screens.window import Window, styles
from pwtui.state.files import write_atomic
from pwtui.widgets.half_blocks import Frame, HalfBlocks
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.text import cut, plain

TICK_SECONDS = 0.5
LARGEST_ZOOM = 4
_UNREADABLE = (OSError, ValueError, Image.DecompressionBombError)


class PictureScreen(Window):
    """Takes a screenshot when opened; it is kept in a private file until closed."""

    DEFAULT_CSS = styles("picture")
    AUTO_FOCUS = "#view"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "take", "retake", id="picture.take"),
        Binding("plus,equals_sign", "zoom(1)", "larger", key_display="+", id="picture.larger"),
        Binding("minus", "zoom(-1)", "smaller", key_display="-", id="picture.smaller"),
        Binding("s", "save", "save", id="picture.save"),
        Binding("escape,q,v", "close", "close", key_display="esc", id="picture.close"),
    ]

    def __init__(self, ref: str | None = None) -> None:
        super().__init__()
        self._ref = ref
        self._folder = tempfile.TemporaryDirectory(prefix="pwtui-picture-")
        self._file = Path(self._folder.name) / "page.png"
        self._picture: Image.Image | None = None
        self.mark: Frame | None = None
        self._pixel_image: type[PixelImage] | None = None
        self._taking_since: float | None = None
        self._enlarged = 1

    @property
    def is_taking(self) -> bool:
        return self._taking_since is not None

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(id="note", markup=False)
            yield ScrollableContainer(id="view")
        yield KeyBar()

    def on_mount(self) -> None:
        self._pixel_image = pixel_image(self.app)
        self.set_interval(TICK_SECONDS, self._tick)
        self.action_take()

    def refresh(self, *regions: Region, **what: bool) -> Self:
        """Ignore updates of the panel behind: redrawing sends the whole image again."""
        return self if regions else super().refresh(**what)

    def on_resize(self) -> None:
        self.call_after_refresh(self._look_at_mark)

    def on_unmount(self) -> None:
        for shown in self.query("#picture"):
            if not isinstance(shown, HalfBlocks):
                # The terminal keeps an image until it is removed.
                shown.image = None  # type: ignore[attr-defined]
        if not self.is_taking:
            self._folder.cleanup()

    # -- taking ----------------------------------------------------------------------------------

    def action_take(self) -> None:
        if self.is_taking:
            return
        self._taking_since = time.monotonic()
        self._tick()
        # Not a worker of the screen: the file is still being written when the screen closes.
        self.app.run_worker(self._take(), group="picture", exit_on_error=False)

    async def _take(self) -> None:
        problem = "cannot take a screenshot"
        try:
            problem = await self._fetch()
        finally:
            self._taking_since = None
            if self.is_attached:
                await self._show(problem)
            else:
                self._folder.cleanup()

    async def _fetch(self) -> str:
        """Take the screenshot and find the mark; returns what is wrong, or nothing."""
        store = self.app.store
        self._picture = self.mark = None
        if store.past is not None:
            if store.past.picture is None:
                return "The history has no picture of this moment."
            self._file.write_bytes(b64decode(store.past.picture.data))
            self._picture = await asyncio.to_thread(_read, self._file)
            return ""
        if store.snapshot.tree is None and store.session_of(store.active_profile) is None:
            return "No page is open. Press u in the panel to go to a URL."
        response = await self.controller.ask("screenshot", output=str(self._file))
        if response.data is None:
            return str(response.error) if response.error else "no screenshot"
        try:
            self._picture = await asyncio.to_thread(_read, self._file)
            if self._ref is None:
                return ""
            self.mark = await find_mark(self.controller, self._ref, self._picture.size)
            await asyncio.to_thread(_write_marked, self._picture, self.mark, self._file)
        except NotOnPicture as error:
            return str(error)
        except _UNREADABLE as error:
            return f"cannot read the screenshot: {error}"
        return ""

    # -- showing ---------------------------------------------------------------------------------

    def _tick(self) -> None:
        if self._taking_since is not None and self._picture is None:
            seconds = int(time.monotonic() - self._taking_since)
            self._show_note("taking a screenshot…" + (f" {seconds} s" if seconds else ""))

    def _show_note(self, text: str, *, wrong: bool = False) -> None:
        self.remove_class("-picture")
        note = self.query_one("#note", Static)
        note.set_class(wrong, "-wrong")
        note.update(Content("\n".join(plain(line) for line in text.splitlines())))

    async def _show(self, problem: str) -> None:
        self._describe(problem)
        if self._picture is None:
            self._show_note(problem, wrong=True)
        elif self._pixel_image is None and self.app.no_color:
            self._show_note(f"Colours are off (NO_COLOR). Screenshot:\n{self._file}")
        else:
            await self._draw(self._picture)
            self.add_class("-picture")
        self.refresh_bindings()

    def _describe(self, problem: str) -> None:
        url = self.app.store.snapshot.url
        room = max(10, self.app.size.width - 10)
        box = self.query_one("#box")
        box.border_title = Content(cut(plain(f"Screenshot of {url or 'the page'}"), room))
        parts = []
        if self._picture is not None:
            parts.append("{}x{}".format(*self._picture.size))
            parts += [problem] if problem else [self._ref] if self._ref else []
        box.border_subtitle = Content(cut(plain(" · ".join(parts)), room))

    async def _draw(self, picture: Image.Image) -> None:
        view = self.query_one("#view")
        await view.remove_children()
        if self._pixel_image is not None:
            drawn = draw_mark(picture, self.mark) if self.mark else picture
            await view.mount(self._pixel_image(drawn, id="picture"))
        else:
            blocks = HalfBlocks(id="picture")
            await view.mount(blocks)
            blocks.show(picture.tobytes(), picture.size, self.mark)
        self._enlarge(1)

    # -- actions ---------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "save":
            return True if self._picture is not None else None
        if action == "zoom":
            return True if self.has_class("-picture") else None
        return True

    def action_zoom(self, steps: int) -> None:
        self._enlarge(max(1, min(LARGEST_ZOOM, self._enlarged + steps)))

    def _enlarge(self, times: int) -> None:
        shown = self.query_one("#picture")
        smallest = shown.size.width // self._enlarged
        self._enlarged = times
        if isinstance(shown, HalfBlocks):
            shown.styles.width = shown.styles.height = f"{100 * times}%"
        else:
            # The height follows from the width.
            shown.styles.width = "auto" if times == 1 else smallest * times
        self.call_after_refresh(self._look_at_mark)

    def _look_at_mark(self) -> None:
        """Scroll the mark to the middle."""
        view = self.query_one("#view")
        if self._picture is None:
            return
        middle_x, middle_y = 0.5, 0.5
        if self.mark is not None:
            middle_x = (self.mark.left + self.mark.right) / 2 / self._picture.width
            middle_y = (self.mark.top + self.mark.bottom) / 2 / self._picture.height
        view.scroll_to(
            view.virtual_size.width * middle_x - view.size.width / 2,
            view.virtual_size.height * middle_y - view.size.height / 2,
            animate=False,
        )

    @work
    async def action_save(self) -> None:
        path = await ask_target(
            self.app,
            "Save the screenshot",
            "page.png",
            suffixes=[".png"],
            validate=_name_problem,
        )
        if path is None:
            return
        try:
            write_atomic(path, self._file.read_bytes())
        except OSError as error:
            self.notify(f"Cannot write {path}: {error.strerror}", severity="error", markup=False)
            return
        self.notify(f"Saved {path}", markup=False)


def _read(path: Path) -> Image.Image:
    with Image.open(path) as picture:
        return picture.convert("RGB")


def _write_marked(picture: Image.Image, mark: Frame, path: Path) -> None:
    draw_mark(picture, mark).save(path, "png", compress_level=1)


def _name_problem(text: str) -> str | None:
    name = Path(text).name.lower()
    return None if name.endswith(".png") and name != ".png" else "File name must end in .png"
