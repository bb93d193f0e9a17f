"""Reads the history for the panel's log. Loaded after the first paint."""

from __future__ import annotations

import json
import os
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import PurePath
from sqlite3 import Error as DatabaseError
from typing import Any

from pwtui.history.database import NotOurs, history_file
from pwtui.history.filters import Ids, conditions, conditions_of
from pwtui.history.groups import Groups, groups
from pwtui.history.reader import Condition, Entry, HistoryReader
from pwtui.history.stats import Group, Row, statistics
from pwtui.history.tables import State
from pwtui.protocol.errors import PwError
from pwtui.protocol.query import Query
from pwtui.widgets.log_entry import LogEntry
from pwtui.widgets.log_filter import LogFilter

TIMED = 1_000
"""The entries of a group whose times are compared."""
RECENT = 1_000
MAX_EXPORTED = 50_000

# The time that a row shows; `ms` may also have the start of the browser.
_SHOWN = "(select json_extract(response, '$.durationMs') from bodies where id = requests.id)"
# As those of `widgets/log_order.py`, where a running entry has -inf.
_KEYS = {
    "duration": f"case state when {State.RUNNING} then -1e999 else -coalesce({_SHOWN}, ms, 0) end",
    "status": f"case state when {State.OK} then 2 when {State.RUNNING} then 1 else 0 end",
    "operation": "(select text from names where id = op)",
    "client": "(select text from names where id = client)",
}

READ_ERRORS = (DatabaseError, NotOurs, OSError, PwError)


