"""Recordings: one line for each request and response, on disk before anybody can lose it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from pwtui.state.files import PRIVATE_FILE
from pwtui.state.workspace import Workspace


class Journal:
    """An open recording. Every line is handed to the system at once, so a crash loses none."""

    def __init__(self, path: Path, file: TextIO) -> None:
        self.path = path
        self._file = file

    @classmethod
    def start(cls, workspace: Workspace, name: str = "session") -> Journal:
        folder = recordings_folder(workspace)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / f"{name}-{time.strftime('%Y%m%dT%H%M%S')}.ndjson"
        number = 1
        while path.exists():
            number += 1
            path = folder / f"{name}-{time.strftime('%Y%m%dT%H%M%S')}-{number}.ndjson"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        return cls(path, os.fdopen(descriptor, "w", encoding="utf-8", errors="replace"))

    def write(self, record: dict[str, Any]) -> None:
        self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()


def recordings_folder(workspace: Workspace) -> Path:
    return workspace.state_dir / "recordings"


def read_journal(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a recording; a last line that a crash cut short is left out."""
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record
