"""The filter language of the log, for the history: a query becomes conditions in SQL.

`op:`, `client:`, `profile:`, `url:` and `code:` are parts of these texts, `is:` a state, `since:`
and `until:` a time (`2h`, `2026-11-18`, `2026-11-18T14:05`), `id:` a number or a range (`12..40`),
`pid:` the process of a client. A word is part of one of these texts, or a word of an envelope.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from datetime import datetime, timedelta

from pwtui.history.reader import Condition, HistoryReader
from pwtui.history.texts import REQUEST, TABLES
from pwtui.history.writer import State
from pwtui.protocol.catalog import Effect
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.query import Term, parse_query

SLOW_MS = 1000
_TEXTS = {name: f"{name}.text" for name in ("op", "client", "profile", "code")} | {"url": "url"}
NAMES = (*_TEXTS, "is", "since", "until", "id", "pid")
_STATES = {
    "error": f"state = {State.FAILED}",
    "unfinished": f"state in ({State.RUNNING}, {State.UNFINISHED})",
    "slow": f"ms > {SLOW_MS}",
    "acting": f"effect = {list(Effect).index(Effect.ACTS)}",
}
_AGE = re.compile(r"(\d+(?:\.\d+)?)(s|m|h|d|w)")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_RANGE = re.compile(r"(\d*)\.\.(\d*)|(\d+)")


def conditions(
    text: str, history: HistoryReader, *, workspace: str | None = None
) -> list[Condition]:
    """What entries must meet. Raises InvalidInput for a term that is not valid."""
    query = parse_query(text, NAMES, _STATES)
    if query.problem or query.regex is not None:
        problem = query.problem or "re: is not possible in the history"
        raise InvalidInput(f"filter: {problem}")
    found = [_condition(term, history) for term in query.terms]
    if workspace is not None:
        found.append(Condition("workspace.text = ?", (workspace,)))
    return found


def moment(text: str, now: float | None = None) -> float:
    """A time, or so long ago: `2h`, `14:05`, `2026-11-18`, `2026-11-18T14:05:06`."""
    now = time.time() if now is None else now
    if age := _AGE.fullmatch(text):
        return now - float(age[1]) * _UNITS[age[2]]
    try:
        if re.fullmatch(r"\d{1,2}:\d{2}(:\d{2})?", text):
            clock = datetime.strptime(text, "%H:%M:%S" if text.count(":") == 2 else "%H:%M").time()
            at = datetime.combine(datetime.fromtimestamp(now).date(), clock)
            return (at if at.timestamp() <= now else at - timedelta(days=1)).timestamp()
        return datetime.fromisoformat(text.upper()).timestamp()
    except ValueError:
        raise InvalidInput(
            f"filter: {text!r} is not a time", hint="use 2h, 14:05, 2026-11-18 or 2026-11-18T14:05"
        ) from None


def range_of(text: str) -> tuple[int, int] | None:
    """The first and last number of `12`, `12..40`, `12..` or `..40`."""
    found = _RANGE.fullmatch(text)
    if found is None or text == "..":
        return None
    if found[3]:
        return int(found[3]), int(found[3])
    return int(found[1] or 0), int(found[2] or 2**62)


def _condition(term: Term, history: HistoryReader) -> Condition:
    if term.is_inverse:
        inner = _condition(term._replace(is_inverse=False), history)
        return Condition(f"not coalesce(({inner.sql}), 0)", inner.values)
    name, value = term.name, term.value
    if name in _TEXTS:
        return Condition(f"instr(lower({_TEXTS[name]}), ?)", (value,))
    if name == "is":
        return Condition(_STATES[value])
    if name in ("since", "until"):
        return Condition(f"time {'>=' if name == 'since' else '<='} ?", (moment(value),))
    if name in ("id", "pid"):
        if (numbers := range_of(value)) is None:
            raise InvalidInput(f"filter: {name}:{value} is not a number or a range such as 12..40")
        column = "requests.id" if name == "id" else "pid"
        return Condition(f"{column} between ? and ?", numbers)
    return _word(value, history)


def _word(word: str, history: HistoryReader) -> Condition:
    """Part of a text, or words of an envelope, indexed or not yet."""
    parts = [f"instr(lower({column}), ?)" for column in _TEXTS.values()]
    values: list[object] = [word] * len(parts)
    first = 0
    if history.has_words and (match := matching(word)):
        parts.append(
            f"requests.id in (select rowid / {TABLES} from words where words match ? "
            f"and rowid % {TABLES} = {REQUEST})"
        )
        values.append(match)
        first = history.indexed("bodies")
    parts.append(
        "requests.id in (select id from bodies where id > ? "
        "and instr(lower(request || coalesce(response, '')), ?))"
    )
    return Condition(" or ".join(parts), (*values, first, word))


def matching(text: str) -> str:
    """A search for all words of a text, which may be the beginnings of longer ones."""
    words: Sequence[str] = re.findall(r"\w+", text)
    return " ".join(f'"{word}"*' for word in words)
