"""A window with a request of the page and its response."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from pwtui.app.actions import inspect
from pwtui.app.exchange import Exchange, read_body, save_body
from pwtui.app.screens.list_window import ListWindow
from pwtui.widgets.folded_text import FoldedText, Part
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.text import cut, plain

LONGEST_TITLE = 70
_PIXELS = (640, 640)


class FoldedWindow(ListWindow):
    """A window with text that can be folded."""

    DEFAULT_CSS = """
    FoldedWindow #box { width: 90%; height: 90%; }
    FoldedWindow HalfBlocks { height: 40%; margin: 0 1; }
    """
    AUTO_FOCUS = "FoldedText"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "close", key_display="esc", id="window.close"),
        Binding("slash", "filter", "find", key_display="/", id="filter"),
    ]

    def __init__(self, title: str, parts: Sequence[Part]) -> None:
        super().__init__()
        self._folded_title = title
        self._folded_parts = parts

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = Content(cut(plain(self._folded_title), LONGEST_TITLE))
            yield FoldedText()
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one(FoldedText).show(self._folded_parts)


class RequestWindow(FoldedWindow):
    """Shows the headers at once, and the bodies when they were read."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "copy_as", "copy as…", id="network.copy-as"),
        Binding("b", "block", "block", id="network.block"),
        Binding("m", "mock", "mock", id="network.mock"),
    ]

    def __init__(self, exchange: Exchange, caused_by: str = "") -> None:
        row = exchange.row
        super().__init__(f"{row.method} {row.url}", list(exchange.parts(caused_by=caused_by)))
        self.exchange = exchange
        self._caused_by = caused_by

    def on_mount(self) -> None:
        super().on_mount()
        self.app.start(self._read())

    async def _read(self) -> None:
        ask = self.controller.ask
        for which in ("request", "response"):
            await read_body(ask, self.exchange, which)
        if self.is_attached:
            parts = self.exchange.parts(caused_by=self._caused_by)
            self.query_one(FoldedText).show(parts)
        if self.exchange.is_image:
            await self._show_image()

    async def _show_image(self) -> None:
        from PIL import Image

        from pwtui.widgets.half_blocks import HalfBlocks

        def read(path: Path) -> Image.Image:
            with Image.open(path) as image:
                image.thumbnail(_PIXELS)
                return image.convert("RGB")

        with tempfile.TemporaryDirectory(prefix="pwtui-body-") as folder:
            path = Path(folder) / "body"
            if not await save_body(self.controller.ask, self.exchange, path):
                return
            try:
                image = await asyncio.to_thread(read, path)
            except (OSError, ValueError, Image.DecompressionBombError):
                return  # the type of the content is in the headers
        if self.is_attached:
            blocks = HalfBlocks()
            await self.query_one("#box").mount(blocks)
            blocks.show(image.tobytes(), image.size)

    def action_copy_as(self) -> None:
        self.app.start(inspect.copy_exchange(self.app, self.exchange))

    def action_block(self) -> None:
        inspect.block(self.app, self.exchange.row)

    def action_mock(self) -> None:
        inspect.open_mock(self.app, self.exchange)
