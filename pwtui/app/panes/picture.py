"""The picture of the page, live while it is shown."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from pwtui.app.pane_rows import view_hint
from pwtui.app.panel import InPanel
from pwtui.app.store import Store
from pwtui.widgets.text import plain

if TYPE_CHECKING:
    from PIL.Image import Image

    from pwtui.app.page_state import PictureView
    from pwtui.widgets.half_blocks import Frame

# Between two pictures, so that keys come first. An image of a terminal is sent as a whole.
BLOCKS_SECONDS, PIXELS_SECONDS = 0.1, 0.4
TYPING_SECONDS = 0.5
"""The least time between pictures while keys are pressed: a key waits while one is painted."""
# How old the place of an element may be, which can move without a change of the tree.
BOX_SECONDS = 2.0
# Pixels asked for, for each that is drawn: scaled down, text looks better.
OVERSAMPLING = 3
PIXELS_OF_CELL = (10, 20)


class PicturePane(InPanel, Container, can_focus=True):
    """Asks for pictures while it is on the screen. The imaging library is loaded when it is shown
    first."""

    DEFAULT_CSS = """
    PicturePane { width: 1fr; height: 1fr; align: center middle; }
    PicturePane > .picture--note { dock: top; width: 1fr; padding: 0 1; color: $foreground-muted; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "screen.picture", "full size", id="picture.full"),
    ]

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._is_watching = False
        self._view: Widget | None = None
        self._has_pixels = False
        self._drawn: PictureView | None = None
        self._image: Image | None = None
        self._is_drawing = False
        self._ref: str | None = None
        self._box: Frame | None = None
        """The box of the element under the cursor of the tree, in the viewport."""
        self._is_finding = False
        self._found_for: tuple[str | None, int] = (None, 0)
        self._found_at = 0.0

    # -- only while it is shown --------------------------------------------------------------------

    async def on_show(self) -> None:
        self._is_watching = True
        if self._view is None:
            await self._make_view()
        await self._watch()

    async def on_hide(self) -> None:
        self._is_watching = False
        self._drawn = None
        await self._watch()

    async def on_resize(self) -> None:
        if self._is_watching:
            await self._watch()

    async def _watch(self) -> None:
        size = None
        if self._is_watching:
            x, y = PIXELS_OF_CELL if self._has_pixels else (OVERSAMPLING, 2 * OVERSAMPLING)
            size = self.size.width * x, self.size.height * y
        await self.controller.watch_pictures(size)

    async def _make_view(self) -> None:
        from pwtui.app.graphics import pixel_image
        from pwtui.widgets.half_blocks import HalfBlocks

        image = pixel_image(self.app)
        self._has_pixels = image is not None
        view = image(None) if image is not None else HalfBlocks()
        view.display = False
        await self.mount(Static("", classes="picture--note", markup=False), view)
        self._view = view
        self.paint(self.app.store)

    # -- drawing -----------------------------------------------------------------------------------

    def paint(self, store: Store) -> None:
        picture = store.shown_picture
        if self._view is None:
            return
        if picture is not None and not self.app.no_color:
            if picture is not self._drawn and not self._is_drawing:
                self._is_drawing = True
                self.app.start(self._draw(picture))
        else:
            self._note(self._hint(store))
        self._find_box()

    def _hint(self, store: Store) -> str:
        if self.app.no_color:
            return "Colours are off (NO_COLOR): v saves a screenshot."
        if store.past is not None:
            return "The history has no picture of this moment."
        if store.page.picture_problem:
            return store.page.picture_problem
        return view_hint(store, "waiting for a picture…")

    def _note(self, text: str) -> None:
        note = self.query_one(Static)
        note.update(Content(plain(text)))
        note.display = bool(text)
        if self._view is not None:
            self._view.display = not text

    async def _draw(self, picture: PictureView) -> None:
        began = time.monotonic()
        try:
            self._image = await asyncio.to_thread(_decoded, picture.data)
            self._drawn = picture
            self._note("")
            self._show()
            pause = PIXELS_SECONDS if self._has_pixels else BLOCKS_SECONDS
            if self.app.is_typing:
                pause = TYPING_SECONDS
            await asyncio.sleep(max(0.0, began + pause - time.monotonic()))
        finally:
            self._is_drawing = False
        if picture.session_key:
            await self.controller.acknowledge(picture.session_key)
        if self.app.store.shown_picture is not self._drawn:
            self.paint(self.app.store)

    def _show(self) -> None:
        """Draw the picture with the box."""
        from pwtui.app.element_marker import draw_mark, scaled
        from pwtui.widgets.half_blocks import HalfBlocks

        image, picture = self._image, self._drawn
        if image is None or picture is None or self._view is None:
            return
        box = self._box if picture.session_key else None
        mark = scaled(box, image.width / picture.viewport[0]) if box else None
        if isinstance(self._view, HalfBlocks):
            self._view.show(image.tobytes(), image.size, mark)
        else:
            drawn = draw_mark(image, mark) if mark is not None else image
            self._view.image = drawn  # type: ignore[attr-defined]

    def caption(self, store: Store) -> str:
        picture = store.shown_picture
        if picture is None:
            return ""
        how = "pixels" if self._has_pixels else "half blocks"
        size = "{}x{}".format(*picture.viewport)
        return " · ".join(filter(None, [size, how, "live" if picture.session_key else "past"]))

    # -- the element under the cursor --------------------------------------------------------------

    def mark(self, ref: str | None) -> None:
        """Draw the box of this element."""
        if ref != self._ref:
            self._ref = ref
            self._find_box()

    def _find_box(self) -> None:
        store = self.app.store
        is_live = store.past is None and store.page.picture is not None
        # Not for each picture: every request delays the next tree.
        wanted = (self._ref, id(store.snapshot.tree))
        is_old = time.monotonic() - self._found_at > BOX_SECONDS
        is_due = is_old or self._found_for != wanted
        if self._is_watching and not self._is_finding and is_live and is_due:
            self._found_for, self._found_at = wanted, time.monotonic()
            self._is_finding = True
            self.app.start(self._find())

    async def _find(self) -> None:
        from pwtui.app.element_marker import NotOnPicture, find_box

        try:
            while True:
                ref, box = self._ref, None
                if ref is not None:
                    try:
                        box = await find_box(self.controller, ref)
                    except NotOnPicture:
                        box = None
                if ref == self._ref:
                    break
        finally:
            self._is_finding = False
        if box != self._box:
            self._box = box
            self._show()

    # -- the mouse ---------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        """Click what the picture shows there."""
        from pwtui.widgets.half_blocks import HalfBlocks

        picture, view = self._drawn, self._view
        if picture is None or view is None or event.button != 1:
            return
        if self.app.store.past is not None:
            return
        at = event.screen_offset - view.content_region.offset
        if isinstance(view, HalfBlocks):
            place = view.place_of(at)
        else:
            x, y = (at.x + 0.5) / view.size.width, (at.y + 0.5) / view.size.height
            place = (x, y) if 0 <= x < 1 and 0 <= y < 1 else None
        if place is not None:
            x, y = (round(each * side) for each, side in zip(place, picture.viewport, strict=True))
            self.app.send(self.controller.request("mouse.click", {"x": x, "y": y}))


def _decoded(data: str) -> Image:
    import base64
    import io

    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(data))) as picture:
        return picture.convert("RGB")
