"""The connections of a relay: which steps each one completed, and which one is missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.segment import Segment

from pwtui.protocol.models import MissingStep, RelayProgress
from pwtui.widgets.row_list import Ink, RowList, sides
from pwtui.widgets.text import plain, wrapped
from pwtui.widgets.units import duration


@dataclass(frozen=True, slots=True)
class ConnectionRow:
    """A client, or a page that a client is attached to."""

    key: str
    title: str
    progress: RelayProgress
    state: str = ""
    is_page: bool = False
    is_past: bool = False


NARROW = 110
INDENT = 6


class ConnectionList(RowList[ConnectionRow]):
    """Three lines per connection: its title, its steps with their times, the missing step."""

    EMPTY_TEXT = "No client has connected yet."
    ORDERS: ClassVar[dict[str, Callable[[ConnectionRow], Any]]] = {
        "state": lambda row: (row.progress.missing is None, row.state),
        "title": lambda row: row.title.lower(),
    }

    def row_key(self, row: ConnectionRow) -> str:
        return row.key

    def row_text(self, row: ConnectionRow) -> str:
        missing = row.progress.missing
        return f"{row.title} {row.state} {_waiting(missing) if missing else ''}".rstrip()

    def row_height(self, cells: int) -> int:
        return 4 if cells < NARROW else 3  # a narrow list wraps the hint

    def draw(self, row: ConnectionRow, line: int, cells: int, ink: Ink) -> list[Segment]:
        lead = Segment("    " if row.is_page else " ", ink())
        if line == 0:
            mark = ("✗", "list--bad") if row.progress.missing else ("✓", "list--good")
            if row.is_past:
                mark = ("·", "list--faint")
            left = [
                lead,
                Segment(f"{mark[0]} ", ink(mark[1])),
                Segment(plain(row.title), ink("list--strong")),
            ]
            right = [Segment(f"{plain(row.state)} ", ink("list--muted"))]
            return sides(left, right, cells, ink())
        if line == 1:
            steps = _steps(row, ink)
            if sum(each.cell_length for each in steps) > cells - INDENT:
                steps = _steps(row, ink, with_times=False)
            return sides([lead, Segment("  ", ink()), *steps], [], cells, ink())
        missing = row.progress.missing
        lines = wrapped(_waiting(missing), cells - INDENT) if missing else []
        if line - 2 >= len(lines):
            return sides([Segment("", ink())], [], cells, ink())
        tone = "list--faint" if row.is_past else "list--bad"
        return sides([lead, Segment(f"  {lines[line - 2]}", ink(tone))], [], cells, ink())


def _waiting(missing: MissingStep) -> str:
    waited = "" if missing.waited_ms is None else f" ({duration(missing.waited_ms / 1000)})"
    return f"waiting for {plain(missing.step)}{waited}: {plain(missing.hint)}"


def _steps(row: ConnectionRow, ink: Ink, *, with_times: bool = True) -> list[Segment]:
    segments = []
    for step in row.progress.steps:
        name = f"{step.number} {plain(step.step)} "
        if step.at_ms is None:
            segments.append(Segment(f"○ {name}  ", ink("list--faint")))
            continue
        took = f"{step.at_ms:.1f} ms   " if with_times else "  "
        segments += [Segment("● ", ink("list--good")), Segment(name, ink())]
        segments.append(Segment(took, ink("list--muted")))
    return segments
