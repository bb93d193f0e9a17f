"""The base of console and network: rows that are added at the end, with the filter language."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any, ClassVar, TypeVar

from pwtui.protocol.query import Query, Test, parse_query
from pwtui.widgets.row_list import RowList

RowT = TypeVar("RowT")

KEPT, TRIMMED = 100_000, 1000
"""How many of the newest rows a log keeps, and how many it drops at once."""
_PART = 1000
"""The rows that are filtered again together, when one of them changed."""


class EventList(RowList[RowT]):
    """Follows the end while the cursor is on the last row. A subclass defines what can be tested
    in a filter."""

    FOLLOWS_END: ClassVar[bool] = True
    FIELDS: ClassVar[Collection[str]] = ("is",)
    STATES: ClassVar[dict[str, Test[Any]]] = {}
    NOUN: ClassVar[str] = "row"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._event_query = Query()
        self._event_matches: dict[Hashable, tuple[Sequence[RowT], list[RowT]]] = {}
        """Parts of the rows with what matches in them, by the key of their first row."""

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
        self.forget_matches()
        super().filter(text)

    @property
    def filter_problem(self) -> str:
        return self._event_query.problem

    def matching(self, rows: Sequence[RowT]) -> Sequence[RowT]:
        if not self._event_query:
            return self.in_order(rows)
        before, found = self._event_matches, list[RowT]()
        self._event_matches = {}
        for at in range(0, len(rows), _PART):
            part = rows[at : at + _PART]
            key = self.row_key(part[0])
            known = before.get(key)
            if known is None or known[0] != part:
                known = part, self._event_query.select(part, self._haystack, self._test)
            self._event_matches[key] = known
            found += known[1]
        return self.in_order(found)

    def forget_matches(self) -> None:
        """Apply the filter to all rows again."""
        self._event_matches = {}

    def _haystack(self, row: RowT) -> str:
        return self.row_text(row).lower()

    def _test(self, name: str, value: str) -> Test[RowT]:
        return self.STATES[value] if name == "is" else self.field(name, value)

    def summary(self) -> str:
        """The counts, the order, and what is wrong with the filter."""
        total, shown = len(self._all_rows), self.row_count
        some = f"{shown:,} of " if shown < total else ""
        count = f"{some}{total:,} {self.NOUN}{'' if total == 1 else 's'}" if total else ""
        return " · ".join(filter(None, [self.filter_problem, count, self.order_note("time")]))
