"""Journals: one line per request and response, flushed immediately so that a crash loses none."""

from __future__ import annotations

import errno
import json
import os
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from pwtui.state.files import PRIVATE_FILE
from pwtui.state.workspace import Workspace


class Journal:
    """An open journal file."""

    def __init__(self, path: Path) -> None:
        """Raises FileExistsError."""
        self.path = path
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        self._file = os.fdopen(descriptor, "w", encoding="utf-8", errors="replace")

    @classmethod
    def start(cls, workspace: Workspace) -> Journal:
        folder = workspace.state_dir / "recordings"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        first = name = f"session-{time.strftime('%Y%m%dT%H%M%S')}"
        numbers = count(2)
        while True:
            with suppress(FileExistsError):  # of another panel
                return cls(folder / f"{name}.ndjson")
            name = f"{first}-{next(numbers)}"

    def write(self, record: dict[str, Any]) -> None:
        if not os.fstat(self._file.fileno()).st_nlink:
            raise FileNotFoundError(errno.ENOENT, "the file was deleted")
        self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()
