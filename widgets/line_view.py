"""Long text or JSON, read only: 258,000 lines are drawn as fast as 50."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Literal

from pydantic_core import PydanticSerializationError, to_json
from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from pwtui.widgets.text import plain, width
from pwtui.widgets.virtual_lines import VirtualLines, occurrences, overlay

Syntax = Literal["json", "text"]
Lines = Sequence[str] | Callable[[int], str]
Tokens = Iterable[tuple[str, str]]

_LONG = 4000  # a longer line is drawn from the piece on the screen alone, without colours
_PIECE = 1000  # a longer string in JSON is shown as a block of such pieces
_COLUMNS = 8


class LineView(VirtualLines):
    """Lines of text with a cursor, find and sideways scrolling."""

    ALLOW_SELECT = True

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "move_sideways(-1)", "Left", show=False, id="lines.left"),
        Binding("right,l", "move_sideways(1)", "Right", show=False, id="lines.right"),
        Binding("n", "search(1)", "Next match", show=False, id="lines.match-next"),
        Binding("N", "search(-1)", "Previous match", show=False, id="lines.match-previous"),
        Binding("y", "copy", "Copy", id="lines.copy"),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "lines--key",
        "lines--string",
        "lines--number",
        "lines--literal",
        "lines--punctuation",
        "lines--match",
        "lines--cursor",
    }

    DEFAULT_CSS = """
    LineView {
        overflow-x: auto;
        & > .lines--key { color: $text-primary; }
        & > .lines--string { color: $foreground; }
        & > .lines--number { color: $text-warning; }
        & > .lines--literal { color: $text-accent; text-style: italic; }
        & > .lines--punctuation { color: $foreground 50%; }
        & > .lines--match { background: $warning 35%; text-style: bold; }
        & > .lines--cursor { background: $foreground 6%; }
        &:focus > .lines--cursor { background: $foreground 14%; }
    }
    """

    class CopyRequested(Message):
        """Text was asked to be copied."""

        def __init__(self, line_view: LineView, text: str, what: str) -> None:
            super().__init__()
            self.line_view = line_view
            self.text = text
            self.what = what

        @property
        def control(self) -> LineView:
            return self.line_view

    class SearchMissed(Message):
        """No line has the text that was looked for."""

        def __init__(self, line_view: LineView, text: str) -> None:
            super().__init__()
            self.line_view = line_view
            self.text = text

        @property
        def control(self) -> LineView:
            return self.line_view

    def __init__(
        self,
        lines: Sequence[str] = (),
        *,
        syntax: Syntax = "json",
        show_cursor: bool = True,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view_lines: Lines = lines
        self._view_count = len(lines)
        self._view_columns = _widest(lines)
        self._view_syntax: Syntax = syntax
        self._view_has_cursor = show_cursor
        self.search_text = ""
        self._view_wanted = ""

    # What the owner says -------------------------------------------------------------------------

    def show_lines(
        self, lines: Lines, *, count: int | None = None, syntax: Syntax | None = None
    ) -> None:
        """Show other lines: a list, or a function of the line's number and how many there are."""
        self._view_lines = lines
        if isinstance(lines, Sequence):
            self._view_count = len(lines)
            self._view_columns = _widest(lines)
        else:
            self._view_count = count or 0
            self._view_columns = 0
        if syntax is not None:
            self._view_syntax = syntax
        self.show_from_start()

    def show_from_start(self) -> None:
        self._line_cursor = 0
        self.forget_strips()
        self.refit()
        self.scroll_to(x=0, y=0)
        self.refresh()

    def search(self, text: str) -> None:
        """Mark a text wherever it stands, and go to the first from the cursor on."""
        self.search_text = text
        self._view_wanted = text.lower()
        self.forget_strips()
        self.refresh()
        if text and not self._has_wanted(self._line_cursor):
            self.action_search(1)

    # Lines ---------------------------------------------------------------------------------------

    def count_lines(self) -> int:
        return self._view_count

    def line_text(self, line: int) -> str:
        """The line as it is."""
        lines = self._view_lines
        return lines[line] if isinstance(lines, Sequence) else lines(line)

    def tokens(self, line: int, text: str) -> Tokens:
        """The line in pieces, each with its component class or none."""
        return json_tokens(text) if self._view_syntax == "json" else ((text, ""),)

    def _has_wanted(self, line: int) -> bool:
        return line < self.count_lines() and self._view_wanted in self.line_text(line).lower()

    # Moving --------------------------------------------------------------------------------------

    def move_to(self, line: int) -> None:
        if self._view_has_cursor:
            super().move_to(line)
        else:
            self.scroll_to(y=line)
            self._line_cursor = self.scroll_offset.y

    def action_move_sideways(self, direction: int) -> None:
        self.scroll_to(x=self.scroll_offset.x + direction * _COLUMNS)

    def action_search(self, step: int) -> None:
        count = self.count_lines()
        if not self._view_wanted:
            return
        for distance in range(1, count + 1):
            line = (self._line_cursor + step * distance) % count
            if self._has_wanted(line):
                self.move_to(line)
                self._show_match(line)
                return
        self.post_message(self.SearchMissed(self, self.search_text))

    def _show_match(self, line: int) -> None:
        """Scroll sideways when the match is not in sight."""
        text = plain(self.line_text(line))
        start = width(text[: max(0, text.lower().find(self._view_wanted))])
        end = start + width(self._view_wanted)
        left, cells = self.scroll_offset.x, self.view_width
        if start < left or end > left + cells:
            self.scroll_to(x=max(0, start - cells // 3))

    # Copying -------------------------------------------------------------------------------------

    def action_copy(self) -> None:
        selection = self.text_selection
        if selection is None:
            text, what = "\n".join(map(self.line_text, range(self.count_lines()))), "all"
        else:
            text, what = self._selected_text(selection), "selection"
        self.post_message(self.CopyRequested(self, text, what))

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return self._selected_text(selection), "\n"

    def _selected_text(self, selection: Selection) -> str:
        last_line = self.count_lines() - 1
        first = selection.start.y if selection.start else 0
        last = min(selection.end.y if selection.end else last_line, last_line)
        lines = [plain(self.line_text(line)) for line in range(first, last + 1)]
        if lines and selection.end:
            lines[-1] = lines[-1][: selection.end.x]
        if lines and selection.start:
            lines[0] = lines[0][selection.start.x :]
        return "\n".join(lines)

    def selection_updated(self, selection: Selection | None) -> None:
        self.forget_strips()
        self.refresh()

    # Drawing -------------------------------------------------------------------------------------

    def refit(self) -> None:
        self.fit(self._view_columns + 1)

    def strip_key(self, line: int) -> Hashable | None:
        return line, self._view_has_cursor and line == self.cursor_line

    def draw_window(self, line: int, left: int, cells: int) -> Strip:
        text = self.line_text(line)
        if len(text) <= _LONG:
            strip = super().draw_window(line, left, cells)
        else:
            ground = self._ground(line)
            piece = Segment(plain(text[left : left + cells]), self.ink(*ground))
            strip = Strip([piece]).crop_extend(0, cells, self.ink(*ground))
        return strip.apply_offsets(left, line)

    def draw_line(self, line: int) -> Strip:
        text = plain(self.line_text(line))
        ground = self._ground(line)
        segments = [
            Segment(piece, self.ink(name, *ground) if name else self.ink(*ground))
            for piece, name in self.tokens(line, text)
        ]
        for start, end in occurrences(text, self._view_wanted):
            segments = overlay(segments, start, end, self.ink("lines--match"))
        selection = self.text_selection
        span = selection.get_span(line) if selection is not None else None
        if span is not None:
            start, end = span
            style = self.screen.get_component_rich_style("screen--selection")
            segments = overlay(segments, start, len(text) if end == -1 else end, style)
        strip = Strip(segments)
        if strip.cell_length > self._view_columns:
            self._view_columns = strip.cell_length
            self.call_later(self.refit)
        return strip.extend_cell_length(
            max(self._view_columns + 1, self.view_width), self.ink(*ground)
        )

    def _ground(self, line: int) -> tuple[str, ...]:
        is_cursor = self._view_has_cursor and line == self.cursor_line
        return ("lines--cursor",) if is_cursor else ()


def _widest(lines: Sequence[str]) -> int:
    return max(map(len, lines), default=0)


# JSON --------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""
      (?P<key>"[^"\\]*(?:\\.[^"\\]*)*"(?=\s*:))
    | (?P<string>"[^"\\]*(?:\\.[^"\\]*)*"?)
    | (?P<number>-?\d[\d.eE+-]*)
    | (?P<literal>\b(?:true|false|null|NaN|-?Infinity)\b)
    | (?P<punctuation>[\[\]{}:,]+)
    """,
    re.VERBOSE,
)
_BEFORE_STRING = re.compile(r'(\s*)((?:"[^"\\]*(?:\\.[^"\\]*)*": )?)(?=")')
_BLOCK, _BLOCK_CONTINUED = "│ ", "┆ "


def json_tokens(line: str) -> Iterator[tuple[str, str]]:
    """One line of pretty-printed JSON in pieces, each with its component class or none."""
    bare = line.lstrip()
    if bare.startswith((_BLOCK, _BLOCK_CONTINUED)):
        start = len(line) - len(bare) + len(_BLOCK)
        yield line[:start], "lines--punctuation"
        yield line[start:], "lines--string"
        return
    at = 0
    for match in _TOKEN.finditer(line):
        if match.start() > at:
            yield line[at : match.start()], ""
        piece = match.group()
        is_half = piece[0] == '"' and (len(piece) == 1 or piece[-1] != '"')
        yield piece, "lines--punctuation" if is_half else f"lines--{match.lastgroup}"
        at = match.end()
    if at < len(line):
        yield line[at:], ""


def json_lines(value: Any) -> list[str]:
    """A value as JSON, one item on each line; long strings and those of many lines as blocks."""
    text = json_text(value)
    lines = text.split("\n")
    if "\\n" not in text and _widest(lines) <= _PIECE:
        return lines
    result: list[str] = []
    for line in lines:
        if "\\n" in line or len(line) > _PIECE:
            result.extend(_as_block(line))
        else:
            result.append(line)
    return result


def json_text(value: Any) -> str:
    """A value as JSON with one item on each line."""
    try:
        return to_json(value, indent=2).decode()
    except PydanticSerializationError:
        pass  # too deep, or half a surrogate pair
    try:
        return json.dumps(value, indent=2, default=str)
    except (RecursionError, ValueError) as error:
        return json.dumps(f"this cannot be shown as JSON: {error}")


def _as_block(line: str) -> list[str]:
    match = _BEFORE_STRING.match(line)
    comma = "," if line.endswith('",') else ""
    quoted = line[match.end() : len(line) - len(comma)] if match else ""
    if match is None or len(quoted) < 2 or quoted[-1] != '"':
        return [line]
    indent, key = match.groups()
    text: str = json.loads(quoted)
    if "\n" not in text and len(text) <= _PIECE:  # a backslash and an n
        return [line]
    block = [f'{indent}{key}"']
    for row in text.split("\n"):
        block.append(f"{indent}  {_BLOCK}{row[:_PIECE]}")
        for start in range(_PIECE, len(row), _PIECE):
            block.append(f"{indent}  {_BLOCK_CONTINUED}{row[start : start + _PIECE]}")
    return [*block, f'{indent}"{comma}']
