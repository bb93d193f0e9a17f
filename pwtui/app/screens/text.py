"""A window with a text."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from pwtui.app.screens.list_window import ListWindow
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.text_lines import TextLines


class TextWindow(ListWindow):
    DEFAULT_CSS = "TextWindow #box { width: 90%; height: 90%; }"
    AUTO_FOCUS = "TextLines"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "close", key_display="esc", id="window.close"),
        Binding("slash", "filter", "find", key_display="/", id="filter"),
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
