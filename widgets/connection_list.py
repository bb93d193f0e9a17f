"""Connections on their way to code that runs: which steps each has taken, and which is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment

from pwtui.widgets.row_list import Ink, RowList, sides
from pwtui.widgets.text import plain, wrapped
from pwtui.widgets.units import duration


@dataclass(frozen=True, slots=True)
class StepMark:
    """One step; without a time it was not taken yet."""

    name: str
    at_ms: float | None = None


@dataclass(frozen=True, slots=True)
class ConnectionRow:
    """A client, or a page that a client is attached to."""

    key: str
    title: str
    state: str = ""
    steps: Sequence[StepMark] = ()
    missing: str = ""
    hint: str = ""
    waited_seconds: float | None = None
    is_page: bool = False
    is_past: bool = False


NARROW = 110
INDENT = 6


class ConnectionList(RowList[ConnectionRow]):
    """A few lines for each: who it is, the steps with their times, and what it waits for."""

    EMPTY_TEXT = "no client has connected yet"

    def row_key(self, row: ConnectionRow) -> str:
        return row.key

    def row_height(self, cells: int) -> int:
        return 4 if cells < NARROW else 3  # a hint may take two lines there

    def draw(self, row: ConnectionRow, line: int, cells: int, ink: Ink) -> list[Segment]:
        lead = Segment("    " if row.is_page else " ", ink())
        if line == 0:
            mark = ("✗", "list--bad") if row.missing else ("✓", "list--good")
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
        told = wrapped(_waits_for(row), cells - INDENT) if row.missing else []
        if line - 2 >= len(told):
            return sides([Segment("", ink())], [], cells, ink())
        tone = "list--faint" if row.is_past else "list--bad"
        return sides([lead, Segment(f"  {told[line - 2]}", ink(tone))], [], cells, ink())


def _waits_for(row: ConnectionRow) -> str:
    waited = f" for {duration(row.waited_seconds)}" if row.waited_seconds is not None else ""
    return f"waits{waited} for {plain(row.missing)}: {plain(row.hint)}"


def _steps(row: ConnectionRow, ink: Ink, *, with_times: bool = True) -> list[Segment]:
    shown = []
    for step in row.steps:
        if step.at_ms is None:
            shown.append(Segment(f"○ {step.name}   ", ink("list--faint")))
            continue
        shown.append(Segment("● ", ink("list--good")))
        shown.append(Segment(f"{step.name} ", ink()))
        took = f"{step.at_ms:.1f} ms   " if with_times else "  "
        shown.append(Segment(took, ink("list--muted")))
    return shown
