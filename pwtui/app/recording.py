"""Recordings, and exports of the log."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from pwtui.app.store import Store
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Request
from pwtui.protocol.secrets import mask_input
from pwtui.state.files import write_atomic
from pwtui.state.journal import Journal
from pwtui.state.workspace import Workspace
from pwtui.widgets.log_entry import LogEntry

ExportKind = Literal["requests", "pairs"]


class PanelRecorder:
    """Writes log entries to a journal while a recording is running."""

    def __init__(self, workspace: Workspace, store: Store) -> None:
        self._workspace = workspace
        self._store = store
        self._journal: Journal | None = None

    def start(self) -> Path:
        return self._started().path

    def stop(self) -> Path | None:
        journal, self._journal = self._journal, None
        if journal is None:
            return None
        with suppress(OSError):  # the disk may be full
            journal.close()
        self._store.set_recording(None)
        return journal.path

    def write(self, entry: LogEntry) -> None:
        if self._journal is not None and entry.recorded:
            self._write(self._journal, _pair(entry))

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


def export(path: Path, entries: Iterable[LogEntry], kind: ExportKind) -> int:
    """Write finished entries as NDJSON, for `pw batch` or with responses; returns their number."""
    # Loads the catalog, which the first paint does not need.
    from pwtui.recordings.model import replayable, with_variables

    lines = []
    for number, entry in enumerate(entries, 1):
        response = entry.response
        if response is None or entry.is_event:
            continue
        record = _pair(entry)
        if kind == "requests":
            record = replayable(entry.request, response)
            record["input"] = with_variables(record["input"], number)
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    write_atomic(path, "".join(lines).encode("utf-8", "replace"), private=True)
    return len(lines)


def _pair(entry: LogEntry) -> dict[str, Any]:
    return {"request": entry.request, "response": entry.response, "time": entry.time}
