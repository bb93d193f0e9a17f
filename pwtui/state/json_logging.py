"""Logs of background processes: one JSON object per line, in rotated files."""

from __future__ import annotations

import json
import logging
import sys
import time
from io import TextIOWrapper
from pathlib import Path

from pwtui.protocol.secrets import mask_text, masked
from pwtui.state.files import keep_private

MAX_BYTES = 2_000_000
KEPT_FILES = 3


class JsonLines(logging.Formatter):
    """Formats a record as one JSON object, with secrets masked."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(record.created)),
            "level": record.levelname.lower(),
            "source": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["trace"] = self.formatException(record.exc_info)
        return json.dumps(masked(entry), ensure_ascii=False)


class MaskedLines(logging.Formatter):
    """Formats a record as a plain line, with secrets masked."""

    def format(self, record: logging.LogRecord) -> str:
        return mask_text(super().format(record))


def rotating_file(path: Path) -> logging.Handler:
    """A log file that only the user can read, as are those that follow it."""
    from logging.handlers import RotatingFileHandler  # most commands open no log

    class PrivateFile(RotatingFileHandler):
        def _open(self) -> TextIOWrapper:
            keep_private(path)
            return super()._open()

    return PrivateFile(path, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8")


def log_beside_daemon(path: Path) -> None:
    """Append this process's log to the daemon's file, which the daemon rotates."""
    from logging.handlers import WatchedFileHandler

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = WatchedFileHandler(path, encoding="utf-8")
    file.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers = [file]
    root.setLevel(logging.WARNING)


def log_to(path: Path, *, to_terminal: bool) -> None:
    """Write the log of this process to a file, and also to the terminal if requested."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = rotating_file(path)
    file.setFormatter(JsonLines())
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    root.addHandler(file)
    if to_terminal:
        terminal = logging.StreamHandler(sys.stderr)
        terminal.setFormatter(MaskedLines())
        root.addHandler(terminal)
