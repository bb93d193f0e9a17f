"""A window with a text."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from pwtui.app.actions.output import copy_text
from pwtui.app.screens.window import Window
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.text_lines import TextLines
from pwtui.widgets.virtual_list import VirtualList


class TextWindow(Window):
    DEFAULT_CSS = "TextWindow #box { width: 90%; height: 90%; }"
    AUTO_FOCUS = "TextLines"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "close", key_display="esc", id="window.close"),
    ]

    def __init__(self, title: str, text: str, *, lines: type[TextLines] = TextLines) -> None:
        super().__init__()
        self._lines = lines
        self._text_title = title
        self.text = text

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = Content(self._text_title)
            yield self._lines(self.text)
        yield KeyBar()

    @on(VirtualList.CopyRequested)
    def _copy(self, event: VirtualList.CopyRequested) -> None:
        copy_text(self.app, event.text)
