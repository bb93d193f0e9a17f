"""Recordings of the panel."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pwtui.app.store import Store
from pwtui.protocol.catalog import catalog
from pwtui.protocol.secrets import mask_input
from pwtui.state.journal import Journal
from pwtui.state.workspace import Workspace
from pwtui.widgets.log_entry import LogEntry

if TYPE_CHECKING:
    from pwtui.protocol.envelope import Request


class PanelRecorder:
    """Writes log entries to a journal while a recording is running."""

    def __init__(self, workspace: Workspace, store: Store) -> None:
        self._workspace = workspace
        self._store = store
        self._journal: Journal | None = None
        self.started_at: float | None = None

    def start(self) -> Path:
        return self._started().path

    def stop(self) -> Path | None:
        journal, self._journal = self._journal, None
        if journal is None:
            return None
        with suppress(OSError):  # the disk may be full
            journal.close()
        self._store.set_recording(None)
        from pwtui.history.spans import Span, add_span  # the first paint does not need it

        started_at, self.started_at = self.started_at or 0.0, None
        add_span(Span(str(journal.path), self._store.workspace, started_at, time.time()))
        return journal.path

    def write(self, entry: LogEntry) -> None:
        if self._journal is not None and entry.recorded:
            self._write(self._journal, pair(entry))

    def catch_up(self, missed: Iterable[LogEntry]) -> None:
        """Write what others did since the start while the panel was not connected."""
        for entry in missed:
            is_since = self.started_at is not None and entry.time >= self.started_at
            entry.recorded = is_since and not entry.pending
            self.write(entry)

    def add(self, request: Request) -> None:
        """Record a request without sending it; secrets are masked."""
        from pwtui.recordings.model import with_variables

        journal = self._started()
        info = catalog().get(request.op)
        input = mask_input(request.input, info.input) if info else request.input
        hidden = with_variables(input, self._store.recorded + 1)
        shown = {**request.to_wire(), "input": hidden}
        self._write(journal, {"request": shown, "time": time.time()})

    def _started(self) -> Journal:
        if self._journal is None:
            self._journal = Journal.start(self._workspace)
            self.started_at = time.time()
            self._store.set_recording(str(self._journal.path))
        return self._journal

    def _write(self, journal: Journal, record: dict[str, Any]) -> None:
        try:
            journal.write(record)
        except OSError as error:
            self.stop()
            cause = error.strerror or error
            self._store.notices.add(f"the recording stopped: {cause} ({journal.path})")
        else:
            self._store.count_recorded()


def pair(entry: LogEntry) -> dict[str, Any]:
    return {"request": entry.request, "response": entry.response, "time": entry.time}