class EarlierRows:
    """What of the history is in the log, besides what the panel has seen itself."""

    def __init__(self, workspace: str, client: str) -> None:
        self._workspace = workspace
        self._own = (client, os.getpid(), time.time())
        self._reader: HistoryReader | None = None
        self._scanned: HistoryReader | None = None

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    # -- in threads --------------------------------------------------------------------------------

    def find_end(self, before: float | None) -> tuple[int, dict[int, int]]:
        """The number of the last entry, or the last before a time; and those of the daemon's
        latest requests, by the daemon's own count."""
        with HistoryReader() as history:
            where = "where time < ?" if before is not None else "where ? is null"
            (end,) = history.rows(f"select max(id) from requests {where}", before).fetchone()
            recent = history.rows(
                "select seq, id from requests where run = (select max(id) from runs) "
                "order by id desc limit ?",
                RECENT,
            )
            return int(end or 0), dict(recent.fetchall())

    def part(
        self,
        query: Query,
        ids: tuple[int, int],
        *,
        folds: bool,
        everywhere: bool,
        with_own: bool,
        states: Mapping[str, str],
    ) -> tuple[Groups, set[tuple[str, str]], int]:
        """The rows of a part, its clients and profiles, and the oldest number of the history."""
        with HistoryReader() as history, self._interruptible(history):
            workspace = None if everywhere else self._workspace
            wanted = self._wanted(query, history, workspace, Ids(*ids), with_own, states)
            found = groups(history, wanted, folds=folds)
            people = history.rows(
                "select distinct client.text, profile.text from requests "
                "join names client on client.id = client "
                "join names profile on profile.id = profile where requests.id in "
                "(select id from requests where id between ? and ? and (? is null or "
                "workspace = (select id from names where text = ?)) limit 500)",
                *ids,
                workspace,
                workspace,
            )
            (lowest,) = history.rows("select min(id) from requests").fetchone()
            return found, set(people.fetchall()), lowest or 0

    def sorted(
        self,
        query: Query,
        last: int,
        *,
        order: str,
        everywhere: bool,
        with_own: bool,
        states: Mapping[str, str],
    ) -> tuple[array[int], list[Any]]:
        """The numbers of all entries up to one, by an order of the log, and their keys."""
        with HistoryReader() as history, self._interruptible(history):
            workspace = None if everywhere else self._workspace
            wanted = self._wanted(query, history, workspace, Ids(0, last), with_own, states)
            where = " and ".join(f"({each.sql})" for each in wanted)
            ids, keys = array("q"), []
            for id, key in history.rows(
                f"select id, {_KEYS[order]} as key from requests where {where} "
                "order by key, id desc",
                *(value for each in wanted for value in each.values),
            ):
                ids.append(id)
                keys.append(key)
            return ids, keys

    def _wanted(
        self,
        query: Query,
        history: HistoryReader,
        workspace: str | None,
        part: Ids,
        with_own: bool,
        states: Mapping[str, str],
    ) -> list[Condition]:
        found = conditions_of(query, history, workspace=workspace, part=part, states=states)
        return found if with_own else [*found, self._not_own()]

    @contextmanager
    def _interruptible(self, history: HistoryReader) -> Iterator[None]:
        self._scanned = history
        try:
            yield
        finally:
            self._scanned = None

    def interrupt(self) -> None:
        """Let `part` fail soon: its result is not wanted any more. For any thread."""
        if (scanned := self._scanned) is not None:
            with suppress(DatabaseError):
                scanned.interrupt()

    def matching(self, text: str, last: int | None, *, everywhere: bool) -> list[LogEntry]:
        """The newest entries that match, up to a number."""
        with HistoryReader() as history:
            workspace = None if everywhere else self._workspace
            if last is None:
                wanted = conditions(text, history, workspace=workspace)
            else:
                query = LogFilter(text).query
                wanted = conditions_of(query, history, workspace=workspace, part=Ids(0, last))
                wanted.append(self._not_own())
            found = history.entries(wanted, newest_first=True, limit=MAX_EXPORTED)
            return [self._made(history, each, loads=True) for each in found][::-1]

    def missed(self, since: float, until: float, known: Iterable[int]) -> list[LogEntry]:
        """The requests of others that began and ended in a time, but those with known numbers."""
        with HistoryReader() as history:
            wanted = conditions_of(Query(), history, workspace=self._workspace)
            within = "time >= ? and time + coalesce(ms, 0) / 1000 <= ?"
            numbers = ", ".join(map(str, known))
            other = f"not (run = (select max(id) from runs) and seq in ({numbers}))"
            wanted += [Condition(within, (since, until)), self._not_own(), Condition(other)]
            found = history.entries(wanted, newest_first=True, limit=RECENT)
            return [self._made(history, each, loads=True) for each in found][::-1]

    def _not_own(self) -> Condition:
        """What this panel has sent is in its own log."""
        client = "(select id from names where text = ?)"
        return Condition(f"not (requests.client is {client} and pid is ? and time >= ?)", self._own)

    # -- one entry ---------------------------------------------------------------------------------

    def read(self, id: int) -> LogEntry | None:
        try:
            reader = self._open()
            entry = reader.entry(id)
            return self._made(reader, entry) if entry is not None else None
        except READ_ERRORS:
            self.close()
            return None

    def times(self, id: int, count: int) -> tuple[float, float]:
        """The shortest and the longest time of equal entries, the last of which is known."""
        try:
            sql = (
                "select min(ms), max(ms) from (select ms from requests where id <= ? "
                "and op = (select op from requests where id = ?) order by id desc limit ?)"
            )
            found = self._open().rows(sql, id, id, min(count, TIMED)).fetchone()
        except READ_ERRORS:
            return 0.0, 0.0
        return found[0] or 0.0, found[1] or 0.0

    def _made(self, reader: HistoryReader, entry: Entry, *, loads: bool = False) -> LogEntry:
        sql = "select request, response, content from bodies where id = ?"
        body = reader.rows(sql, entry.id).fetchone()
        request, response, content = body or (None, None, None)
        if loads and content is not None:
            response, content = (reader.content(content) or b"null").decode(), None
        outline: dict[str, Any] | None = json.loads(response) if response else None
        if outline is None and entry.state is not State.RUNNING:
            outline = {"op": entry.op, "ok": entry.state is State.OK, "durationMs": entry.ms}
            if entry.state is not State.OK:
                outline["error"] = _error(entry)
            if entry.url:
                outline["contextDelta"] = {"url": entry.url}
        load: Callable[[], bytes] | None = content and partial(self._load, content)
        made = LogEntry(
            -entry.id,
            entry.time,
            entry.client,
            entry.profile,
            entry.op,
            json.loads(request) if request else {},
            outline,
            place=_place(reader, entry),
            load=load,
        )
        if entry.workspace != self._workspace:
            made.workspace = PurePath(entry.workspace).name
        made.index()
        return made

    def _load(self, content: int) -> bytes:
        """A long response."""
        try:
            return self._open().content(content) or b"{}"
        except READ_ERRORS:
            return b"{}"

    def _open(self) -> HistoryReader:
        if self._reader is None or self._reader.path != history_file():
            self._reader = HistoryReader()
        return self._reader


def rows_of(filter: str, workspace: str | None, group: Group) -> list[Row]:
    """Statistics of what a filter of the log shows."""
    with HistoryReader() as history:
        query = LogFilter(filter).query
        return statistics(history, conditions_of(query, history, workspace=workspace), group)


def _place(reader: HistoryReader, entry: Entry) -> str:
    """The URL of the page before a request."""
    sql = (
        "select url from "
        "(select url, session from requests where id < ? order by id desc limit 50) "
        "where session = (select session from requests where id = ?) and url is not null limit 1"
    )
    found = reader.rows(sql, entry.id, entry.id).fetchone()
    return str(found[0]) if found else ""


def _error(entry: Entry) -> dict[str, str]:
    if entry.state is State.UNFINISHED:
        return {"code": "UNFINISHED", "message": "the daemon exited while it ran"}
    return {"code": entry.code or "UNKNOWN", "message": ""}
