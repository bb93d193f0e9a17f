"""Reads the history: entries, their envelopes, trees and pictures, and events."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from pwtui.history.database import (
    NotOurs,
    has_words,
    history_file,
    read_history,
    update_history,
)
from pwtui.history.spool import spools
from pwtui.history.tables import State
from pwtui.history.texts import unpacked

_COLUMNS = """
    requests.id, time, ms, state, effect, op.text, client.text, pid, workspace.text, profile.text,
    session.text, code.text, url, tree, picture
"""
_TABLES = """
    requests join names op on op.id = requests.op join names client on client.id = requests.client
    join names workspace on workspace.id = requests.workspace
    join names profile on profile.id = requests.profile
    left join names session on session.id = requests.session
    left join names code on code.id = requests.code
"""


class Entry(NamedTuple):
    """A request of the history, without its envelopes."""

    id: int
    time: float
    ms: float | None
    state: State
    effect: int
    op: str
    client: str
    pid: int | None
    workspace: str
    profile: str
    session: str | None
    code: str | None
    url: str | None
    tree: int | None
    picture: int | None


class EventRow(NamedTuple):
    """An event of a session."""

    id: int
    time: float
    kind: str
    workspace: str
    profile: str
    session: str
    data: str


class Condition(NamedTuple):
    """A part of a where clause."""

    sql: str
    values: tuple[Any, ...] = ()


class HistoryReader:
    """An open history. Raises sqlite3.Error if the file is damaged."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or history_file()
        self._connection = read_history(self.path)
        self.has_words = has_words(self._connection)
        self._update()

    def __enter__(self) -> HistoryReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def entries(
        self,
        conditions: Sequence[Condition] = (),
        *,
        newest_first: bool = False,
        limit: int = -1,
        offset: int = 0,
    ) -> Iterator[Entry]:
        """The entries that meet all conditions, in the order in which they started."""
        where = " and ".join(f"({each.sql})" for each in conditions) or "1"
        order = "desc" if newest_first else "asc"
        rows = self.rows(
            f"select {_COLUMNS} from {_TABLES} where {where} "
            f"order by requests.id {order} limit ? offset ?",
            *(value for each in conditions for value in each.values),
            limit,
            offset,
        )
        for row in rows:
            entry = Entry(*row)
            yield entry._replace(state=State(entry.state))

    def entry(self, id: int) -> Entry | None:
        return next(self.entries([Condition("requests.id = ?", (id,))]), None)

    def envelopes(self, id: int) -> tuple[str | None, str | None]:
        """The request and the response as JSON, masked; None where they were not recorded."""
        for request, response, content in self.rows(
            "select request, response, content from bodies where id = ?", id
        ):
            if content is not None:
                response = (self.content(content) or b"null").decode()
            return request, response
        return None, None

    def content(self, id: int | None) -> bytes | None:
        """A tree or a picture."""
        for packing, data in self.rows("select packed, data from contents where id = ?", id):
            return unpacked(packing, data)
        return None

    def events(
        self, start: float, end: float, *, session: str | None = None, kinds: Sequence[str] = ()
    ) -> Iterator[EventRow]:
        """The events between two times, of all sessions or one, of all kinds or some."""
        some = f"and kind.text in ({', '.join('?' * len(kinds))})" if kinds else ""
        rows = self.rows(
            "select events.id, time, kind.text, workspace.text, profile.text, session.text, data "
            "from events join names kind on kind.id = events.kind "
            "join names workspace on workspace.id = events.workspace "
            "join names profile on profile.id = events.profile "
            "join names session on session.id = events.session "
            "where time >= ? and time <= ? and (? is null or session.text = ?) "
            f"{some} order by time, events.id",
            *(start, end, session, session, *kinds),
        )
        return (EventRow(*row) for row in rows)

    def indexed(self, table: str) -> int:
        """The number of the last row of a table that a search in the index finds."""
        row = self.rows("select value from marks where name = ?", table).fetchone()
        return int(row[0]) if row else 0

    def _update(self) -> None:
        """Include what daemons have not written to the database yet."""
        with suppress(OSError, NotOurs, sqlite3.Error):
            written = dict(self.rows("select name, value from marks"))
            if any(p.stat().st_size > written.get(p.name, 0) for p, _ in spools(self.path)):
                update_history(self.path)

    def interrupt(self) -> None:
        """Let a query of another thread fail soon. Raises sqlite3.Error once it is closed."""
        self._connection.interrupt()

    def define_search(self, search: Callable[[str], object]) -> None:
        """Make a search in a text available to conditions, as `matches`."""
        self._connection.create_function(
            "matches", 1, lambda text: bool(search(text)), deterministic=True
        )

    def rows(self, sql: str, *values: Any) -> sqlite3.Cursor:
        return self._connection.execute(sql, values)
