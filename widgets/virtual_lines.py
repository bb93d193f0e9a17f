"""What the log, the line view and the detail share: a cursor over lines of which only those on the
screen are ever drawn."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

_WHEEL_COLUMNS = 8


class VirtualLines(ScrollView, can_focus=True, inherit_bindings=False):
    """Lines with a cursor. A subclass says how many there are and how one is drawn."""

    ALLOW_SELECT = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="lines.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="lines.down"),
        Binding("pageup", "move_page(-1)", "Page up", show=False, id="lines.page-up"),
        Binding("pagedown", "move_page(1)", "Page down", show=False, id="lines.page-down"),
        Binding("ctrl+u", "move_page(-0.5)", "Half a page up", show=False, id="lines.half-up"),
        Binding("ctrl+d", "move_page(0.5)", "Half a page down", show=False, id="lines.half-down"),
        Binding("home,g", "move_first", "First line", show=False, id="lines.first"),
        Binding("end,G", "move_last", "Last line", show=False, id="lines.last"),
    ]

    DEFAULT_CSS = """
    VirtualLines {
        width: 1fr;
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size: 1 1;
        scrollbar-gutter: stable;
    }
    """

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._line_cursor = 0
        self._line_strips: LRUCache[Hashable, Strip] = LRUCache(1024)
        self._line_inks: dict[tuple[str, ...], Style] = {}
        self._line_view_size: Size | None = None

    # What a subclass says ------------------------------------------------------------------------

    def count_lines(self) -> int:
        return 0

    def draw_line(self, line: int) -> Strip:
        """The whole line, as wide as it is."""
        return Strip.blank(0)

    def strip_key(self, line: int) -> Hashable | None:
        """Everything that decides how a line looks; None when it must be drawn every time."""
        return None

    def cursor_moved(self) -> None:
        """The cursor is on another line than before."""

    def line_clicked(self, line: int, event: events.Click) -> None:
        """A line was clicked; the cursor is on it already."""

    def refit(self) -> None:
        """The room for the lines has another size."""
        self.fit()

    # Size ----------------------------------------------------------------------------------------

    @property
    def view_size(self) -> Size:
        """The room for lines, without borders and scrollbars."""
        return self._line_view_size or self.scrollable_content_region.size

    @property
    def view_width(self) -> int:
        return self.view_size.width

    @property
    def view_height(self) -> int:
        return self.view_size.height

    def fit(self, columns: int | None = None) -> None:
        """Take up as many lines as there are (and columns, for sideways scrolling)."""
        size = Size(self.view_width if columns is None else columns, self.count_lines())
        if size != self.virtual_size:
            # Assigning it would lay out the whole screen anew, for each batch of new lines.
            self.set_reactive(Widget.virtual_size, size)
            self._scroll_update(size)

    # Cursor --------------------------------------------------------------------------------------

    @property
    def cursor_line(self) -> int:
        return self._line_cursor

    def move_to(self, line: int) -> None:
        """Put the cursor on a line (the nearest that exists) and bring it into view."""
        line = max(0, min(line, self.count_lines() - 1))
        before, self._line_cursor = self._line_cursor, line
        self.reveal(line)
        if line != before:
            self.refresh_lines(before)
            self.refresh_lines(line)
            self.cursor_moved()

    def reveal(self, line: int) -> None:
        top, height = self.scroll_offset.y, self.view_height
        if line < top:
            self.scroll_to(y=line)
        elif height and line >= top + height:
            self.scroll_to(y=line - height + 1)

    def visible_lines(self) -> range:
        top = self.scroll_offset.y
        return range(top, min(top + self.view_height, self.count_lines()))

    def action_move(self, step: int) -> None:
        self.move_to(self._line_cursor + step)

    def action_move_page(self, pages: float) -> None:
        page = max(1, self.view_height - 1)
        step = max(1, round(page * abs(pages)))
        self.move_to(self._line_cursor + (step if pages > 0 else -step))

    def action_move_first(self) -> None:
        self.move_to(0)

    def action_move_last(self) -> None:
        self.move_to(self.count_lines() - 1)

    # Mouse ---------------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or event.button != 1:
            return
        line = self.scroll_offset.y + offset.y
        if line < self.count_lines():
            self.move_to(line)
            self.line_clicked(line, event)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        self._scroll_sideways(event, -_WHEEL_COLUMNS)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        self._scroll_sideways(event, _WHEEL_COLUMNS)

    def _scroll_sideways(self, event: events.MouseEvent, columns: int) -> None:
        event.stop()
        event.prevent_default()
        self.scroll_to(x=self.scroll_offset.x + columns)

    def scroll_to(self, x: float | None = None, y: float | None = None, **options: Any) -> None:
        """Jump. Data under a moving window cannot be read, so nothing here is animated."""
        if self.is_attached:
            super().scroll_to(x, y, **{**options, "animate": False})

    # Drawing -------------------------------------------------------------------------------------

    def ink(self, *names: str) -> Style:
        """The style of these component classes, the last one on top."""
        style = self._line_inks.get(names)
        if style is None:
            style = self._line_inks[names] = self.get_visual_style(*names).rich_style
        return style

    def forget_strips(self) -> None:
        self._line_strips.clear()

    def notify_style_update(self) -> None:
        self._line_inks.clear()
        self._line_strips.clear()
        super().notify_style_update()

    def on_resize(self) -> None:
        self.forget_strips()
        self.refit()

    def render_lines(self, crop: Region) -> list[Strip]:
        # The size is asked for several times in each line, and costs more than the drawing.
        self._line_view_size = self.scrollable_content_region.size
        try:
            return super().render_lines(crop)
        finally:
            self._line_view_size = None

    def render_line(self, y: int) -> Strip:
        left, top = self.scroll_offset
        cells = self.view_width
        line = top + y
        if line >= self.count_lines():
            return self.draw_below(y).crop_extend(0, cells, self.ink())
        return self.draw_window(line, left, cells)

    def draw_window(self, line: int, left: int, cells: int) -> Strip:
        """The part of a line that is on the screen."""
        key = self.strip_key(line)
        strip = self._line_strips.get(key) if key is not None else None
        if strip is None:
            strip = self.draw_line(line)
            if key is not None:
                self._line_strips[key] = strip
        if left == 0 and strip.cell_length == cells:
            return strip
        return strip.crop_extend(left, left + cells, self.ink())

    def draw_below(self, y: int) -> Strip:
        """What stands below the last line."""
        return Strip.blank(self.view_width, self.ink())


def overlay(segments: Iterable[Segment], start: int, end: int, style: Style) -> list[Segment]:
    """The segments with another style on the characters from start to end."""
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


def occurrences(text: str, word: str) -> list[tuple[int, int]]:
    """Where a lower-case word stands in the text."""
    lowered = text.lower()
    if not word or len(lowered) != len(text):  # a few letters change their length
        return []
    found = []
    at = lowered.find(word)
    while at >= 0:
        found.append((at, at + len(word)))
        at = lowered.find(word, at + len(word))
    return found
