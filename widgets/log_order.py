"""The rows of a log in another order than that of time."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import Any

from pwtui.widgets.log_entry import LogEntry


def _duration(entry: LogEntry) -> float:
    return -math.inf if entry.pending else -(entry.duration_ms or 0.0)


def _status(entry: LogEntry) -> int:
    return 0 if entry.failed else 1 if entry.pending else 2


ORDERS: Mapping[str, Callable[[LogEntry], Any]] = MappingProxyType(
    {
        "duration": _duration,
        "status": _status,
        "operation": attrgetter("op"),
        "client": attrgetter("client"),
    }
)
"""The keys by the name of the column; of equal entries, the newest is first."""


class SortedRows:
    """The positions of entries by their keys, merged with earlier entries that are sorted.

    A new entry costs an insertion, and no row of the earlier entries is touched: a row is found by
    bisecting over the ranks of these, each of which is found by bisecting over the earlier keys.
    """

    def __init__(self, order: str) -> None:
        self._key_of = ORDERS[order]
        self._keys: dict[int, Any] = {}
        self._places: list[tuple[Any, int]] = []
        """Keys and negative positions: of equal entries, the newest is first."""

    def __len__(self) -> int:
        return len(self._places)

    def put(self, position: int, entry: LogEntry) -> None:
        """Add an entry, or move it to where it belongs now."""
        self.remove(position)
        if not entry.is_rule:
            key = self._keys[position] = self._key_of(entry)
            insort(self._places, (key, -position))

    def remove(self, position: int) -> None:
        if position in self._keys:
            key = self._keys.pop(position)
            del self._places[bisect_left(self._places, (key, -position))]

    def find(self, row: int, earlier: Sequence[Any]) -> tuple[int | None, int]:
        """The position in a row, or None and the index of an earlier entry.

        `earlier` are the keys of these, in order.
        """
        index = bisect_left(range(len(self)), row, key=lambda index: self._rank(index, earlier))
        if index < len(self) and self._rank(index, earlier) == row:
            return -self._places[index][1], 0
        return None, row - index

    def row_of(self, position: int, earlier: Sequence[Any]) -> int:
        """The row of a position; 0 if it is not shown."""
        if position not in self._keys:
            return 0
        place = (self._keys[position], -position)
        return self._rank(bisect_left(self._places, place), earlier)

    def row_of_earlier(self, index: int, earlier: Sequence[Any]) -> int:
        return index + bisect_right(self._places, earlier[index], key=itemgetter(0))

    def _rank(self, index: int, earlier: Sequence[Any]) -> int:
        return index + bisect_left(earlier, self._places[index][0])
