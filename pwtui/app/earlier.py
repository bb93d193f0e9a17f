"""The requests of the history, as entries before those that the panel has seen itself."""

from __future__ import annotations

import asyncio
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from operator import neg
from typing import TYPE_CHECKING, Any

from pwtui.widgets.log_entry import LogEntry
from pwtui.widgets.log_filter import LogFilter
from pwtui.widgets.log_store import Group

if TYPE_CHECKING:
    from pwtui.app.earlier_rows import EarlierRows

OFFSET = 2**62
"""The position of an entry is its number minus this: before all of the panel's own."""
FIRST_PART, PART = 2_000, 50_000
"""The numbers of the history that are read at once, from the newest on."""
KEPT_ENTRIES = 2_000


class EarlierLog:
    """Knows the numbers of all matching entries, and reads an entry when it is shown."""

    def __init__(self, workspace: str, client: str) -> None:
        self.on_change: Callable[[], None] | None = None
        self.is_reading = False
        self.total = 0
        self.people: set[tuple[str, str]] = set()
        self.marked: set[int] = set()
        self.recent: dict[int, int] = {}
        """The numbers of the daemon's latest requests, by the daemon's own count."""
        self._place = (workspace, client)
        self._text, self._filter = "", LogFilter()
        self._folds = True
        self._everywhere = False
        # Of each row: the number of its last entry, and how many it has; the newest first.
        self._ids, self._counts = array("q"), array("q")
        self._order = ""
        self.keys: Sequence[Any] = ()
        """If they are sorted: the key of each row, the first one first, as `_ids`."""
        self._end = 0
        """Later entries of the history are in the panel's own log."""
        self._moves_end = True
        self._until: float | None = None
        self._first_seen: int | None = None
        self._wanted = asyncio.Event()
        self._generation = 0
        self._entries: dict[int, tuple[LogEntry, Group | None]] = {}

    @cached_property
    def _history(self) -> EarlierRows:
        from pwtui.app.earlier_rows import EarlierRows  # the first paint does not need it

        return EarlierRows(*self._place)

    def close(self) -> None:
        if "_history" in vars(self):
            self._history.close()

    # -- rows --------------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        return len(self._ids)

    def entry(self, row: int) -> LogEntry:
        return self._shown(row)[0]

    def group(self, row: int) -> Group | None:
        return self._shown(row)[1]

    def position(self, row: int) -> int:
        return self._ids[self._index(row)] - OFFSET

    def _index(self, row: int) -> int:
        return row if self._order else -1 - row

    def row_of(self, position: int) -> int:
        if self._order:
            with suppress(ValueError):
                return self._ids.index(position + OFFSET)
            return self.rows
        return self.rows - bisect_right(self._ids, -(position + OFFSET), key=neg)

    def selection(self, seqs: set[int]) -> list[LogEntry]:
        found = (self._history.read(-seq) for seq in sorted(seqs, reverse=True) if seq < 0)
        return [entry for entry in found if entry is not None]

    def all_matching(self, text: str, *, everywhere: bool = False) -> list[LogEntry]:
        """All entries of the history that match, up to the first one of the panel's own log;
        with a time or a recording, those, too. For a thread."""
        return self._history.matching(
            text, None if _is_span(text) else self._end, everywhere=everywhere
        )

    def narrow(self, text: str, *, folds: bool, everywhere: bool) -> None:
        self._text, self._filter = text, LogFilter(text)
        self._folds, self._everywhere = folds, everywhere
        self._generation += 1
        self._entries.clear()
        self._wanted.set()
        if self._end:
            self.is_reading = True
            self._history.interrupt()

    def sort(self, order: str) -> None:
        self._order = order
        self._ids, self._counts, self.keys, self.total = array("q"), array("q"), (), 0
        self.narrow(self._text, folds=self._folds, everywhere=self._everywhere)

    def mark(self, entry: LogEntry) -> None:
        self.marked ^= {-entry.seq}

    def _shown(self, row: int) -> tuple[LogEntry, Group | None]:
        index = self._index(row)
        id, count = self._ids[index], self._counts[index]
        shown = self._entries.get(id)
        if shown is None:
            while len(self._entries) >= KEPT_ENTRIES:
                del self._entries[next(iter(self._entries))]
            entry = self._history.read(id) or _deleted(id)
            entry.mark = id in self.marked
            group = None
            if count > 1:
                group = Group(id - OFFSET, count, *self._history.times(id, count))
            shown = self._entries[id] = (entry, group)
        return shown

    # -- what is earlier ---------------------------------------------------------------------------

    def started(self, seq: int) -> None:
        """The daemon reported a request: from this one on, they are in the panel's own log."""
        self._first_seen = seq if self._first_seen is None else self._first_seen

    def refresh(self, seq: int | str) -> bool:
        """Read a request again that has finished; whether it is an earlier one."""
        id = self.recent.get(seq) if isinstance(seq, int) else None
        if id is None or id > self._end:
            return False
        self._entries.pop(id, None)
        self._changed()
        return True

    def connected(self) -> None:
        """What the daemon did until now is earlier."""
        self._moves_end = True
        self._wanted.set()

    def disconnected(self) -> None:
        self.recent, self._first_seen = {}, None

    def extend(self, until: float) -> None:
        self._until, self._moves_end = until, True
        self._wanted.set()

    async def missed(self, since: float, until: float, known: Iterable[int]) -> list[LogEntry]:
        """The requests of others that began and ended while no daemon was connected.

        `known` are the daemon's numbers of those that it has reported.
        """
        from pwtui.app.earlier_rows import READ_ERRORS

        with suppress(*READ_ERRORS):
            return await asyncio.to_thread(self._history.missed, since, until, known)
        return []

    # -- reading -----------------------------------------------------------------------------------

    async def run(self) -> None:
        """Read the numbers of the matching entries whenever something has changed."""
        from pwtui.app.earlier_rows import READ_ERRORS

        generation = -1
        self._wanted.set()
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            try:
                before = self._end
                if self._moves_end:
                    self._moves_end = False
                    await self._find_end()
                if generation != self._generation:
                    generation = self._generation
                    await self._read_all(generation)
                elif self._end > before:
                    await self._read_new(before, generation)
            except READ_ERRORS:
                pass  # there is no history, it is about to be replaced, or it was interrupted
            self.is_reading = self._wanted.is_set()
            self._changed()

    async def _find_end(self) -> None:
        until = self._until
        end, recent = await asyncio.to_thread(self._history.find_end, until)
        if until is None:
            self.recent = recent
            first = recent.get(self._first_seen or 0)
            end = end if first is None else first - 1
        self._end = max(self._end, end)

    async def _read_all(self, generation: int) -> None:
        """Read from the newest to the oldest, in parts, and show each at once."""
        if self._order:
            await self._read_sorted(generation)
            return
        last, size = self._end, FIRST_PART
        is_first = self.is_reading = True
        while is_first or last > 0:
            ids, counts, last = await self._read_part(max(1, last - size + 1), last)
            if generation != self._generation:
                return
            if is_first:
                self._ids, self._counts, self.total = array("q"), array("q"), 0
            self._ids.extend(ids)
            self._counts.extend(counts)
            self.total += sum(counts)
            is_first, size = False, PART
            self._changed()

    async def _read_sorted(self, generation: int) -> None:
        self.is_reading = True
        ids, keys = await asyncio.to_thread(
            self._history.sorted,
            self._filter.query,
            self._end,
            order=self._order,
            everywhere=self._everywhere,
            with_own=self._until is not None,
            states=self._states,
        )
        if generation == self._generation:
            self._ids, self.keys, self.total = ids, keys, len(ids)
            self._counts = array("q", [1]) * len(ids)

    async def _read_new(self, before: int, generation: int) -> None:
        if self._order:
            await self._read_sorted(generation)
            return
        ids, counts, _ = await self._read_part(before + 1, self._end)
        if generation == self._generation:
            self._ids[0:0], self._counts[0:0] = ids, counts
            self.total += sum(counts)

    async def _read_part(self, first: int, last: int) -> tuple[array[int], array[int], int]:
        """The rows of a part, and the last number before it; 0: there is nothing."""
        (ids, counts), people, lowest = await asyncio.to_thread(
            self._history.part,
            self._filter.query,
            (first, last),
            folds=self._folds,
            everywhere=self._everywhere,
            with_own=self._until is not None,
            states=self._states,
        )
        self.people |= people
        return ids, counts, first - 1 if first > lowest else 0

    @property
    def _states(self) -> dict[str, str]:
        return {"marked": f"requests.id in ({','.join(map(str, self.marked))})"}

    def _changed(self) -> None:
        if self.on_change is not None:
            self.on_change()


def _is_span(text: str) -> bool:
    return text.startswith(("since:", "recording:"))


def _deleted(id: int) -> LogEntry:
    entry = LogEntry.event(-id, 0.0, "", "history", "deleted since", ok=True)
    entry.index()
    return entry
