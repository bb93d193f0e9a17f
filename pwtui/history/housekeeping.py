"""Keeps the history small and searchable, in short steps between the requests."""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from pwtui.history.database import MAX_WAL_BYTES, has_words
from pwtui.history.tables import Packing
from pwtui.history.texts import CONTENT, EVENT, REQUEST, TABLES, content_text, searched_text

STEP_SECONDS = 0.004
"""No transaction takes much longer, as a request may be waiting for it."""
CHECKPOINT_SECONDS = 1.0
DAYS_VARIABLE, SIZE_VARIABLE = "PWTUI_HISTORY_DAYS", "PWTUI_HISTORY_MIB"
DEFAULT_DAYS, DEFAULT_MIB = 14.0, 512.0
NOT_NEWEST = "id < (select max(id) from requests)"
MANY = 100
ALL = 2**62


class Retention(NamedTuple):
    """What is kept: the newest, up to this age and size."""

    days: float = DEFAULT_DAYS
    mib: float = DEFAULT_MIB

    @classmethod
    def from_environment(cls) -> Retention:
        days, mib = os.environ.get(DAYS_VARIABLE), os.environ.get(SIZE_VARIABLE)
        return cls(_number(days, DEFAULT_DAYS), _number(mib, DEFAULT_MIB))


class _Texts(NamedTuple):
    """The rows of a table, for the index of texts."""

    table: str
    kind: int
    columns: str
    text: Callable[..., str]


_TEXTS = (
    _Texts("bodies", REQUEST, "id, request, response", searched_text),
    _Texts("events", EVENT, "id, data", searched_text),
    _Texts("contents", CONTENT, "id, kind, packed, data", content_text),
)


