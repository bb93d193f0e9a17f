"""Read-only lines of text with search, selection and copy."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.selection import Selection
from textual.strip import Strip

from pwtui.protocol.bounded_regex import Expression
from pwtui.widgets.stylesheet import stylesheet
from pwtui.widgets.text import ELLIPSIS, plain, width
from pwtui.widgets.virtual_list import VirtualList, mark, overlay

Tokens = Iterable[tuple[str, str]]

_LONG = 4000  # of a longer line, only the visible part is drawn, without colours
_COLUMNS = 8


class TextView(VirtualList):
    """A subclass provides the lines and their colours."""

    ALLOW_SELECT = True

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "copy", id="list.copy"),
        Binding("left,h", "move_sideways(-1)", "left", show=False, id="list.left"),
        Binding("right,l", "move_sideways(1)", "scroll", id="list.right"),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "json--key",
        "json--string",
        "json--number",
        "json--literal",
        "json--punctuation",
    }

    DEFAULT_CSS = stylesheet("text_view")

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._text_columns = 0
        self._text_scrolls = False
        self._text_wanted: Expression | None = None

    def line_text(self, row: int) -> str:
        """The text of a line."""
        return ""

    def tokens(self, row: int, text: str) -> Tokens:
        """The line in pieces, with the component classes of each."""
        return ((text, ""),)

    @property
    def content_columns(self) -> int:
        return self._text_columns + 1

    def fit(self) -> None:
        super().fit()
        is_wide = self.content_columns > self.view_width
        if is_wide != self._text_scrolls:
            self._text_scrolls = is_wide
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "move_sideways":
            return self._text_scrolls
        return super().check_action(action, parameters)

    def search(self, text: str) -> None:
        wanted = re.escape(text)
        self._text_wanted = Expression(wanted, ignore_case=True) if text else None
        super().search(text)

    def row_matches(self, row: int) -> bool:
        return self.search_text.lower() in self.line_text(row).lower()

    def action_search(self, step: int) -> None:
        super().action_search(step)
        if self.row_count and self.row_matches(self.cursor):
            self._show_match()

    def _show_match(self) -> None:
        """Scroll horizontally to the match."""
        text, wanted = plain(self.line_text(self.cursor)), self.search_text.lower()
        start = width(text[: max(0, text.lower().find(wanted))])
        left, cells = self.scroll_offset.x, self.view_width
        if start < left or start + width(wanted) > left + cells:
            self.scroll_to(x=max(0, start - cells // 3))

    def action_move_sideways(self, direction: int) -> None:
        self.scroll_to(x=self.scroll_offset.x + direction * _COLUMNS)

    def copied_text(self) -> str:
        """The selection, or everything."""
        if (selection := self.text_selection) is not None:
            return self._selected_text(selection)
        return self.whole_text()

    def whole_text(self) -> str:
        return "\n".join(map(self.line_text, range(self.row_count)))

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return self._selected_text(selection), "\n"

    def _selected_text(self, selection: Selection) -> str:
        last_row = self.row_count - 1
        first = selection.start.y if selection.start else 0
        last = min(selection.end.y if selection.end else last_row, last_row)
        lines = [plain(self.line_text(row)) for row in range(first, last + 1)]
        if lines and selection.end:
            lines[-1] = lines[-1][: selection.end.x]
        if lines and selection.start:
            lines[0] = lines[0][selection.start.x :]
        return "\n".join(lines)

    def selection_updated(self, selection: Selection | None) -> None:
        self.forget_strips()
        self.refresh()

    def hovered_row(self, event: events.MouseMove) -> int:
        return -1

    def strip_key(self, row: int) -> Hashable:
        return row

    def draw_window(self, row: int, line: int, left: int, cells: int) -> Strip:
        text = self.line_text(row)
        if len(text) <= _LONG:
            strip = super().draw_window(row, line, left, cells)
        else:
            ink = self.ink(*self.ground(row))
            piece = Segment(plain(text[left : left + cells]), ink)
            strip = Strip([piece]).crop_extend(0, cells, ink)
        if width(plain(text)) > left + cells:
            more = Segment(ELLIPSIS, self.ink(*self.ground(row), "list--muted"))
            strip = Strip.join([strip.crop(0, cells - 1), Strip([more])])
        return strip.apply_offsets(left, row)

    def draw_row(self, row: int, line: int) -> Strip:
        text = plain(self.line_text(row))
        ground = self.ground(row)
        segments = [
            Segment(piece, self.ink(*ground, *names.split()))
            for piece, names in self.tokens(row, text)
        ]
        segments = mark(segments, self._text_wanted, self.ink("list--match"))
        selection = self.text_selection
        span = selection.get_span(row) if selection is not None else None
        if span is not None:
            start, end = span
            style = self.screen.get_component_rich_style("screen--selection")
            segments = overlay(segments, start, len(text) if end == -1 else end, style)
        strip = Strip(segments)
        if strip.cell_length > max(self._text_columns, len(text)):  # wide characters
            self._text_columns = strip.cell_length
            self.call_later(self.fit)
        return strip.extend_cell_length(
            max(self.content_columns, self.view_width), self.ink(*ground)
        )
