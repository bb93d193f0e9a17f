"""Lines of text that can be folded by their depth: titles, headers, JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from textual import events
from textual.binding import Binding, BindingType

from pwtui.widgets.json_lines import json_lines, json_tokens
from pwtui.widgets.text import plain, width
from pwtui.widgets.text_view import TextView, Tokens

_OPEN, _FOLDED = "▾ ", "▸ "
_LONGEST = 4000
# A longer value is shown with its outer levels unfolded only.
_LARGE, _SHOWN_LEVELS = 60, 2


@dataclass(frozen=True)
class Part:
    """A title and what is below it: a value, which is shown as JSON, or lines."""

    title: str
    lines: Sequence[str] = ()
    value: Any = None
    has_value: bool = False
    is_folded: bool = False


@dataclass(slots=True)
class _Line:
    text: str
    depth: int
    kind: Literal["title", "pair", "json"]
    end: int = 0
    """The first line that does not belong to it."""


class FoldedText(TextView):
    """Each line hides those that are deeper, when it is folded."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "fold", id="list.choose"),
        Binding("space", "choose", "fold", show=False, id="text.fold"),
        Binding("E", "unfold_all", "unfold all", show=False, id="text.unfold-all"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"folded--title", "folded--name"}
    DEFAULT_CSS = """
    FoldedText {
        & > .folded--title { text-style: bold; color: $text-primary; }
        & > .folded--name { color: $foreground-muted; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._fold_lines: list[_Line] = []
        self._fold_closed: set[int] = set()
        self._fold_shown: list[int] = []

    def show(self, parts: Iterable[Part]) -> None:
        """Replace the text. The cursor stays on its line."""
        lines = self._fold_lines = []
        self._fold_closed = set()
        for part in parts:
            start = len(lines)
            if part.title:
                lines.append(_Line(part.title, 0, "title"))
            if part.is_folded:
                self._fold_closed.add(start)
            if part.has_value:
                lines += _json(part.value, deeper=bool(part.title))
            lines += [_Line(line, int(bool(part.title)), "pair") for line in part.lines]
            self._find_ends(start)
            if len(lines) - start > _LARGE:
                deep = range(start, len(lines))
                self._fold_closed |= {
                    at for at in deep if lines[at].depth > _SHOWN_LEVELS and lines[at].end > at + 1
                }
        texts = (width(plain(line.text[:_LONGEST])) + 2 * line.depth + 2 for line in lines)
        self._text_columns = max(texts, default=0)
        self._lay_out(self.cursor)

    def _find_ends(self, start: int) -> None:
        """Where the deeper lines end; a closing bracket belongs to its opening one."""
        lines, opened = self._fold_lines, list[int]()
        for at in range(start, len(lines)):
            line = lines[at]
            closes = line.kind == "json" and line.text[:1] in ("}", "]")
            while opened and lines[opened[-1]].depth >= line.depth:
                before = lines[opened.pop()]
                before.end = at + (closes and before.depth == line.depth)
            if not closes:
                opened.append(at)
            else:
                line.end = at + 1
        for each in opened:
            lines[each].end = len(lines)

    def _lay_out(self, cursor: int) -> None:
        self._fold_shown, at = [], 0
        while at < len(self._fold_lines):
            self._fold_shown.append(at)
            at = self._fold_lines[at].end if at in self._fold_closed else at + 1
        self.rows_changed(cursor)

    @property
    def row_count(self) -> int:
        return len(self._fold_shown)

    def line_text(self, row: int) -> str:
        at = self._fold_shown[row]
        line = self._fold_lines[at]
        mark = "  "
        if line.end > at + 1:
            mark = _FOLDED if at in self._fold_closed else _OPEN
        count = line.end - at - 1
        hidden = f" … {count:,} line{'' if count == 1 else 's'}" if mark == _FOLDED else ""
        return f"{'  ' * line.depth}{mark}{line.text}{hidden}"

    def tokens(self, row: int, text: str) -> Tokens:
        kind = self._fold_lines[self._fold_shown[row]].kind
        if kind == "title":
            return ((text, "folded--title"),)
        if kind == "json":
            return json_tokens(text)
        name, separator, value = text.partition(": ")
        return ((name + separator, "folded--name" if separator else ""), (value, ""))

    def copied_text(self) -> str:
        """The selection, or the line under the cursor with all that belongs to it."""
        if self.text_selection is not None:
            return super().copied_text()
        at = self._fold_shown[self.cursor]
        line = self._fold_lines[at]
        below = self._fold_lines[at + (line.kind == "title") : line.end]
        least = min((each.depth for each in below), default=0)
        return "\n".join("  " * (each.depth - least) + each.text for each in below) or line.text

    def action_choose(self) -> None:
        if self.row_count:
            self._toggle(self.cursor)

    def action_unfold_all(self) -> None:
        self._fold_closed.clear()
        self._lay_out(self.cursor)

    def _toggle(self, row: int) -> None:
        at = self._fold_shown[row]
        if self._fold_lines[at].end > at + 1:
            self._fold_closed.symmetric_difference_update((at,))
            self._lay_out(row)

    def row_clicked(self, row: int, event: events.Click, *, again: bool) -> None:
        indent = 2 * self._fold_lines[self._fold_shown[row]].depth
        offset = event.get_content_offset(self)
        if offset is not None and indent <= offset.x + self.scroll_offset.x < indent + 2:
            self._toggle(row)


def _json(value: Any, *, deeper: bool) -> list[_Line]:
    found = []
    for line in json_lines(value):
        text = line.lstrip(" ")
        found.append(_Line(text, (len(line) - len(text)) // 2 + deeper, "json"))
    return found
