"""The base of console and network: rows that are added at the end, with the filter language."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any, ClassVar, TypeVar

from pwtui.protocol.query import Query, Test, parse_query
from pwtui.widgets.row_list import RowList

RowT = TypeVar("RowT")


class EventList(RowList[RowT]):
    """Follows the end while the cursor is on the last row. A subclass defines what can be tested
    in a filter."""

    FOLLOWS_END: ClassVar[bool] = True
    FIELDS: ClassVar[Collection[str]] = ("is",)
    STATES: ClassVar[dict[str, Test[Any]]] = {}

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._event_query = Query()

    def field(self, name: str, value: str) -> Test[RowT]:
        """The test of a field that is not `is`."""
        raise NotImplementedError

    def show(self, rows: Sequence[RowT], *, cursor: Hashable | None = None) -> None:
        at_end = not self.order and self.cursor >= self.row_count - 1
        is_following = self.FOLLOWS_END and at_end
        super().show(rows, cursor=cursor)
        if is_following and cursor is None:
            self.move_to(self.row_count - 1)

    def filter(self, text: str) -> None:
        self._event_query = parse_query(text, self.FIELDS, self.STATES)
        super().filter(text)

    @property
    def filter_problem(self) -> str:
        return self._event_query.problem

    def matching(self, rows: Sequence[RowT]) -> Sequence[RowT]:
        if self._event_query:
            rows = self._event_query.select(rows, self._haystack, self._test)
        return self.in_order(rows)

    def _haystack(self, row: RowT) -> str:
        return self.row_text(row).lower()

    def _test(self, name: str, value: str) -> Test[RowT]:
        return self.STATES[value] if name == "is" else self.field(name, value)

    def summary(self) -> str:
        """The counts, the order, and what is wrong with the filter."""
        total, shown = len(self._all_rows), self.row_count
        parts = [self.filter_problem, f"{shown:,} of {total:,}" if shown < total else ""]
        return " · ".join(filter(None, [*parts, self.order_note("time")]))
