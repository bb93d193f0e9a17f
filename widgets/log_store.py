"""The latest log entries, those before them, and the rows in which they are shown."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from pwtui.widgets.log_entry import LogEntry
from pwtui.widgets.log_filter import LogFilter
from pwtui.widgets.log_order import SortedRows

MAX_BYTES = 64 * 1024 * 1024
RULE = -1
"""The position of the rule between the earlier entries and these."""


class Group(NamedTuple):
    """Equal neighbours, shown in one row."""

    last: int
    """The position of the last of them."""
    size: int
    least_ms: float
    most_ms: float


class Earlier(Protocol):
    """Entries before those of a store, read when they are shown. Their positions are negative."""

    on_change: Callable[[], None] | None
    is_reading: bool
    """It does not know all of its entries yet."""
    total: int
    """The entries in all of its rows."""
    people: set[tuple[str, str]]
    """The clients and profiles of its entries."""
    marked: set[int]
    """The numbers of those that are marked; the entries have them as negative `seq`."""
    keys: Sequence[Any]
    """Of each row, by what the rows are sorted."""

    @property
    def rows(self) -> int: ...

    def entry(self, row: int) -> LogEntry: ...

    def group(self, row: int) -> Group | None: ...

    def position(self, row: int) -> int: ...

    def row_of(self, position: int) -> int: ...

    def selection(self, seqs: set[int]) -> list[LogEntry]: ...

    def narrow(self, text: str, *, folds: bool, everywhere: bool) -> None: ...

    def sort(self, order: str) -> None:
        """Sort the rows, each with one entry, or return to the order of time."""

    def mark(self, entry: LogEntry) -> None: ...

    def extend(self, until: float) -> None:
        """The store has dropped its entries before a time."""


class NothingEarlier:
    """Nothing is known of earlier entries."""

    on_change: Callable[[], None] | None = None
    is_reading = False
    total = 0
    rows = 0
    people: set[tuple[str, str]] = set()  # noqa: RUF012
    marked: set[int] = set()  # noqa: RUF012
    keys: Sequence[Any] = ()

    def entry(self, row: int) -> LogEntry:
        raise IndexError(row)

    def group(self, row: int) -> Group | None:
        raise IndexError(row)

    position = row_of = lambda self, row: 0

    def selection(self, seqs: set[int]) -> list[LogEntry]:
        return []

    def narrow(self, text: str, *, folds: bool, everywhere: bool) -> None:
        pass

    def sort(self, order: str) -> None:
        pass

    def mark(self, entry: LogEntry) -> None:
        pass

    def extend(self, until: float) -> None:
        pass


class LogStore:
    """The latest entries up to a cap, those before them, and which of both are shown.

    The *position* of an entry never changes: it is the number of entries before it, including the
    dropped ones. Its *row* is its index among the shown ones. Equal neighbours share a row, whose
    position is that of the first.
    """

    def __init__(self, cap: int = 100_000, earlier: Earlier | None = None) -> None:
        self.cap = max(1, cap)
        self.earlier: Earlier = earlier or NothingEarlier()
        self.earlier.on_change = self._report
        self.dropped = 0
        self.selected: set[int] = set()
        self.on_change: Callable[[], None] | None = None
        """Called after each change."""
        self.entries: list[LogEntry] = []
        self.people: set[tuple[str, str]] = set()
        """The clients and profiles that were seen."""
        self.folds = True
        self.everywhere = False
        """Also entries of other workspaces are shown."""
        self.text = ""
        """The filter as it was typed."""
        self.order = ""
        """The column that the rows are sorted by; empty: by time."""
        self.is_reversed = False
        self._sorted: SortedRows | None = None
        self._elsewhere = self._errors = self._errors_elsewhere = 0
        self._bytes = 0
        self._positions: dict[int, int] = {}
        self._pending: set[int] = set()
        self._changed: set[int] = set()
        self.filter = LogFilter()
        self._heads: list[int] = []
        self._groups: dict[int, Group] = {}
        """By the position of the first entry, if there are several."""

    @cached_property
    def _rule(self) -> LogEntry:
        return LogEntry.rule(0, 0.0, "earlier ↑   now ↓")

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def total(self) -> int:
        """The entries of this workspace, or of all."""
        return len(self.entries) - (0 if self.everywhere else self._elsewhere)

    @property
    def errors(self) -> int:
        """Those that failed."""
        return self._errors - (0 if self.everywhere else self._errors_elsewhere)

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
            self.people.add((entry.client, entry.profile))
            self._count(entry, 1)
            if self._matches(entry):
                self._append(position, entry)
            self._sort(position, entry)
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
            self.recheck(entry)
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
            surplus = self._surplus_of_bytes()
        if surplus <= 0:
            return 0
        for entry in self.entries[:surplus]:
            position = self._positions.pop(entry.seq)
            if self._sorted is not None:
                self._sorted.remove(position)
            self._count(entry, -1)
            self.selected.discard(entry.seq)
        del self.entries[:surplus]
        self.dropped += surplus
        first = bisect_left(self._heads, self.dropped)
        cut = self._groups.get(self._heads[first - 1]) if first else None
        for head in self._heads[:first]:
            self._groups.pop(head, None)
        del self._heads[:first]
        if cut is not None and cut.last >= self.dropped:
            self._rebuild(0, 0, self.dropped)
        if self.entries:
            self.earlier.extend(self.entries[0].time)
        return surplus

    def _surplus_of_bytes(self) -> int:
        """How many of the oldest entries are too much, if they take a tenth too much memory."""
        more = self._bytes - MAX_BYTES
        if more <= MAX_BYTES // 10:
            return 0
        for count, entry in enumerate(self.entries):
            if more <= 0:
                return count
            more -= entry.size
        return len(self.entries) - 1

    def selection(self) -> list[LogEntry]:
        """The selected entries, the oldest first."""
        here = [entry for entry in self.entries if entry.seq in self.selected]
        return [*self.earlier.selection(self.selected), *here]

    def known(self, seq: int) -> LogEntry | None:
        position = self._positions.get(seq)
        return None if position is None else self.entries[position - self.dropped]

    def _count(self, entry: LogEntry, step: int) -> None:
        self._errors += step * entry.failed
        if entry.workspace:
            self._elsewhere += step
            self._errors_elsewhere += step * entry.failed
        self._bytes += step * entry.size
        if entry.pending and step > 0:
            self._pending.add(entry.seq)
        else:
            self._pending.discard(entry.seq)

    # -- rows --------------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """The number of rows with entries that match the filter."""
        if self._sorted is not None:
            return len(self._sorted) + self.earlier.rows
        return self._first_row + len(self._heads)

    @property
    def _first_row(self) -> int:
        """The row of the first entry that is not an earlier one."""
        rows = self.earlier.rows
        return rows + 1 if rows and self._heads else rows

    def narrow(self, text: str) -> None:
        """Show only what matches."""
        self.text = text
        self.filter = LogFilter(text)
        self.earlier.narrow(text, folds=self.folds, everywhere=self.everywhere)
        self._heads, self._groups = [], {}
        self._rebuild(0, 0, self.dropped)
        self._sort_all()

    def sort(self, order: str, *, is_reversed: bool) -> None:
        """Show the rows by a column, or by time, and from the end to the beginning."""
        if order != self.order:
            self.order = order
            self.earlier.sort(order)
        self.is_reversed = is_reversed
        self._sort_all()

    @property
    def is_sorted(self) -> bool:
        """Whether the last row is not the newest entry."""
        return bool(self.order) or self.is_reversed

    def _sort_all(self) -> None:
        self._sorted = SortedRows(self.order) if self.order else None
        for position, entry in enumerate(self.entries, self.dropped):
            self._sort(position, entry)

    def _sort(self, position: int, entry: LogEntry) -> None:
        """Put a new or changed entry where it belongs."""
        if self._sorted is not None and self._matches(entry):
            self._sorted.put(position, entry)
        elif self._sorted is not None:
            self._sorted.remove(position)

    def fold(self, folds: bool) -> None:
        """Show equal neighbours in one row, or each in its own."""
        self.folds = folds
        self.narrow(self.text)

    def show_everywhere(self, everywhere: bool) -> None:
        """Show entries of all workspaces, or of this one."""
        self.everywhere = everywhere
        self.narrow(self.text)

    def mark(self, entry: LogEntry) -> None:
        """Mark an entry, or remove its mark."""
        entry.mark = not entry.mark
        if entry.seq < 0:
            self.earlier.mark(entry)
        self.recheck(entry)

    def marked(self) -> list[LogEntry]:
        """The marked entries, the oldest first."""
        here = [entry for entry in self.entries if entry.mark]
        return [*self.earlier.selection({-id for id in self.earlier.marked}), *here]

    def recheck(self, entry: LogEntry) -> None:
        """Filter an entry again, and compare it with its neighbours, after a change."""
        position = self._positions.get(entry.seq)
        if position is None:
            return
        self._changed.add(position)
        self._sort(position, entry)
        after = bisect_right(self._heads, position)
        first, start = after, position
        if after:
            head = self._heads[after - 1]
            group = self._groups.get(head)
            if (group.last if group else head) >= position:
                if group is not None and self._stays(entry, position, head, group):
                    return
                first, start = after - 1, head
        self._rebuild(first, min(after + 1, len(self._heads)), start)

    def _stays(self, entry: LogEntry, position: int, head: int, group: Group) -> bool:
        """Whether a changed entry still belongs to its group, which then has its duration."""
        other = self.entries[(group.last if position == head else head) - self.dropped]
        same = (other.fold_key, other.workspace) == (entry.fold_key, entry.workspace)
        if entry.fold_key is None or not same or not self._matches(entry):
            return False
        if (took := entry.duration_ms) is not None:
            least = min(group.least_ms, took) if group.most_ms else took
            self._groups[head] = group._replace(least_ms=least, most_ms=max(group.most_ms, took))
        self._changed.add(head)
        return True

    def _turned(self, row: int) -> int:
        """The row in the order that is not reversed, or the other way round."""
        return max(0, self.rows - 1 - row) if self.is_reversed else row

    def at(self, row: int) -> LogEntry:
        """The last entry of a row."""
        row = self._turned(row)
        if self._sorted is not None:
            position, index = self._sorted.find(row, self.earlier.keys)
            if position is None:
                return self.earlier.entry(index)
            return self.entries[position - self.dropped]
        first = self._first_row
        if row >= first:
            head = self._heads[row - first]
            group = self._groups.get(head)
            return self.entries[(group.last if group else head) - self.dropped]
        return self.earlier.entry(row) if row < self.earlier.rows else self._rule

    def group_at(self, row: int) -> Group | None:
        """The group that a row shows; None for a single entry."""
        if self._sorted is not None:
            return None
        row = self._turned(row)
        first = self._first_row
        if row >= first:
            return self._groups.get(self._heads[row - first])
        return self.earlier.group(row) if row < self.earlier.rows else None

    def position_at(self, row: int) -> int:
        row = self._turned(row)
        if self._sorted is not None:
            position, index = self._sorted.find(row, self.earlier.keys)
            return self.earlier.position(index) if position is None else position
        first = self._first_row
        if row >= first:
            return self._heads[row - first]
        return self.earlier.position(row) if row < self.earlier.rows else RULE

    def row_of(self, position: int) -> int:
        """The row of the entry at a position, or of the next shown one."""
        return self._turned(self._row_of(position))

    def _row_of(self, position: int) -> int:
        earlier = self.earlier
        if position < RULE:
            row = earlier.row_of(position)
            if self._sorted is not None and row < earlier.rows:
                return self._sorted.row_of_earlier(row, earlier.keys)
            return row
        if self._sorted is not None:
            return self._sorted.row_of(position, earlier.keys)
        if position == RULE:
            return earlier.rows
        index = bisect_left(self._heads, position)
        if index:
            group = self._groups.get(self._heads[index - 1])
            index -= group is not None and group.last >= position
        return self._first_row + index

    def shown(self) -> list[LogEntry]:
        """The entries that match the filter, without the earlier ones."""
        return [entry for entry in self.entries if self._matches(entry)]

    @property
    def shown_count(self) -> int:
        return len(self._heads) + sum(group.size - 1 for group in self._groups.values())

    def _matches(self, entry: LogEntry) -> bool:
        return (self.everywhere or not entry.workspace) and self.filter.matches(entry)

    def _append(self, position: int, entry: LogEntry) -> None:
        """Show an entry in a row after all others, or in the last one."""
        if self._heads and self.folds and entry.fold_key is not None:
            head = self._heads[-1]
            group = self._groups.get(head)
            last = self.entries[(group.last if group else head) - self.dropped]
            if (last.fold_key, last.workspace) == (entry.fold_key, entry.workspace):
                times = [each.duration_ms for each in (last, entry) if each.duration_ms is not None]
                if group is not None:
                    times += (group.least_ms, group.most_ms)
                count = group.size + 1 if group else 2
                least, most = min(times, default=0.0), max(times, default=0.0)
                self._groups[head] = Group(position, count, least, most)
                self._changed.add(head)
                return
        self._heads.append(position)

    def _rebuild(self, first: int, last: int, start: int) -> None:
        """Make the rows from `first` to before `last` again, from the entry at `start` on.

        They may join the row before, whose own entries, which may be thousands, are not read.
        """
        is_last = last >= len(self._heads)
        end = self.end if is_last else self._heads[last]
        after, known = self._heads[last:], self._heads[first:last]
        del self._heads[first:]
        groups = {head: self._groups.pop(head, None) for head in known}
        kept, self._heads = self._heads[:-1], self._heads[-1:]
        for position in range(start, end):
            entry = self.entries[position - self.dropped]
            if self._matches(entry):
                self._append(position, entry)
        self._changed.update(head for head in groups if groups[head] is not None)
        self._heads = [*kept, *self._heads, *after]
