"""Searches the texts of the history: envelopes, events and trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pwtui.history.filters import matching
from pwtui.history.reader import HistoryReader
from pwtui.history.texts import CONTENT, EVENT, REQUEST, TABLES, searched_text

CONTEXT = 60


class Hit(NamedTuple):
    """Where a text was found: in a request, in a tree after a request, or in an event."""

    time: float
    what: str
    id: int | None
    """The number of the request."""
    text: str


def search(history: HistoryReader, text: str, limit: int) -> list[Hit]:
    """The newest places with all words of a text."""
    found = sorted(_hits(history, text), key=lambda hit: -hit.time)
    return list(dict.fromkeys(found))[:limit]


def _hits(history: HistoryReader, text: str) -> Iterator[Hit]:
    wanted = text.lower()
    if history.has_words and (match := matching(text)):
        rows = history.rows(
            "select rowid from words where words match ? order by rowid desc", match
        )
        for (number,) in rows:
            yield from _of_row(history, number % TABLES, number // TABLES, wanted)
    # What is not indexed yet, or never is.
    for kind, table in ((REQUEST, "bodies"), (EVENT, "events")):
        columns = "data" if kind == EVENT else "request || coalesce(response, '')"
        rows = history.rows(
            f"select id from {table} where id > ? and instr(lower({columns}), ?)",
            history.indexed(table) if history.has_words else 0,
            wanted,
        )
        for (id,) in rows:
            yield from _of_row(history, kind, id, wanted)


def _of_row(history: HistoryReader, kind: int, id: int, wanted: str) -> Iterator[Hit]:
    if kind == EVENT:
        for time, name, data in history.rows(
            "select time, text, data from events join names on names.id = kind where events.id = ?",
            id,
        ):
            yield Hit(time, name, None, _around(searched_text(data), wanted))
        return
    is_content = kind == CONTENT
    # Not `?1` for both values: Python 3.14 accepts numbered parameters in a mapping only.
    of_content = "tree = ? or requests.id in (select id from bodies where content = ?)"
    for number, time, op, tree in history.rows(
        "select requests.id, time, text, tree from requests join names on names.id = op "
        f"where {of_content if is_content else 'requests.id = ?'}",
        *[id] * (2 if is_content else 1),
    ):
        is_tree = is_content and tree == id
        content = (history.content(id) or b"").decode("utf-8", "replace") if is_tree else ""
        found = content or searched_text(*history.envelopes(number))
        yield Hit(time, f"tree after {op}" if is_tree else op, number, _around(found, wanted))


def _around(text: str, wanted: str) -> str:
    """The place of the text, or its beginning."""
    at = text.lower().find(wanted.split()[0] if wanted.split() else wanted)
    start = max(0, at - CONTEXT)
    return " ".join(text[start : max(at, 0) + CONTEXT].split())
