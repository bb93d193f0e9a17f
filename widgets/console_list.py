"""The console of a page: messages, uncaught errors, and what the user evaluated."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from rich.segment import Segment

from pwtui.protocol.query import Test
from pwtui.widgets.event_list import KEPT, TRIMMED, EventList
from pwtui.widgets.row_list import Ink, sides
from pwtui.widgets.text import plain

_ERRORS = frozenset(("error", "assert", "pageerror"))
# The mark and the style of a type; other types have none.
_LOOKS = {
    **dict.fromkeys(_ERRORS, ("✗", "list--bad")),
    "warning": ("!", "list--busy"),
    "evaluated": (">", "list--accent"),
    "result": ("<", "list--muted"),
    "flood": ("~", "list--busy"),
}


@dataclass(frozen=True, slots=True)
class ConsoleRow:
    """A message. `count` equal ones came one after the other."""

    number: int
    type: str
    text: str
    time: float
    source: str = ""
    """Where the message comes from: the file and the line."""
    stack: str = ""
    count: int = 1
    value: Any = field(default=None, compare=False)
    """Of a result, with `has_value`."""
    has_value: bool = False

    @property
    def is_error(self) -> bool:
        return self.type in _ERRORS


class ConsoleLog:
    """The newest rows, and how many errors came since they were last looked at."""

    def __init__(self) -> None:
        self.rows: list[ConsoleRow] = []
        self.new_errors = 0
        self._cleared: list[ConsoleRow] = []
        self._next = 1

    def add(self, row: ConsoleRow) -> None:
        last = self.rows[-1] if self.rows else None
        if last is not None and (last.type, last.text) == (row.type, row.text):
            self.rows[-1] = replace(last, count=last.count + 1, time=row.time)
        else:
            self.rows.append(replace(row, number=self._next))
            self._next += 1
            if len(self.rows) >= KEPT + TRIMMED:
                del self.rows[:TRIMMED]
        self.new_errors += row.is_error

    def replace(self, rows: Iterable[ConsoleRow]) -> None:
        """Show another page, whose errors were not looked at yet."""
        self.clear()
        self._cleared = []
        for row in rows:
            self.add(row)

    def clear(self) -> None:
        self._cleared, self.rows = [*self._cleared, *self.rows][-KEPT:], []
        self.new_errors = 0

    def restore(self) -> bool:
        """Show again what was cleared; whether there is something of this page."""
        has_some = bool(self._cleared)
        self.rows = [*self._cleared, *self.rows][-KEPT:]
        self._cleared = []
        return has_some


class ConsoleList(EventList[ConsoleRow]):
    """One line per message: ✗ error, ! warning, > evaluated, < its result."""

    EMPTY_TEXT = "The page has logged nothing."
    NOUN = "message"
    FIELDS: ClassVar[Collection[str]] = ("is", "source")
    STATES: ClassVar[dict[str, Test[ConsoleRow]]] = {
        "error": lambda row: row.is_error,
        "warning": lambda row: row.type == "warning",
    }

    ORDERS: ClassVar[dict[str, Callable[[ConsoleRow], str]]] = {
        "level": lambda row: row.type,
        "source": lambda row: row.source,
    }

    def field(self, name: str, value: str) -> Test[ConsoleRow]:
        return lambda row: value in row.source.lower()

    def row_key(self, row: ConsoleRow) -> int:
        return row.number

    def row_text(self, row: ConsoleRow) -> str:
        return f"{row.type} {row.text} {row.source}"

    def copied_text(self) -> str:
        row = self.cursor_row
        return "" if row is None else "\n".join(filter(None, [row.text, row.stack]))

    def draw(self, row: ConsoleRow, line: int, cells: int, ink: Ink) -> list[Segment]:
        mark, style = _LOOKS.get(row.type, ("·", "list--faint"))
        at = time.strftime("%H:%M:%S", time.localtime(row.time))
        is_loud = style in ("list--bad", "list--busy")
        left = [
            Segment(f" {mark} ", ink(style)),
            Segment(f"{at} ", ink("list--faint")),
            Segment(plain(row.text[: 4 * cells]), ink(style) if is_loud else ink()),
        ]
        right = []
        if row.count > 1:
            right.append(Segment(f" ×{row.count}", ink("list--strong")))
        if row.source and cells >= 60:
            right.append(Segment(f"  {plain(row.source[-40:])}", ink("list--faint")))
        if right:
            right.append(Segment(" ", ink()))
        return sides(left, right, cells, ink())
