"""Writes the history. What fails here costs history, never a request."""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import IntEnum
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import psutil

from pwtui import __version__
from pwtui.history.database import open_history, put_aside

log = logging.getLogger(__name__)

INLINE_BYTES = 8 * 1024
"""A longer response is stored as a content: once if it repeats, and compressed later."""
REOPEN_SECONDS = 5.0
MAX_NAMES = 10_000
MAX_URL = 2000
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class State(IntEnum):
    RUNNING = 0
    OK = 1
    FAILED = 2
    UNFINISHED = 3
    """The daemon was killed, or its machine stopped, while it ran."""


class Content(IntEnum):
    RESPONSE = 0
    TREE = 1
    PICTURE = 2


class Packing(IntEnum):
    """How a content is stored."""

    NOT_YET = 0
    AS_IT_IS = 1
    COMPRESSED = 2


class Started(NamedTuple):
    """A request; `request` is its envelope, masked, or None if only metadata is kept."""

    seq: int
    time: float
    effect: int
    op: str
    client: str
    pid: int | None
    workspace: str
    profile: str
    request: str | None


class Finished(NamedTuple):
    """Its end; both envelopes are masked, and None if only metadata is kept."""

    ms: float
    ok: bool
    code: str | None = None
    url: str | None = None
    session: str | None = None
    request: str | None = None
    response: str | None = None


class Observed(NamedTuple):
    """An event of a session, masked, as JSON."""

    time: float
    kind: str
    workspace: str
    profile: str
    session: str
    data: str


