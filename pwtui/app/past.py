"""Shows how the page was at an entry of the log, as the history has it."""

from __future__ import annotations

import asyncio
from collections import Counter

from pwtui.app.store import PastView, Store
from pwtui.widgets.log_entry import LogEntry

REST_SECONDS = 0.4
"""The cursor of the log rests on an entry for so long before the page of that time is shown."""


class PastKeeper:
    """Reads one moment at a time; a newer wish replaces an older one."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._task: asyncio.Task[None] | None = None
        self._wanted: LogEntry | None = None

    @property
    def is_wanted(self) -> bool:
        """Whether the past is shown, or soon will be."""
        return self._wanted is not None

    def show(self, entry: LogEntry, *, after: float = 0.0) -> None:
        """Show the moment after an entry, soon."""
        if self._wanted is not entry:
            self._cancel()
            self._wanted = entry
            self._task = asyncio.create_task(self._show(entry, after))

    def leave(self) -> bool:
        """Return to now; whether the past was shown."""
        self._cancel()
        was_past = self._store.past is not None
        self._store.set_past(None)
        return was_past

    def _cancel(self) -> None:
        self._wanted = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _show(self, entry: LogEntry, after: float) -> None:
        await asyncio.sleep(after)
        from pwtui.app.past_reader import read_moment  # the first paint does not need it

        self._store.set_past(await asyncio.to_thread(read_moment, entry, self._store.workspace))


def described(past: PastView) -> str:
    """The moment in one line, and what its request changed."""
    entry = past.entry
    parts = []  # what changed comes first: the line may be cut
    if past.before is not None and past.snapshot.tree is not None and past.is_exact:
        before = Counter(node.source for node in past.before.nodes)
        after = Counter(node.source for node in past.snapshot.tree.nodes)
        added, removed = (after - before).total(), (before - after).total()
        parts.append(f"tree +{added} -{removed}" if added or removed else "same tree")
    elif past.snapshot.tree is not None:
        parts.append("latest tree before it")
    return " · ".join([*parts, " ".join(filter(None, (entry.op, entry.target, entry.outcome)))])
