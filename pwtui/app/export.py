"""Exporting what was done: NDJSON that `pw batch` replays, or requests with their responses."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pwtui.recordings.model import replayable, with_variables
from pwtui.state.files import write_atomic
from pwtui.widgets.log_entry import LogEntry

ExportKind = Literal["requests", "pairs"]


def export_lines(entries: Iterable[LogEntry], kind: ExportKind) -> list[str]:
    """One JSON line for each entry that was answered."""
    lines = []
    for number, entry in enumerate(entries, 1):
        request, response = entry.request, entry.response
        if response is None or entry.is_event:
            continue
        record: dict[str, Any] = replayable(request, response)
        record["input"] = with_variables(record["input"], number)
        if kind == "pairs":
            record = {"request": request, "response": response, "time": entry.time}
        lines.append(json.dumps(record, ensure_ascii=False))
    return lines


def write_export(path: Path, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    write_atomic(path, text.encode("utf-8", "replace"), private=True)
