"""The latest log entries, and those that match the filter."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Any

from pwtui.widgets.log_entry import LogEntry
from pwtui.widgets.log_filter import LogFilter


class LogStore:
    """The latest entries up to a cap, and those that match the filter.

    The *position* of an entry never changes: it is the number of entries before it, including the
    dropped ones. Its *row* is its index among the shown entries.
    """

    def __init__(self, cap: int = 100_000) -> None:
        self.cap = max(1, cap)
        self.dropped = 0
        self.errors = 0
        self.selected: set[int] = set()
        self.on_change: Callable[[], None] | None = None
        """Called after each change."""
        self.entries: list[LogEntry] = []
        self._positions: dict[int, int] = {}
        self._pending: set[int] = set()
        self._changed: set[int] = set()
        self.filter = LogFilter()
        self._hits: list[int] | None = None

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def pending(self) -> int:
        return len(self._pending)

    @property
    def end(self) -> int:
        """The position that the next entry will have."""
        return self.dropped + len(self.entries)

    def add(self, entries: Iterable[LogEntry]) -> None:
        for entry in entries:
            entry.index()
            position = self.end
            self._positions[entry.seq] = position
            self.entries.append(entry)
            self._count(entry, 1)
            if self._hits is not None and self.filter.matches(entry):
                self._hits.append(position)
        self._report()

    def finish(
        self, seq: int, request: dict[str, Any], response: dict[str, Any]
    ) -> LogEntry | None:
        """Add the response to its entry; None if there is no such entry."""
        entry = self.known(seq)
        if entry is not None:
            self._count(entry, -1)
            entry.answer(request, response)
            entry.index()
            self._count(entry, 1)
            self._check(self._positions[seq], entry)
            self._report()
        return entry

    def take_changes(self) -> set[int]:
        """The positions of the entries that changed since the last call."""
        changed, self._changed = self._changed, set()
        return changed

    def _report(self) -> None:
        if self.on_change is not None:
            self.on_change()

    def trim(self) -> int:
        """Drop the oldest entries, a tenth of the cap at a time; returns how many."""
        surplus = len(self.entries) - self.cap
        if surplus <= self.cap // 10:
            return 0
        for entry in self.entries[:surplus]:
            del self._positions[entry.seq]
            self._count(entry, -1)
            self.selected.discard(entry.seq)
        del self.entries[:surplus]
        self.dropped += surplus
        if self._hits is not None:
            del self._hits[: bisect_left(self._hits, self.dropped)]
        return surplus

    def selection(self) -> list[LogEntry]:
        """The selected entries, the oldest first."""
        return [entry for entry in self.entries if entry.seq in self.selected]

    def known(self, seq: int) -> LogEntry | None:
        position = self._positions.get(seq)
        return None if position is None else self.entries[position - self.dropped]

    def _count(self, entry: LogEntry, step: int) -> None:
        self.errors += step * entry.failed
        if entry.pending and step > 0:
            self._pending.add(entry.seq)
        else:
            self._pending.discard(entry.seq)

    @property
    def rows(self) -> int:
        """The number of entries that match the filter."""
        return len(self.entries) if self._hits is None else len(self._hits)

    def narrow(self, text: str) -> None:
        """Show only what matches."""
        self.filter = LogFilter(text)
        self._hits = None
        if self.filter:
            entries, (first, *others) = self.entries, self.filter.tests
            rows = [row for row, entry in enumerate(entries) if first(entry)]
            for test in others:
                rows = [row for row in rows if test(entries[row])]
            self._hits = [row + self.dropped for row in rows]

    def recheck(self, entry: LogEntry) -> None:
        """Filter an entry again after a change."""
        position = self._positions.get(entry.seq)
        if position is not None:
            self._check(position, entry)

    def at(self, row: int) -> LogEntry:
        return self.entries[self.position_at(row) - self.dropped]

    def position_at(self, row: int) -> int:
        return row + self.dropped if self._hits is None else self._hits[row]

    def row_of(self, position: int) -> int:
        """The row of the entry at a position, or of the next shown one."""
        if self._hits is None:
            return min(max(0, position - self.dropped), len(self.entries))
        return bisect_left(self._hits, position)

    def shown(self) -> list[LogEntry]:
        if self._hits is None:
            return list(self.entries)
        return [self.entries[position - self.dropped] for position in self._hits]

    def _check(self, position: int, entry: LogEntry) -> None:
        self._changed.add(position)
        if self._hits is None:
            return
        row = bisect_left(self._hits, position)
        shown = row < len(self._hits) and self._hits[row] == position
        if shown and not self.filter.matches(entry):
            del self._hits[row]
        elif not shown and self.filter.matches(entry):
            self._hits.insert(row, position)
