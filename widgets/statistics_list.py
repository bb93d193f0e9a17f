"""How often what was requested, with which success, and how long it took."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

from rich.segment import Segment
from textual.widget import Widget

from pwtui.widgets.log_entry import milliseconds
from pwtui.widgets.row_list import Ink, RowList
from pwtui.widgets.text import fit, plain

WITH_BARS = 90
_BAR, _PLOT, _NUMBERS = 13, 12, 9


class Counted(Protocol):
    """The requests of one group; times in milliseconds."""

    @property
    def name(self) -> str: ...
    @property
    def requests(self) -> int: ...
    @property
    def errors(self) -> int: ...
    @property
    def p50(self) -> float: ...
    @property
    def p95(self) -> float: ...
    @property
    def plot(self) -> str: ...


class StatisticsList(RowList[Counted]):
    """One line per group, with how its times are distributed and its share of the largest."""

    ORDERS: ClassVar[dict[str, Callable[[Counted], Any]]] = {
        "errors": lambda row: -row.errors,
        "p50": lambda row: -row.p50,
        "p95": lambda row: -row.p95,
        "name": lambda row: row.name,
    }

    def row_key(self, row: Counted) -> str:
        return row.name

    def copied_text(self) -> str:
        return self._line(self._rows[self.cursor])

    def whole_text(self) -> str:
        return "\n".join(map(self._line, self._rows))

    def _line(self, row: Counted) -> str:
        times = f"{milliseconds(row.p50)}  {milliseconds(row.p95)}"
        return f"{plain(row.name)}  {row.requests}  {row.errors}  {times}"

    def draw(self, row: Counted, line: int, cells: int, ink: Ink) -> list[Segment]:
        errors = f"{row.errors:,}" if row.errors else ""
        times = f"{milliseconds(row.p50):>{_NUMBERS}}{milliseconds(row.p95):>{_NUMBERS}}"
        segments = [
            Segment(" " + fit(plain(row.name), _name_cells(cells)), ink("list--strong")),
            Segment(f"{row.requests:>{_NUMBERS},}", ink()),
            Segment(f"{errors:>{_NUMBERS}}", ink("list--bad")),
            Segment(times, ink()),
            Segment(f"  {row.plot:{_PLOT - 2}}", ink("list--accent")),
        ]
        if cells >= WITH_BARS:
            most = max((each.requests for each in self._all_rows), default=1)
            bar = "█" * round((_BAR - 1) * row.requests / most) or "▏"
            segments.append(Segment(f"  {bar:{_BAR}}", ink("list--muted")))
        return segments


class StatisticsColumns(Widget):
    """The names of the columns, above the list."""

    DEFAULT_CSS = "StatisticsColumns { height: 1; color: $text-muted; }"

    def __init__(self) -> None:
        super().__init__()
        self.name_of_group = ""

    def render(self) -> str:
        cells = self.size.width - 1  # the list has a scrollbar
        name = fit(self.name_of_group.upper(), _name_cells(cells))
        heads = "".join(f"{head:>{_NUMBERS}}" for head in ("COUNT", "ERRORS", "MEDIAN", "P95"))
        return f" {name}{heads}  10 ms…1 s " + ("  SHARE" if cells >= WITH_BARS else "")


def _name_cells(cells: int) -> int:
    bar = _BAR + 2 if cells >= WITH_BARS else 0
    return max(10, cells - 4 * _NUMBERS - _PLOT - bar - 2)
