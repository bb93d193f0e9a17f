"""What was recorded, appended to a file, until it is in the database.

A record is one write, which takes a tenth of the time of a transaction. It survives the end of the
process. One that was not written to its end is ignored: no request has relied on it.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from pwtui.state.files import PRIVATE_FILE

log = logging.getLogger(__name__)

LONG_BYTES = 4 * 1024 * 1024
"""From this size on, the records continue in another file, and this one is removed."""
MAX_FILES = 16
"""With more, nothing is appended: the database cannot be written."""


class Record(NamedTuple):
    """Some facts that JSON can hold, and texts or pictures."""

    facts: list[Any]
    parts: tuple[bytes | None, ...]


class Spool:
    """The file to which a daemon appends; locked, so that others know that it is in use."""

    def __init__(self, database: Path, run: int) -> None:
        """Raises OSError, for example when another daemon uses the number of the run."""
        self._database, self._run, self._number = database, run, 0
        self._open()

    def append(self, facts: list[Any], *parts: bytes | None) -> None:
        """Raises OSError."""
        if self.size > LONG_BYTES:
            self._continue()
        text = json.dumps(facts).encode()
        sizes = " ".join([str(-1 if each is None else len(each)) for each in (text, *parts)])
        data = b"".join((sizes.encode(), b"\n", text, *filter(None, parts)))
        if (written := os.write(self._file, data)) < len(data):
            os.ftruncate(self._file, self.size)
            raise OSError(f"only {written} of {len(data)} bytes were written")
        self.size += written

    def close(self) -> None:
        os.close(self._file)

    def _continue(self) -> None:
        """Use a new file, so that the one before can be removed."""
        if len(spools(self._database)) > MAX_FILES:
            raise OSError("the database of the history cannot be written")
        before = self._file
        self._number += 1
        self._open()
        os.close(before)

    def _open(self) -> None:
        path = self._database.with_name(f"{self._database.name}-run-{self._run}-{self._number}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        while True:
            file = os.open(path, flags, PRIVATE_FILE)
            fcntl.flock(file, fcntl.LOCK_SH)  # waits for one who is about to remove it
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file), path.stat()):
                    break
            os.close(file)  # it was removed before it was locked
        self._file, self.size = file, 0


def spools(database: Path) -> list[tuple[Path, int]]:
    """The files in the order of their records, each with its run of a daemon."""
    found = []
    for path in database.parent.glob(f"{database.name}-run-*-*"):
        run, _, number = path.name.removeprefix(f"{database.name}-run-").partition("-")
        if run.isdecimal() and number.isdecimal():
            found.append((int(run), int(number), path))
    return [(path, run) for run, _, path in sorted(found)]


def read_records(path: Path, start: int) -> Iterator[tuple[Record, int]]:
    """The records from a position on, each with its end; none after one that is damaged."""
    with path.open("rb") as file:
        file.seek(start)
        data = file.read()
    at = 0
    while (line_end := data.find(b"\n", at)) >= 0:
        parts: list[bytes | None] = []
        begin = line_end + 1
        try:
            for size in map(int, data[at:line_end].split()):
                parts.append(data[begin : begin + size] if size >= 0 else None)
                begin += max(size, 0)
            if begin > len(data):
                return
            record = Record(json.loads(parts[0] or b""), tuple(parts[1:]))
        except (ValueError, IndexError) as error:
            log.warning("%s is damaged at byte %d: %s", path, start + at, error)
            return
        at = begin
        yield record, start + at


@contextmanager
def reserved(path: Path) -> Iterator[bool]:
    """Whether no daemon appends to a file; if so, none begins to. Raises OSError."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        is_free = True
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            is_free = False
        yield is_free
    finally:
        os.close(file)