class Housekeeper:
    """Indexes, compresses and prunes through a connection that is not the writer's."""

    def __init__(self, path: Path, lock: Lock, retention: Retention | None = None) -> None:
        self._path = path
        self._lock = lock
        self._retention = retention or Retention.from_environment()
        self._connection = sqlite3.connect(
            path, timeout=1.0, isolation_level=None, check_same_thread=False
        )
        self._connection.execute("pragma synchronous = normal")
        self._has_words = has_words(self._connection)
        self._checkpoint_at = 0.0

    def close(self) -> None:
        self._connection.close()

    def tidy(self, end: int) -> bool:
        """One step of each kind of work; whether there is more. Raises sqlite3.Error.

        Requests of this daemon before the number `end` have ended: they change no more.
        """
        more = self._pack()
        if self._has_words:
            (running,) = self._connection.execute(
                "select min(id) from requests where state = 0"  # of another daemon
            ).fetchone()
            end = min(end, running or end)
            for texts in _TEXTS:
                more |= self._index(texts, end if texts.kind == REQUEST else ALL)
        self._checkpoint()
        return more

    def prune(self) -> bool:
        """Delete some of what is too old or too much; whether there is more. Raises sqlite3.Error.

        The newest request is always kept.
        """
        horizon = time.time() - self._retention.days * 86400
        if self.has_too_much:
            horizon = max(horizon, self._end_of_the_oldest())
        run = self._connection.execute
        requests = run(
            f"select id from requests where time < ? and {NOT_NEWEST} order by time limit ?",
            (horizon, MANY),
        ).fetchall()
        events = run(
            "select id from events where time < ? order by time limit ?", (horizon, MANY)
        ).fetchall()
        if not requests and not events:
            return self._shrink()
        with self._step() as in_time:  # another daemon may have deleted some meanwhile
            for (id,) in requests:
                if in_time():
                    self._delete_request(id)
            for (id,) in events:
                if in_time():
                    self._delete_event(id)
            if self._has_words:  # else the index of what was deleted stays
                run("insert into words(words, rank) values('merge', 16)")
        return True

    def _end_of_the_oldest(self) -> float:
        """A time before which there are some entries, to delete those first."""
        times = [
            self._connection.execute(
                f"select time from (select time from {table} order by time limit ?) "
                "order by time desc limit 1",
                (MANY,),
            ).fetchone()
            for table in (f"requests where {NOT_NEWEST}", "events")
        ]
        return min((each[0] for each in times if each), default=0.0) + 1e-6

    def _checkpoint(self) -> None:
        """Move what was written from the log to the database, at most once a second.

        It does not stop the writer: what that writes meanwhile is left for the next time.
        """
        now = time.monotonic()
        wal = self._path.with_name(self._path.name + "-wal")
        with suppress(OSError):
            if now > self._checkpoint_at and wal.stat().st_size > MAX_WAL_BYTES:
                self._connection.execute("pragma wal_checkpoint(passive)")
                self._checkpoint_at = time.monotonic() + CHECKPOINT_SECONDS

    @property
    def has_too_much(self) -> bool:
        """Whether the entries use more than they may."""
        return self.used_bytes() > self._retention.mib * 2**20

    def used_bytes(self) -> int:
        """What the entries use; free pages of the file are used again."""
        values = [
            self._connection.execute(f"pragma {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        ]
        return int((values[0] - values[1]) * values[2])

    def _delete_request(self, id: int) -> None:
        """Delete a request, and the contents that no other one refers to."""
        run = self._connection.execute
        body = run("select request, response, content from bodies where id = ?", (id,)).fetchone()
        looks = run("select tree, picture from requests where id = ?", (id,)).fetchone() or ()
        if body is not None:
            self._unindex("bodies", id, REQUEST, lambda: searched_text(*body[:2]))
        run("delete from bodies where id = ?", (id,))
        run("delete from requests where id = ?", (id,))
        for content in filter(None, (*looks, body and body[2])):
            unused = run(
                "select kind, packed, data from contents where id = :id "
                "and not exists (select 1 from bodies where content = :id) "
                "and not exists (select 1 from requests where tree = :id or picture = :id)",
                {"id": content},
            ).fetchone()
            if unused is not None:
                self._unindex("contents", content, CONTENT, partial(content_text, *unused))
                run("delete from contents where id = ?", (content,))

    def _delete_event(self, id: int) -> None:
        run = self._connection.execute
        for (data,) in run("select data from events where id = ?", (id,)).fetchall():
            self._unindex("events", id, EVENT, partial(searched_text, data))
            run("delete from events where id = ?", (id,))

    def _shrink(self) -> bool:
        """Return some free pages to the file system; whether there are more."""
        (free,) = self._connection.execute("pragma freelist_count").fetchone()
        (pages,) = self._connection.execute("pragma page_count").fetchone()
        if free < 1000 or free < pages // 4:
            return False
        with self._lock:
            self._connection.execute("pragma incremental_vacuum(200)").fetchall()
        return True

    def _pack(self) -> bool:
        """Compress one content, outside of the transaction; whether there was one."""
        run = self._connection.execute
        found = run("select id, data from contents where packed = 0 order by id limit 1").fetchone()
        if found is None:
            return False
        id, data = found
        row = (Packing.COMPRESSED, zlib.compress(data, 6), id)
        with self._step():
            run("update contents set packed = ?, data = ? where id = ?", row)
        return True

    def _index(self, texts: _Texts, end: int) -> bool:
        """Index some new rows of a table; whether there are more."""
        rows = self._connection.execute(
            f"select {texts.columns} from {texts.table} where id > ? and id < ? "
            "order by id limit ?",
            (self._mark(texts.table), end, MANY),
        ).fetchall()
        with self._step() as in_time:
            for id, *values in rows:
                if not in_time():
                    return True
                row = (id * TABLES + texts.kind, texts.text(*values))
                self._connection.execute("insert into words(rowid, text) values(?, ?)", row)
                mark = (texts.table, id)
                self._connection.execute("insert or replace into marks values(?, ?)", mark)
        return len(rows) == MANY

    def _unindex(self, table: str, id: int, kind: int, text: Callable[[], str]) -> None:
        """The index holds no texts: to delete one, it needs what was added."""
        if self._has_words and id <= self._mark(table):
            self._connection.execute(
                "insert into words(words, rowid, text) values('delete', ?, ?)",
                (id * TABLES + kind, text()),
            )

    def _mark(self, name: str) -> int:
        found = self._connection.execute("select value from marks where name = ?", (name,))
        row = found.fetchone()
        return int(row[0]) if row else 0

    @contextmanager
    def _step(self) -> Iterator[InTime]:
        """A transaction, and whether there is still time for more in it."""
        with self._lock:
            self._connection.execute("begin immediate")
            try:
                yield InTime()
                self._connection.execute("commit")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._connection.execute("rollback")
                raise


class InTime:
    def __init__(self) -> None:
        self._end = time.monotonic() + STEP_SECONDS

    def __call__(self) -> bool:
        return time.monotonic() < self._end


def _number(text: str | None, default: float) -> float:
    try:
        return max(float(text), 0.0) if text else default
    except ValueError:
        return default
