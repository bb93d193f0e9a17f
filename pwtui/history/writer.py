"""Writes the history. What fails here costs history, never a request."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import psutil

from pwtui import __version__
from pwtui.history.database import open_history, put_aside
from pwtui.history.spool import Spool
from pwtui.history.tables import Finished, Number, Observed, Started, State, Tables

log = logging.getLogger(__name__)

REOPEN_SECONDS = 5.0
Part = Literal["spool", "database"]
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class HistoryWriter:
    """The history of a daemon. Every method returns soon, and none raises.

    Requests are appended to a spool; `take_over` writes them to the database, as does each reader
    of the history. It and `add_events` may run in another thread.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = Lock()
        """Held for each transaction of this process, so that none waits for a busy file."""
        self.lost = 0
        """Requests that could not be recorded."""
        self._problems: dict[Part, str] = {}
        self._is_corrupt = False
        self._connection: sqlite3.Connection | None = None
        self._tables: Tables | None = None
        self._file: os.stat_result | None = None
        self._spool: Spool | None = None
        self._opened_at = 0.0
        self._next_id = 1
        self._last_id = 0
        """The number of the last request in the database, which other daemons may have added."""

    def open(self) -> None:
        """Continue the history; what a killed daemon left running is marked as unfinished."""
        self._opened_at = time.monotonic()
        self._close_tables()  # of an attempt that failed
        try:
            try:
                run = self._open_tables()
            except sqlite3.Error as error:
                if not _is_corrupt(error):
                    raise
                self._close_tables()
                put_aside(self.path, str(error))
                run = self._open_tables()
            self._spool = Spool(self.path, run)
        except (OSError, sqlite3.Error) as error:
            self._failed("spool", error)
        else:
            self._is_corrupt = False
            self._succeeded("spool")
            self._succeeded("database")

    def close(self) -> None:
        if self._close_spool():
            self.take_over()
        self._close_tables()

    @property
    def problem(self) -> str | None:
        """Why the history is not complete at the moment."""
        return next(iter(self._problems.values()), None)

    @property
    def next_id(self) -> int:
        return max(self._next_id, self._last_id + 1)

    def new_number(self, seq: int) -> Number:
        """The number of a request that starts now; numbers grow with the time of the start."""
        number = Number(self.next_id, seq)
        self._next_id = number.id + 1
        return number

    def begin(self, number: Number, started: Started, request: bytes | None) -> bool:
        """Record that a request starts; whether that succeeded.

        Envelopes are masked, and None if only metadata is kept.
        """
        return self._append(["begin", number, started], request)

    def finish(
        self, number: Number, finished: Finished, request: bytes | None, response: bytes | None
    ) -> None:
        """Record the end of a request that began."""
        self.lost += not self._append(["end", number, finished], request, response)

    def add(
        self,
        number: Number,
        started: Started,
        finished: Finished,
        request: bytes | None,
        response: bytes | None,
    ) -> None:
        """Record a request that has finished."""
        self.lost += not self._append(["add", number, started, finished], request, response)

    def add_look(self, number: Number, tree: bytes | None, picture: bytes | None) -> None:
        """Record how the page looked after a request."""
        self._append(["look", number], tree, picture)

    def add_events(self, events: Sequence[Observed]) -> None:
        self._write(lambda tables: tables.add_events(events))

    def take_over(self) -> None:
        """Write the requests of the spools to the database."""
        self._write(lambda tables: tables.take_over(self.path))

    def is_current(self) -> bool:
        """Whether the open file can be used, and is still the one of that name."""
        if self._connection is None or self._is_corrupt:
            return False
        with suppress(OSError):
            return self._file is not None and os.path.samestat(self._file, self.path.stat())
        return False

    def reopen(self) -> None:
        """Continue in the file of that name, which gets what is in the spool."""
        self._close_spool()
        self._close_tables()
        self.open()

    def _open_tables(self) -> int:
        """Returns the number of this run. Raises OSError or sqlite3.Error."""
        self._connection = connection = open_history(self.path)
        self._file = self.path.stat()
        tables = self._tables = Tables(connection)
        tables.take_over(self.path)
        with tables.transaction():
            new = connection.execute(
                "insert into runs(pid, started, version) values(?, ?, ?)",
                (os.getpid(), time.time(), __version__),
            )
            _mark_unfinished(connection)
        self._last_id = tables.last_id
        return new.lastrowid or 0

    def _close_spool(self) -> bool:
        spool, self._spool = self._spool, None
        if spool is not None:
            spool.close()
        return spool is not None

    def _close_tables(self) -> None:
        with self.lock:
            if self._connection is not None:
                with suppress(sqlite3.Error):
                    self._connection.close()
            self._connection = self._tables = None

    def _append(self, facts: list[Any], *parts: bytes | None) -> bool:
        if self._spool is None:
            if time.monotonic() - self._opened_at > REOPEN_SECONDS:
                self.open()
            if self._spool is None:
                return False
        try:
            self._spool.append(facts, *parts)
        except OSError as error:
            self._failed("spool", error)
            return False
        if "spool" in self._problems:
            self._succeeded("spool")
        return True

    def _write(self, work: Callable[[Tables], None]) -> None:
        with self.lock:
            if self._tables is None:
                return
            try:
                work(self._tables)
                self._last_id = self._tables.last_id
            except sqlite3.Error as error:
                self._is_corrupt = _is_corrupt(error)
                self._failed("database", error)
            else:
                self._succeeded("database")

    def _failed(self, part: Part, error: Exception) -> None:
        if part not in self._problems:
            log.warning("the history is not written to its %s: %s", part, error)
        self._problems[part] = str(error)

    def _succeeded(self, part: Part) -> None:
        if self._problems.pop(part, None) is not None:
            log.warning(
                "the history is written to its %s again; %d requests are missing", part, self.lost
            )


def _is_corrupt(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _CORRUPT


def _mark_unfinished(connection: sqlite3.Connection) -> None:
    """Mark the requests that daemons left which have ended."""
    runs = connection.execute(
        "select distinct runs.id, pid, started from runs join "
        "(select distinct run from requests where state = 0) on run = runs.id"
    ).fetchall()
    for run, pid, started in runs:
        if not _is_running(pid, started):
            connection.execute(
                "update requests set state = ? where run = ? and state = 0",
                (State.UNFINISHED, run),
            )


def _is_running(pid: int, started: float) -> bool:
    if pid == os.getpid():
        return False
    with suppress(psutil.Error):
        return bool(psutil.Process(pid).create_time() <= started)
    return False