class HistoryWriter:
    """The connection of a daemon. Every method returns soon, and none raises."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = Lock()
        """Held for each transaction of this process, so that none waits for a busy file."""
        self.problem: str | None = None
        """Why nothing is recorded at the moment."""
        self.lost = 0
        """Requests that could not be recorded."""
        self._connection: sqlite3.Connection | None = None
        self._opened_at = 0.0
        self._run = 0
        self.next_id = 1
        self._names: dict[str, int] = {}

    def open(self) -> None:
        """Continue the history; what a killed daemon left running is marked as unfinished."""
        self._opened_at = time.monotonic()
        try:
            self._connection = connection = open_history(self.path)
            self._names.clear()
            with self._transaction(connection):
                new = connection.execute(
                    "insert into runs(pid, started, version) values(?, ?, ?)",
                    (os.getpid(), time.time(), __version__),
                )
                self._run = new.lastrowid or 0
                _mark_unfinished(connection)
            self._read_next_id(connection)
        except (OSError, sqlite3.Error) as error:
            self._failed(error)
        else:
            self._succeeded()

    def close(self) -> None:
        with self.lock:
            if self._connection is not None:
                with suppress(sqlite3.Error):
                    self._connection.close()
            self._connection = None

    def new_id(self) -> int:
        """The number of a request that starts now; numbers grow with the time of the start."""
        self.next_id += 1
        return self.next_id - 1

    def begin(self, id: int, started: Started) -> int | None:
        """Record that a request starts; returns its number, or None if that failed."""
        return self._write(lambda to: self._insert(to, id, started, State.RUNNING))

    def finish(self, id: int, finished: Finished) -> None:
        """Record the end of a request that began."""

        def write(to: sqlite3.Connection) -> bool:
            to.execute(
                "update requests set ms = ?, state = ?, session = ?, code = ?, url = ? "
                "where id = ?",
                (*self._end_of(to, finished), id),
            )
            if finished.request is not None:
                response, content = self._placed(to, finished.response)
                to.execute(
                    "update bodies set request = ?, response = ?, content = ? where id = ?",
                    (finished.request, response, content, id),
                )
            return True

        if self._write(write) is None:
            self.lost += 1

    def add(self, id: int, started: Started, finished: Finished) -> int | None:
        """Record a request that has finished; returns its number."""
        state = State.OK if finished.ok else State.FAILED
        started = started._replace(request=finished.request)
        number = self._write(lambda to: self._insert(to, id, started, state, finished))
        if number is None:
            self.lost += 1
        return number

    def add_events(self, events: Sequence[Observed]) -> None:
        def write(to: sqlite3.Connection) -> bool:
            rows = [
                (event.time, *(self._name(to, each) for each in event[1:5]), event.data)
                for event in events
            ]
            to.executemany(
                "insert into events(time, kind, workspace, profile, session, data) "
                "values(?, ?, ?, ?, ?, ?)",
                rows,
            )
            return True

        self._write(write)

    def add_look(self, id: int, tree: str | None, picture: bytes | None) -> None:
        """Record how the page looked after a request."""

        def write(to: sqlite3.Connection) -> bool:
            text = tree.encode("utf-8", "replace") if tree else None
            shown = text and self._content(to, Content.TREE, text)
            seen = picture and self._content(to, Content.PICTURE, picture)
            to.execute(
                "update requests set tree = coalesce(?, tree), picture = coalesce(?, picture) "
                "where id = ?",
                (shown or None, seen or None, id),
            )
            return True

        self._write(write)

    def is_current(self) -> bool:
        """Whether the open file is still the one of that name; a user may have removed it."""
        if self._connection is None:
            return False
        with suppress(OSError, sqlite3.Error):
            (_, _, name) = self._connection.execute("pragma database_list").fetchone()
            return Path(name).exists()
        return False

    def reopen(self) -> None:
        self.close()
        self.open()

    def _insert(
        self,
        to: sqlite3.Connection,
        id: int,
        started: Started,
        state: State,
        finished: Finished | None = None,
    ) -> int:
        names = (started.op, started.client, started.workspace, started.profile)
        op, client, workspace, profile = (self._name(to, each) for each in names)
        ms, session, code, url = None, None, None, None
        if finished is not None:
            ms, _, session, code, url = self._end_of(to, finished)
        start = (self._run, started.seq, started.time, ms, state, started.effect, op, client)
        row = (*start, started.pid, workspace, profile, session, code, url)
        insert = (
            "insert into requests(id, run, seq, time, ms, state, effect, op, client, pid, "
            "workspace, profile, session, code, url) "
            "values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        try:
            to.execute(insert, (id, *row))
        except sqlite3.IntegrityError:  # another daemon writes, too
            self._read_next_id(to)
            id = self.new_id()
            to.execute(insert, (id, *row))
        if started.request is not None:
            response, content = self._placed(to, finished.response if finished else None)
            to.execute(
                "insert into bodies(id, request, response, content) values(?, ?, ?, ?)",
                (id, started.request, response, content),
            )
        return id

    def _end_of(
        self, to: sqlite3.Connection, finished: Finished
    ) -> tuple[float, State, int | None, int | None, str | None]:
        state = State.OK if finished.ok else State.FAILED
        names = (finished.session, finished.code)
        session, code = (self._name(to, each) if each else None for each in names)
        return (finished.ms, state, session, code, finished.url and finished.url[:MAX_URL])

    def _placed(
        self, to: sqlite3.Connection, response: str | None
    ) -> tuple[str | None, int | None]:
        """The response where it is short, else the number of its content."""
        if response is None or len(response) <= INLINE_BYTES:
            return response, None
        return None, self._content(to, Content.RESPONSE, response.encode("utf-8", "replace"))

    def _content(self, to: sqlite3.Connection, kind: Content, data: bytes) -> int:
        """The number of a content, which is stored once."""
        hash = hashlib.blake2b(data, digest_size=16, person=kind.name.encode()).digest()
        found = to.execute("select id from contents where hash = ?", (hash,)).fetchone()
        if found is not None:
            return int(found[0])
        is_packed = kind is Content.PICTURE
        packing = Packing.AS_IT_IS if is_packed else Packing.NOT_YET
        new = to.execute(
            "insert into contents(hash, kind, packed, time, data) values(?, ?, ?, ?, ?)",
            (hash, kind, packing, time.time(), data),
        )
        return new.lastrowid or 0

    def _name(self, to: sqlite3.Connection, text: str) -> int:
        known = self._names.get(text)
        if known is not None:
            return known
        found = to.execute("select id from names where text = ?", (text,)).fetchone()
        if found is not None:
            number = int(found[0])
        else:
            number = to.execute("insert into names(text) values(?)", (text,)).lastrowid or 0
        if len(self._names) > MAX_NAMES:
            self._names.clear()
        self._names[text] = number
        return number

    def _read_next_id(self, connection: sqlite3.Connection) -> None:
        (last,) = connection.execute("select max(id) from requests").fetchone()
        self.next_id = max(self.next_id, (last or 0) + 1)

    def _write(self, work: Callable[[sqlite3.Connection], int]) -> int | None:
        """Run a transaction; None if it failed."""
        connection = self._connection
        if connection is None:
            if time.monotonic() - self._opened_at < REOPEN_SECONDS:
                return None
            self.open()
            if (connection := self._connection) is None:
                return None
        try:
            with self.lock, self._transaction(connection):
                result = work(connection)
        except sqlite3.Error as error:
            self._names.clear()  # some may have been rolled back
            self._failed(error)
            return None
        if self.problem is not None:
            self._succeeded()
        return result

    @contextmanager
    def _transaction(self, connection: sqlite3.Connection) -> Iterator[None]:
        connection.execute("begin immediate")
        try:
            yield
            connection.execute("commit")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("rollback")
            raise

    def _failed(self, error: Exception) -> None:
        if self.problem is None:
            log.warning("the history is not recorded: %s", error)
        self.problem = str(error)
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _CORRUPT:
            self.close()
            with suppress(OSError):
                put_aside(self.path, str(error))
            self._opened_at = 0.0  # open another at once

    def _succeeded(self) -> None:
        if self.problem is not None:
            log.warning("the history is recorded again; %d requests are missing", self.lost)
        self.problem = None


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
