"""How often what was requested, with which success, and how long it took."""

from __future__ import annotations

import asyncio
from itertools import cycle
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from pwtui.app.screens.list_window import ListWindow
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.statistics_list import StatisticsColumns, StatisticsList
from pwtui.widgets.text import plain
from pwtui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from pwtui.history.stats import Group

GROUPS: tuple[Group, ...] = ("op", "client", "site")
TITLES = {"op": "operation", "client": "client", "site": "site"}


class StatisticsScreen(ListWindow):
    """Counts the requests that the log's filter shows, with those of earlier days."""

    DEFAULT_CSS = "StatisticsScreen #box { width: 90%; max-width: 110; height: 80%; }"
    AUTO_FOCUS = "StatisticsList"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "close", key_display="esc", id="window.close"),
        Binding(
            "b", "group", "group", tooltip="by operation, client or site", id="statistics.group"
        ),
    ]

    def __init__(self, filter: str) -> None:
        super().__init__()
        self._filter = filter
        self._groups = cycle(GROUPS)
        self._group = next(self._groups)

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = "Statistics"
            yield StatisticsColumns()
            yield StatisticsList()
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one(StatisticsList).empty_text = "counting…"
        self._count()

    def action_group(self) -> None:
        self._group = next(self._groups)
        self._count()

    @work(exclusive=True, group="statistics")
    async def _count(self) -> None:
        from pwtui.app.earlier_rows import READ_ERRORS, rows_of

        shown, rows = self.query_one(StatisticsList), []
        shown.empty_text = "No request matches the filter." if self._filter else "No requests yet."
        try:
            everywhere = self.app.store.log.everywhere
            workspace = None if everywhere else self.app.store.workspace
            rows = await asyncio.to_thread(rows_of, self._filter, workspace, self._group)
        except READ_ERRORS as error:
            shown.empty_text = f"The history cannot be read: {plain(str(error))}"
        if self.is_mounted:
            columns = self.query_one(StatisticsColumns)
            columns.name_of_group = TITLES[self._group]
            columns.refresh()
            shown.show(rows)
            self._count_rows()

    @on(VirtualList.FilterChanged)
    def _count_rows(self) -> None:
        shown = self.query_one(StatisticsList)
        total = sum(row.requests for row in shown.shown_rows)
        failed = sum(row.errors for row in shown.shown_rows)
        parts = [f"{total:,} request{'' if total == 1 else 's'}"]
        parts += [f"{failed:,} failed" if failed else "", shown.order_note("count")]
        parts.append(f"filter: {plain(self._filter)}" if self._filter else "")
        self.query_one("#box").border_subtitle = Content(" · ".join(filter(None, parts)))
