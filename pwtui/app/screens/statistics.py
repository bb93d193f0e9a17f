"""How often what was requested, with which success, and how long it took."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import cycle
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from pwtui.app.actions.output import copy_text
from pwtui.app.screens.window import Window
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.log_entry import milliseconds
from pwtui.widgets.text import fit, plain
from pwtui.widgets.text_lines import TextLines
from pwtui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from pwtui.history.stats import Group, Row

GROUPS: tuple[Group, ...] = ("op", "client", "site")
WITH_BARS = 90
TITLES = {"op": "operation", "client": "client", "site": "site"}
SORTS: tuple[tuple[str, Callable[[Row], float]], ...] = (
    ("count", lambda row: -row.requests),
    ("errors", lambda row: -row.errors),
    ("p95", lambda row: -row.p95),
)


class StatisticsScreen(Window):
    """Counts the requests that the log's filter shows, with those of earlier days."""

    DEFAULT_CSS = "StatisticsScreen #box { width: 90%; max-width: 110; height: 80%; }"
    AUTO_FOCUS = "TextLines"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "close", key_display="esc", id="window.close"),
        Binding(
            "b", "group", "group", tooltip="by operation, client or site", id="statistics.group"
        ),
        Binding("s", "sort", "sort", tooltip="by count, errors or time", id="statistics.sort"),
    ]

    def __init__(self, filter: str) -> None:
        super().__init__()
        self._filter = filter
        self._groups, self._sorts = cycle(GROUPS), cycle(SORTS)
        self._group, self._sort = next(self._groups), next(self._sorts)
        self._rows: list[Row] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = "Statistics"
            yield TextLines("counting…")
        yield KeyBar()

    def on_mount(self) -> None:
        self._count()

    def action_group(self) -> None:
        self._group = next(self._groups)
        self._count()

    def action_sort(self) -> None:
        self._sort = next(self._sorts)
        self._show()

    @work(exclusive=True, group="statistics")
    async def _count(self) -> None:
        from pwtui.app.earlier_rows import READ_ERRORS, rows_of

        try:
            everywhere = self.app.store.log.everywhere
            workspace = None if everywhere else self.app.store.workspace
            self._rows = await asyncio.to_thread(rows_of, self._filter, workspace, self._group)
        except READ_ERRORS as error:
            self.query_one(TextLines).show(f"The history cannot be read: {plain(str(error))}")
            return
        if self.is_mounted:
            self._show()

    def _show(self) -> None:
        rows = sorted(self._rows, key=self._sort[1])
        box = self.query_one("#box")
        total = sum(row.requests for row in rows)
        failed = sum(row.errors for row in rows)
        filter = f" · filter: {self._filter}" if self._filter else ""
        box.border_subtitle = Content(
            f"{total:,} requests · {failed:,} failed · by {self._sort[0]}{plain(filter)}"
        )
        shown = self.query_one(TextLines)
        has_bars = shown.view_width >= WITH_BARS
        room = max(20, shown.view_width - (61 if has_bars else 47))
        heads = ("COUNT", "ERRORS", "MEDIAN", "P95", "10 MS…1 S")
        lines = [_line(TITLES[self._group].upper(), heads, "SHARE" if has_bars else "", room)]
        most = max((row.requests for row in rows), default=1)
        for row in rows:
            bar = "█" * round(12 * row.requests / most) or "▏"
            cells = (
                f"{row.requests:,}",
                f"{row.errors:,}" if row.errors else "",
                milliseconds(row.p50),
                milliseconds(row.p95),
                row.plot,
            )
            lines.append(_line(row.name, cells, bar if has_bars else "", room))
        nothing = "No request matches the filter." if self._filter else "No requests yet."
        shown.show("\n".join(lines) if rows else nothing)
        shown.move_to(1)

    @on(VirtualList.CopyRequested)
    def _copy(self, event: VirtualList.CopyRequested) -> None:
        copy_text(self.app, event.text)


def _line(name: str, cells: tuple[str, ...], bar: str, width: int) -> str:
    *numbers, plot = cells
    shown = "".join(f"{number:>9}" for number in numbers)
    return f" {fit(plain(name), width)}{shown}  {plot:9}  {bar}".rstrip()
