"""The base of tree, log, detail and rows: a list that draws only its visible lines."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from pwtui.protocol.bounded_regex import Expression
from pwtui.widgets.stylesheet import stylesheet
from pwtui.widgets.text import wrapped

_WHEEL_COLUMNS = 8


class VirtualList(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows with a cursor. A subclass counts the rows and draws a line of one on demand.

    A row is identified by its index. All rows have the same height.
    """

    ALLOW_SELECT = False
    TEXT_SUFFIX: ClassVar[str] = ".txt"
    """Of the file in which another program shows the text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "up", show=False, id="list.up"),
        Binding("down,j", "move(1)", "down", show=False, id="list.down"),
        Binding("pageup", "move_page(-1)", "page up", show=False, id="list.page-up"),
        Binding("pagedown", "move_page(1)", "page down", show=False, id="list.page-down"),
        Binding("ctrl+u", "move_page(-0.5)", "half a page up", show=False, id="list.half-up"),
        Binding("ctrl+d", "move_page(0.5)", "half a page down", show=False, id="list.half-down"),
        Binding("home,g", "move_first", "first", show=False, id="list.first"),
        Binding("end,G", "move_last", "last", show=False, id="list.last"),
        Binding("enter", "choose", "choose", show=False, id="list.choose"),
        Binding("n", "search(1)", "next match", show=False, id="list.match-next"),
        Binding("N", "search(-1)", "previous match", show=False, id="list.match-previous"),
        Binding(
            "ctrl+e",
            "show_in('editor')",
            "editor",
            show=False,
            tooltip="open in $EDITOR",
            id="list.editor",
        ),
        Binding(
            "vertical_line",
            "show_in('pager')",
            "pager",
            key_display="|",
            show=False,
            tooltip="open in $PAGER",
            id="list.pager",
        ),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "list--cursor",
        "list--hover",
        "list--pointer",
        "list--match",
        "list--muted",
        "list--faint",
        "list--strong",
        "list--good",
        "list--busy",
        "list--bad",
        "list--accent",
    }

    # A list with -active is controlled by another widget, which has the focus.
    DEFAULT_CSS = stylesheet("virtual_list")

    @dataclass
    class ListMessage(Message):
        """The base of the messages of a list."""

        list: Any

        @property
        def control(self) -> Any:
            return self.list

    @dataclass
    class CopyRequested(ListMessage):
        """The user wants to copy a text."""

        text: str

    @dataclass
    class ShowRequested(ListMessage):
        """The user wants to see the text of the list in another program."""

        text: str
        program: Literal["editor", "pager"]

    @dataclass
    class SearchMissed(ListMessage):
        """No row matches the search."""

        text: str

    @dataclass
    class FilterChanged(ListMessage):
        """The filter changed, or the number of rows that match it.

        With a problem, the previous filter may still apply.
        """

        shown: int
        total: int
        problem: str

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, type(self)) and message.control is self.control

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.search_text = ""
        self._list_cursor = 0
        self._list_hover = -1
        self._list_row_height = 1
        self._list_strips: LRUCache[Hashable, Strip] = LRUCache(1024)
        self._list_inks: dict[tuple[str, ...], Style] = {}
        self._list_view_size: Size | None = None
        self._list_drawn_size: Size | None = None

    @property
    def row_count(self) -> int:
        return 0

    def row_height(self, cells: int) -> int:
        """The number of lines per row at this width."""
        return 1

    def draw_row(self, row: int, line: int) -> Strip:
        """One line of a row, in its full width."""
        return Strip.blank(0)

    def strip_key(self, row: int) -> Hashable | None:
        """The cache key of a drawn row (besides cursor and hover); None: not cached."""
        return None

    def nothing_shown(self) -> str:
        """The text of an empty list."""
        return ""

    def copied_text(self) -> str | None:
        """The text to copy for the row under the cursor."""
        return None

    def whole_text(self) -> str:
        """The text of all rows that are shown."""
        return self.copied_text() or ""

    def row_matches(self, row: int) -> bool:
        """Whether the search finds this row."""
        return False

    def cursor_moved(self) -> None:
        """The cursor moved to another row."""

    def row_clicked(self, row: int, event: events.Click, *, again: bool) -> None:
        """A row was clicked; `again` if the cursor was already on it."""

    def action_choose(self) -> None:
        """Enter was pressed on the row under the cursor."""

    @property
    def view_size(self) -> Size:
        """The size without borders and scrollbars."""
        return self._list_view_size or self.scrollable_content_region.size

    @property
    def view_width(self) -> int:
        return self.view_size.width

    @property
    def view_height(self) -> int:
        return self.view_size.height

    @property
    def content_columns(self) -> int:
        """The width of the rows; wider than the view scrolls horizontally."""
        return self.view_width

    def fit(self) -> None:
        """Set the scrollable size to that of the rows."""
        self._list_row_height = self.row_height(self.view_width)
        size = Size(self.content_columns, self.row_count * self._list_row_height)
        if size != self.virtual_size:
            # Assigning it would lay out the whole screen again for each batch of new lines.
            self.set_reactive(Widget.virtual_size, size)
            self._scroll_update(size)
            if self.styles.is_auto_height:
                self.refresh(layout=True)

    def refit(self) -> None:
        """The size of the widget changed."""
        self.fit()
        self.reveal(self._list_cursor)
        self.refresh()

    def rows_changed(self, cursor: int) -> None:
        """The rows changed; the cursor moves to this one."""
        self._list_hover = -1
        self._list_cursor = max(0, min(cursor, self.row_count - 1))
        self.forget_strips()
        self.fit()
        self.refresh()

    @property
    def cursor(self) -> int:
        return self._list_cursor

    def move_to(self, row: int) -> None:
        """Move the cursor to a row (or the nearest that exists) and scroll to it."""
        row = max(0, min(row, self.row_count - 1))
        before, self._list_cursor = self._list_cursor, row
        self.reveal(row)
        if row != before:
            self.refresh_row(before)
            self.refresh_row(row)
            self.cursor_moved()

    def reveal(self, row: int, *, center: bool = False) -> None:
        """Scroll a row into view, with `center` to the middle."""
        height, lines = self._list_row_height, self.view_height
        first, top = row * height, self.scroll_offset.y
        if not lines or (top <= first and first + height <= top + lines):
            return
        bottom = first + height - lines
        self.scroll_to(y=first - lines // 2 if center else min(max(top, bottom), first))

    def visible_rows(self) -> range:
        top, height = self.scroll_offset.y, self._list_row_height
        return range(top // height, min(-(-(top + self.view_height) // height), self.row_count))

    def refresh_row(self, row: int) -> None:
        if row >= 0:
            self.refresh_lines(row * self._list_row_height, self._list_row_height)

    def action_move(self, step: int) -> None:
        self.move_to(self._list_cursor + step)

    def action_move_page(self, pages: float) -> None:
        page = max(1, self.view_height // self._list_row_height - 1)
        step = max(1, round(page * abs(pages)))
        self.move_to(self._list_cursor + (step if pages > 0 else -step))

    def action_move_first(self) -> None:
        self.move_to(0)

    def action_move_last(self) -> None:
        self.move_to(self.row_count - 1)

    def action_copy(self) -> None:
        if self.row_count and (text := self.copied_text()) is not None:
            self.post_message(self.CopyRequested(self, text))

    def action_show_in(self, program: Literal["editor", "pager"]) -> None:
        if self.row_count:
            self.post_message(self.ShowRequested(self, self.whole_text(), program))

    def search(self, text: str) -> None:
        """Highlight matches and go to the first one from the cursor on."""
        self.search_text = text
        self.forget_strips()
        self.refresh()
        if text and not (self.row_count and self.row_matches(self._list_cursor)):
            self.action_search(1)

    def action_search(self, step: int) -> None:
        """Go to the next (1) or previous (-1) match, wrapping at the ends."""
        count = self.row_count
        if not self.search_text:
            return
        for distance in range(1, count + 1):
            row = (self._list_cursor + step * distance) % count
            if self.row_matches(row):
                self.move_to(row)
                return
        self.post_message(self.SearchMissed(self, self.search_text))

    def row_at(self, offset: Offset | None) -> int:
        """The row at an offset of the content, or -1."""
        if offset is None or not 0 <= offset.y < self.view_height:
            return -1
        row = (offset.y + self.scroll_offset.y) // self._list_row_height
        return row if row < self.row_count else -1

    def hovered_row(self, event: events.MouseMove) -> int:
        """The row to highlight under the mouse, or -1."""
        return self.row_at(event.get_content_offset(self))

    def on_click(self, event: events.Click) -> None:
        row = self.row_at(event.get_content_offset(self))
        if row >= 0 and event.button == 1:
            again = row == self._list_cursor
            self.move_to(row)
            self.row_clicked(row, event, again=again)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._hover(self.hovered_row(event))

    def on_leave(self) -> None:
        self._hover(-1)

    def _hover(self, row: int) -> None:
        if row != self._list_hover:
            before, self._list_hover = self._list_hover, row
            self.refresh_row(before)
            self.refresh_row(row)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        self._scroll_sideways(event, -_WHEEL_COLUMNS)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        self._scroll_sideways(event, _WHEEL_COLUMNS)

    def _scroll_sideways(self, event: events.MouseEvent, columns: int) -> None:
        event.stop()
        event.prevent_default()
        self.scroll_to(x=self.scroll_offset.x + columns)

    def scroll_to(self, x: float | None = None, y: float | None = None, **options: Any) -> None:
        """Scroll without animation."""
        if self.is_attached:
            super().scroll_to(x, y, **{**options, "animate": False})

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._hover(-1)

    def ink(self, *names: str) -> Style:
        """The style of these component classes, the last one on top."""
        style = self._list_inks.get(names)
        if style is None:
            style = self._list_inks[names] = self.get_visual_style(*names).rich_style
        return style

    def ground(self, row: int) -> tuple[str, ...]:
        """The component classes of the background of a row."""
        if row == self._list_cursor:
            return ("list--cursor",)
        return ("list--hover",) if row == self._list_hover else ()

    def forget_strips(self) -> None:
        self._list_strips.clear()

    def notify_style_update(self) -> None:
        self._list_inks.clear()
        self.forget_strips()
        super().notify_style_update()

    def on_resize(self) -> None:
        self.forget_strips()
        self.refit()

    def render_lines(self, crop: Region) -> list[Strip]:
        # Cached: it is read several times per line and takes longer than drawing.
        self._list_view_size = size = self.scrollable_content_region.size
        if size != self._list_drawn_size:  # a new border posts no event
            self._list_drawn_size = size
            self.forget_strips()
        try:
            return super().render_lines(crop)
        finally:
            self._list_view_size = None

    def render_line(self, y: int) -> Strip:
        left, top = self.scroll_offset
        cells = self.view_width
        row, line = divmod(top + y, self._list_row_height)
        if row >= self.row_count:
            return self.draw_below(y).crop_extend(0, cells, self.ink())
        return self.draw_window(row, line, left, cells)

    def draw_window(self, row: int, line: int, left: int, cells: int) -> Strip:
        """The visible part of a line."""
        content = self.strip_key(row)
        key = (content, line, row == self._list_cursor, row == self._list_hover)
        strip = None if content is None else self._list_strips.get(key)
        if strip is None:
            strip = self.draw_row(row, line)
            if content is not None:
                self._list_strips[key] = strip
        if left == 0 and strip.cell_length == cells:
            return strip
        return strip.crop_extend(left, left + cells, self.ink(*self.ground(row)))

    def draw_below(self, y: int) -> Strip:
        """A line below the last row: empty, or of the text of an empty list."""
        lines = [] if self.row_count else wrapped(self.nothing_shown(), self.view_width - 2)
        return Strip([Segment(f" {lines[y]}", self.ink("list--muted"))] if y < len(lines) else [])


def overlay(segments: Iterable[Segment], start: int, end: int, style: Style) -> list[Segment]:
    """The segments with another style for the characters from start to end."""
    result: list[Segment] = []
    at = 0
    for segment in segments:
        text, length = segment.text, len(segment.text)
        first, last = max(0, start - at), min(length, end - at)
        if first >= last:
            result.append(segment)
        else:
            pieces = ((text[:first], segment.style), (text[first:last], style))
            result.extend(Segment(piece, pen) for piece, pen in pieces if piece)
            if last < length:
                result.append(Segment(text[last:], segment.style))
        at += length
    return result


def mark(segments: list[Segment], wanted: Expression | None, style: Style) -> list[Segment]:
    """The segments with another style for what the expression finds."""
    text = "".join(segment.text for segment in segments)
    for start, end in wanted.spans(text) if wanted is not None else ():
        segments = overlay(segments, start, end, style)
    return segments
