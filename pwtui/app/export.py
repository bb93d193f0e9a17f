"""Exporting what was done: NDJSON that `pw batch` replays, or requests with their responses."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pwtui.state.files import write_atomic
from widgets.log_entries import LogEntry

ExportKind = Literal["requests", "pairs"]


def replayable(request: dict[str, Any], response: dict[str, Any] | None) -> dict[str, Any]:
    """The request as another browser can carry it out: its ref becomes the durable locator."""
    wire = {key: value for key, value in request.items() if key != "requestId"}
    input = dict(wire.get("input") or {})
    selector = ((response or {}).get("inputs") or {}).get("selector")
    if "ref" in input and selector:
        del input["ref"]
        input["selector"] = selector
    wire["input"] = input
    return wire


def export_lines(entries: Iterable[LogEntry], kind: ExportKind) -> list[str]:
    """One JSON line for each entry that was answered."""
    lines = []
    for entry in entries:
        if entry.response is None:
            continue
        record: dict[str, Any] = replayable(entry.request, entry.response)
        if kind == "pairs":
            record = {"request": entry.request, "response": entry.response, "time": entry.time}
        lines.append(json.dumps(record, ensure_ascii=False))
    return lines


def write_export(path: Path, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    write_atomic(path, text.encode("utf-8", "replace"), private=True, own_folder=False)
