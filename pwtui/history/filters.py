"""The filter language of the log, for the history: a query becomes conditions in SQL.

`op:`, `client:`, `profile:`, `url:` and `code:` are parts of these texts, `is:` a state, `since:`
and `until:` a time (see `protocol/moments.py`), `id:` a number or a range (`12..40`), `pid:` the
process of a client, `recording:` one of the panel or the REPL. A word is part of one of these
texts, or a word of an envelope.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pwtui.history.reader import Condition, HistoryReader
from pwtui.history.spans import find_span
from pwtui.history.tables import State
from pwtui.history.texts import REQUEST, TABLES
from pwtui.protocol.catalog import Effect
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.keyword import NOTHING
from pwtui.protocol.moments import moment
from pwtui.protocol.query import Query, Term, parse_query

SLOW_MS = 1000
_NAMED = "requests.{} in (select id from names where instr(lower(text), ?))"
_TEXTS = {name: _NAMED.format(name) for name in ("op", "client", "profile", "code")} | {
    "url": "instr(lower(url), ?)"
}
NAMES = (*_TEXTS, "is", "since", "until", "id", "pid", "recording")
_STATES = {
    "error": f"state = {State.FAILED}",
    "unfinished": f"state in ({State.RUNNING}, {State.UNFINISHED})",
    "slow": f"ms > {SLOW_MS}",
    "acting": f"effect = {list(Effect).index(Effect.ACTS)}",
}
_RANGE = re.compile(r"(\d*)\.\.(\d*)|(\d+)")


class Ids(NamedTuple):
    """The first and the last number of a part of the history."""

    first: int = 0
    last: int = 2**60


def conditions(
    text: str, history: HistoryReader, *, workspace: str | None = None, part: Ids | None = None
) -> list[Condition]:
    """What entries must meet. Raises InvalidInput for a term that is not valid."""
    query = parse_query(text, NAMES, _STATES)
    if query.problem:
        raise InvalidInput(f"filter: {query.problem}")
    return conditions_of(query, history, workspace=workspace, part=part)


def conditions_of(
    query: Query,
    history: HistoryReader,
    *,
    workspace: str | None,
    part: Ids | None = None,
    states: Mapping[str, str] = NOTHING,
) -> list[Condition]:
    """The same for a query that has been parsed, which may have more states.

    A part is searched faster than the whole.
    """
    found = [Condition("requests.id between ? and ?", part)] if part is not None else []
    if workspace is not None:
        by_name = "requests.workspace = (select id from names where text = ?)"
        found.append(Condition(by_name, (workspace,)))
    for term in query.terms:
        if term.name == "re" and query.regex is not None:
            history.define_search(query.regex.search)
            pattern = Condition(f"matches({_SEARCHED})")
            found.append(_inverse(pattern) if term.is_inverse else pattern)
        else:
            found.append(_condition(term, history, part or Ids(), {**_STATES, **states}))
    return found


def range_of(text: str) -> tuple[int, int] | None:
    """The first and last number of `12`, `12..40`, `12..` or `..40`."""
    found = _RANGE.fullmatch(text)
    if found is None or text == "..":
        return None
    if found[3]:
        return int(found[3]), int(found[3])
    return int(found[1] or 0), int(found[2] or 2**60)


def _condition(
    term: Term, history: HistoryReader, part: Ids, states: Mapping[str, str]
) -> Condition:
    if term.is_inverse:
        return _inverse(_condition(term._replace(is_inverse=False), history, part, states))
    name, value = term.name, term.value
    if name in _TEXTS:
        return Condition(_TEXTS[name], (value,))
    if name == "is":
        return Condition(states.get(value, "0"))
    if name in ("since", "until"):
        return Condition(f"time {'>=' if name == 'since' else '<='} ?", (moment(value),))
    if name == "recording":
        return find_span(value).condition()
    if name in ("id", "pid"):
        if (numbers := range_of(value)) is None:
            raise InvalidInput(f"filter: {name}:{value} is not a number or a range such as 12..40")
        column = "requests.id" if name == "id" else "pid"
        return Condition(f"{column} between ? and ?", numbers)
    return _word(value, history, part)


def _inverse(inner: Condition) -> Condition:
    return Condition(f"not coalesce(({inner.sql}), 0)", inner.values)


_SEARCHED = " || char(10) || ".join(
    [
        f"coalesce((select text from names where id = requests.{name}), '')"
        for name in ("op", "profile", "client", "code")
    ]
    + ["coalesce(url, '')", "coalesce((select request from bodies where id = requests.id), '')"]
)


def _word(word: str, history: HistoryReader, part: Ids) -> Condition:
    """Part of a text, or words of an envelope, indexed or not yet."""
    parts = list(_TEXTS.values())
    values: list[object] = [word] * len(parts)
    first = part.first - 1
    if history.has_words and (match := matching(word)):
        parts.append(
            f"requests.id in (select rowid / {TABLES} from words where words match ? "
            f"and rowid between ? and ? and rowid % {TABLES} = {REQUEST})"
        )
        values += [match, part.first * TABLES, part.last * TABLES + REQUEST]
        first = max(first, history.indexed("bodies"))
    parts.append(
        "requests.id in (select id from bodies where id > ? and id <= ? "
        "and instr(lower(request || coalesce(response, '')), ?))"
    )
    return Condition(" or ".join(parts), (*values, first, part.last, word))


def matching(text: str) -> str:
    """A search for all words of a text, which may be the beginnings of longer ones."""
    words: Sequence[str] = re.findall(r"\w+", text)
    return " ".join(f'"{word}"*' for word in words)
