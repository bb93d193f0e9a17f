"""Writes to the tables of the history: requests with their ends, events, looks at pages."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

from pwtui.history.spool import Record, read_records, reserved, spools

log = logging.getLogger(__name__)

INLINE_BYTES = 8 * 1024
"""A longer response is stored as a content: once if it repeats, and compressed later."""
MAX_NAMES = 10_000
MAX_URL = 2000


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


class Number(NamedTuple):
    """A request of a run: the number that it should have in the history, and that of the daemon."""

    id: int
    seq: int


class Started(NamedTuple):
    """A request."""

    time: float
    effect: int
    op: str
    client: str
    pid: int | None
    workspace: str
    profile: str


class Finished(NamedTuple):
    """Its end."""

    ms: float
    ok: bool
    code: str | None = None
    url: str | None = None
    session: str | None = None


class Observed(NamedTuple):
    """An event of a session, masked, as JSON."""

    time: float
    kind: str
    workspace: str
    profile: str
    session: str
    data: str


class Tables:
    """A connection that writes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._names: dict[str, int] = {}

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._connection.execute("begin immediate")
        try:
            yield
            self._connection.execute("commit")
        except BaseException:
            self._names.clear()  # some may have been rolled back
            with suppress(sqlite3.Error):
                self._connection.execute("rollback")
            raise

    def take_over(self, database: Path) -> None:
        """Write what is in spools, and remove those that no daemon uses any more."""
        for path, run in spools(database):
            with suppress(OSError), reserved(path) as is_free:
                with self.transaction():
                    at = self._mark(path.name)
                    for record, end in read_records(path, at):
                        self._write(run, record)
                        at = end
                    self._set_mark(path.name, at)
                if is_free:
                    path.unlink()
                    self._connection.execute("delete from marks where name = ?", (path.name,))

    def add_events(self, events: Sequence[Observed]) -> None:
        with self.transaction():
            self._connection.executemany(
                "insert into events(time, kind, workspace, profile, session, data) "
                "values(?, ?, ?, ?, ?, ?)",
                [(each.time, *map(self._name, each[1:5]), each.data) for each in events],
            )

    def _write(self, run: int, record: Record) -> None:
        try:
            self._write_known(run, *record)
        except (TypeError, ValueError, sqlite3.InterfaceError, sqlite3.ProgrammingError) as error:
            log.warning("a record of another version of pwtui is left out: %s", error)

    def _write_known(self, run: int, facts: list[Any], parts: tuple[bytes | None, ...]) -> None:
        match facts, parts:
            case ["begin", number, started], (request,):
                id = self._insert(run, Number(*number), Started(*started))
                self._insert_body(id, request, None)
            case ["add", number, started, finished], (request, response):
                id = self._insert(run, Number(*number), Started(*started), Finished(*finished))
                self._insert_body(id, request, response)
            case ["end", number, finished], (request, response):
                self._finish(run, Number(*number), Finished(*finished), request, response)
            case ["look", number], (tree, picture):
                self._look(run, Number(*number), tree, picture)
            case _:
                raise ValueError(repr(facts)[:80])

    def _insert(
        self, run: int, number: Number, started: Started, finished: Finished | None = None
    ) -> int:
        names = (started.op, started.client, started.workspace, started.profile)
        op, client, workspace, profile = map(self._name, names)
        ms, state, session, code, url = (
            self._end_of(finished) if finished is not None else (None, State.RUNNING, *3 * (None,))
        )
        start = (run, number.seq, started.time, ms, state, started.effect, op, client)
        row = (*start, started.pid, workspace, profile, session, code, url)
        insert = (
            "insert into requests(id, run, seq, time, ms, state, effect, op, client, pid, "
            "workspace, profile, session, code, url) "
            "values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        # Texts are indexed in the order of their numbers.
        id = number.id if number.id > self._mark("bodies") else self.last_id + 1
        try:
            self._connection.execute(insert, (id, *row))
        except sqlite3.IntegrityError:  # another daemon writes, too
            id = self.last_id + 1
            self._connection.execute(insert, (id, *row))
        return id

    def _finish(
        self,
        run: int,
        number: Number,
        finished: Finished,
        request: bytes | None,
        response: bytes | None,
    ) -> None:
        id = self._find(run, number)
        self._connection.execute(
            "update requests set ms = ?, state = ?, session = ?, code = ?, url = ? where id = ?",
            (*self._end_of(finished), id),
        )
        if request is not None:
            self._connection.execute(
                "update bodies set request = ?, response = ?, content = ? where id = ?",
                (_text(request), *self._placed(response), id),
            )

    def _look(self, run: int, number: Number, tree: bytes | None, picture: bytes | None) -> None:
        shown = tree and self._content(Content.TREE, tree)
        seen = picture and self._content(Content.PICTURE, picture)
        self._connection.execute(
            "update requests set tree = coalesce(?, tree), picture = coalesce(?, picture) "
            "where id = ?",
            (shown or None, seen or None, self._find(run, number)),
        )

    def _find(self, run: int, number: Number) -> int | None:
        """The number of a request, which is larger than its own if another daemon had used that."""
        found = self._connection.execute(
            "select id from requests where id >= ? and run = ? and seq = ? order by id limit 1",
            (number.id, run, number.seq),
        ).fetchone()
        return found[0] if found else None

    @property
    def last_id(self) -> int:
        (last,) = self._connection.execute("select max(id) from requests").fetchone()
        return int(last or 0)

    def _insert_body(self, id: int, request: bytes | None, response: bytes | None) -> None:
        if request is not None:
            self._connection.execute(
                "insert into bodies(id, request, response, content) values(?, ?, ?, ?)",
                (id, _text(request), *self._placed(response)),
            )

    def _end_of(
        self, finished: Finished
    ) -> tuple[float, State, int | None, int | None, str | None]:
        state = State.OK if finished.ok else State.FAILED
        names = (finished.session, finished.code)
        session, code = (self._name(each) if each else None for each in names)
        return (finished.ms, state, session, code, finished.url and finished.url[:MAX_URL])

    def _placed(self, response: bytes | None) -> tuple[str | None, int | None]:
        """The response where it is short, else the number of its content."""
        if response is None:
            return None, None
        if len(response) <= INLINE_BYTES:
            return _text(response), None
        return None, self._content(Content.RESPONSE, response)

    def _content(self, kind: Content, data: bytes) -> int:
        """The number of a content, which is stored once."""
        hash = hashlib.blake2b(data, digest_size=16, person=kind.name.encode()).digest()
        found = self._connection.execute("select id from contents where hash = ?", (hash,))
        if (row := found.fetchone()) is not None:
            return int(row[0])
        is_packed = kind is Content.PICTURE
        packing = Packing.AS_IT_IS if is_packed else Packing.NOT_YET
        new = self._connection.execute(
            "insert into contents(hash, kind, packed, time, data) values(?, ?, ?, ?, ?)",
            (hash, kind, packing, time.time(), data),
        )
        return new.lastrowid or 0

    def _name(self, text: str) -> int:
        known = self._names.get(text)
        if known is not None:
            return known
        run = self._connection.execute
        found = run("select id from names where text = ?", (text,)).fetchone()
        if found is not None:
            number = int(found[0])
        else:
            number = run("insert into names(text) values(?)", (text,)).lastrowid or 0
        if len(self._names) > MAX_NAMES:
            self._names.clear()
        self._names[text] = number
        return number

    def _mark(self, name: str) -> int:
        found = self._connection.execute("select value from marks where name = ?", (name,))
        row = found.fetchone()
        return int(row[0]) if row else 0

    def _set_mark(self, name: str, value: int) -> None:
        self._connection.execute("insert or replace into marks values(?, ?)", (name, value))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
