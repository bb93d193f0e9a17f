"""The model behind the envelope log: entries, the bounded store of them, and the filter."""

from __future__ import annotations

import json
import re
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from pydantic_core import to_json

from pwtui.protocol.bounded_regex import Expression
from pwtui.widgets.text import plain

SLOW_MS = 1000
_SHORT = 200  # what is drawn of a value on one line is never longer
_TARGETS = ("ref", "selector", "url", "target", "path", "file", "expression", "script")


_OF_ANSWER = (
    "_request",
    "_response",
    "changed",
    "hint",
    "message",
    "code",
    "duration_ms",
    "ok",
    "target",
)


class LogEntry:
    """One request and, once it is there, its response, both as they were on the wire.

    They are kept as JSON text. A log has a hundred thousand of them: as objects they would take
    many times the memory, and the garbage collector would stop the screen to walk through them.
    """

    __slots__ = (
        *_OF_ANSWER,
        "client",
        "haystack",
        "is_event",
        "mark",
        "op",
        "profile",
        "recorded",
        "seq",
        "time",
        "version",
    )

    def __init__(
        self,
        seq: int,
        time: float,
        client: str,
        profile: str,
        op: str,
        request: dict[str, Any],
        response: dict[str, Any] | None = None,
    ) -> None:
        self.seq = seq
        self.time = time
        self.client = client
        self.profile = profile
        self.op = op
        self.recorded = False
        self.mark = False
        self.is_event = False
        self.haystack = ""
        self.version = 0
        self.request = request
        self.response = response

    @classmethod
    def from_event(cls, event: Mapping[str, Any]) -> LogEntry:
        """The entry that a `request` or `response` event of the daemon tells of."""
        request, response = _mapping(event.get("request")), event.get("response")
        when = event.get("time")
        entry = cls(
            seq=int(event["seq"]),
            time=float(when) if when is not None else time.time(),
            client=_client_name(event.get("client")),
            profile=str(event.get("profile") or "default"),
            op=str(request.get("op") or "unknown"),
            request=request,
            response=response if isinstance(response, dict) else None,
        )
        if not entry.pending:  # the event was sent when the work was done
            entry.time -= (entry.duration_ms or 0) / 1000
        return entry

    @classmethod
    def event(
        cls, seq: int, time: float, profile: str, what: str, said: str, *, ok: bool
    ) -> LogEntry:
        """What happened to a browser without a request; it cannot be sent again."""
        happened: dict[str, Any] = {"input": {"target": said if ok else ""}}
        error = {} if ok else {"error": {"code": "BROWSER_ENDED", "message": said}}
        entry = cls(seq, time, "browser", profile, what, happened, {"ok": ok, **error})
        entry.is_event = True
        return entry

    @property
    def request(self) -> dict[str, Any]:
        request: dict[str, Any] = json.loads(self._request)
        return request

    @request.setter
    def request(self, request: dict[str, Any]) -> None:
        self._request = _packed(request)
        self.target = _target(request)
        """What the request is aimed at, short."""

    @property
    def response(self) -> dict[str, Any] | None:
        return None if self._response is None else json.loads(self._response)

    @response.setter
    def response(self, response: dict[str, Any] | None) -> None:
        self.ok: bool | None = None
        """Whether it went well; None as long as nobody knows."""
        self.code = ""
        """The error code of a failure, or nothing."""
        self.changed = ""
        """What the profile remembers of it, short."""
        self.duration_ms: float | None = None
        self.message = ""
        self.hint = ""
        """What to do about a failure."""
        self._response = None
        if response is None:
            return
        self._response = _packed(response)
        self.ok = response.get("ok") is True
        if self.ok:
            self.changed = _changed(response)
        else:
            error = _mapping(response.get("error"))
            self.code = str(error.get("code") or "UNKNOWN")
            self.message = str(error.get("message") or "")
            self.hint = str(error.get("hint") or "")
        took = response.get("durationMs")
        self.duration_ms = float(took) if isinstance(took, int | float) else None

    @property
    def texts(self) -> tuple[bytes, bytes | None]:
        """The JSON of both; while it is the same, so is all that can be read of them."""
        return self._request, self._response

    def answered(self, request: dict[str, Any], response: dict[str, Any]) -> LogEntry:
        """The entry with its response, and its request as it may be shown."""
        entry = LogEntry(self.seq, self.time, self.client, self.profile, self.op, request, response)
        entry.recorded, entry.mark = self.recorded, self.mark
        return entry

    def take_answer(self, answered: LogEntry) -> None:
        """Become what another entry of this request is already."""
        for name in _OF_ANSWER:
            setattr(self, name, getattr(answered, name))

    @property
    def pending(self) -> bool:
        return self.ok is None

    @property
    def failed(self) -> bool:
        return self.ok is False

    @property
    def slow(self) -> bool:
        return (self.duration_ms or 0) > SLOW_MS

    @property
    def outcome(self) -> str:
        """The error, or what changed, or that it is well or still running."""
        if self.pending:
            return "running"
        return f"{self.code}  {_short(self.message)}" if self.failed else self.changed or "ok"

    @property
    def summary(self) -> str:
        """The entry in one line of plain text."""
        took = "" if self.duration_ms is None else milliseconds(self.duration_ms)
        outcome = self.outcome
        parts = (
            clock_time(self.time),
            self.client,
            self.profile,
            self.op,
            self.target,
            outcome if outcome == "ok" or not self.ok else f"ok  {outcome}",
            took,
        )
        return plain("  ".join(part for part in parts if part))

    def index(self) -> None:
        """Write down what a search looks at, after each change."""
        self.version += 1
        fields = (self.op, self.profile, self.client, self.target, self.code)
        self.haystack = "\n".join(fields).lower()


# Text --------------------------------------------------------------------------------------------


def milliseconds(value: float) -> str:
    """How long something took: 61 ms, 1.2 s, 2m05s."""
    if value < 999.5:
        return f"{value:.0f} ms"
    if value < 59_950:
        return f"{value / 1000:.1f} s"
    minutes, seconds = divmod(round(value / 1000), 60)
    return f"{minutes}m{seconds:02d}s"


def clock_time(moment: float, *, fine: bool = False) -> str:
    """The local time of day; fine has milliseconds."""
    text = time.strftime("%H:%M:%S", time.localtime(moment))
    return f"{text}.{int(moment % 1 * 1000):03d}" if fine else text


def short_url(text: str) -> str:
    """A URL without what all of them have."""
    bare = text.removeprefix("https://").removeprefix("http://")
    return bare.removesuffix("/") if bare != text else text


def _short(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def _packed(value: dict[str, Any]) -> bytes:
    try:
        return to_json(value, inf_nan_mode="constants")
    except ValueError:  # half a surrogate pair, which text may have and UTF-8 may not
        return json.dumps(value).encode()


def _target(request: dict[str, Any]) -> str:
    values = _mapping(request.get("input"))
    for name in _TARGETS:
        value = values.get(name)
        if isinstance(value, str) and value:
            return short_url(_short(value))
    for name, value in values.items():
        if isinstance(value, str | int | float) and value != "":
            return _short(f"{name}={json.dumps(value) if isinstance(value, bool) else value}")
    return ""


def _changed(response: dict[str, Any]) -> str:
    delta = _mapping(response.get("contextDelta"))
    parts = []
    if url := delta.get("url"):
        parts.append(f"→ {short_url(_short(str(url)))}")
    if selector := delta.get("selector"):
        parts.append(f"selector {_short(str(selector))}")
    if output := delta.get("output"):
        parts.append(f"output {PurePath(_short(str(output))).name}")
    return " · ".join(parts)


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _client_name(client: object) -> str:
    if isinstance(client, dict):
        return str(client.get("name") or f"client {client.get('id', '?')}")
    return str(client or "")


# Filter ------------------------------------------------------------------------------------------

Term = Callable[[LogEntry], bool]

_TERM = re.compile(r'(?=\S)(!?)(?:(op|profile|client|is|re):)?(?:"([^"]*)"?|(\S*))')
_STATES: dict[str, Term] = {
    "error": lambda entry: entry.failed,
    "slow": lambda entry: entry.slow,
    "recorded": lambda entry: entry.recorded,
    "marked": lambda entry: entry.mark,
}


@dataclass(frozen=True, slots=True)
class Filter:
    """Terms that an entry must all meet. What could not be understood is told and left out."""

    text: str = ""
    terms: tuple[Term, ...] = ()
    words: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    regexes: tuple[Expression, ...] = ()

    @property
    def problem(self) -> str:
        slow = [each.complaint for each in self.regexes if each.gave_up]
        return "; ".join([*self.problems, *slow])

    def matches(self, entry: LogEntry) -> bool:
        return all(term(entry) for term in self.terms)

    def __bool__(self) -> bool:
        return bool(self.terms)


def parse_filter(text: str) -> Filter:
    """Words, `op:` `profile:` `client:` `is:` `re:`, each of them inverse after a `!`."""
    terms: list[Term] = []
    words: list[str] = []
    problems: list[str] = []
    regexes: list[Expression] = []
    for match in _TERM.finditer(text):
        inverse, kind, quoted, bare = match.groups()
        value = quoted if quoted is not None else bare
        if not value:  # still being typed
            continue
        try:
            term = _regex(value, regexes) if kind == "re" else _term(kind, value)
        except ValueError as error:
            problems.append(str(error))
            continue
        terms.append(_inverse(term) if inverse else term)
        if not inverse and kind not in ("is", "re"):
            words.append(value.lower())
    return Filter(text, tuple(terms), tuple(words), tuple(problems), tuple(regexes))


def _term(kind: str | None, value: str) -> Term:
    wanted = value.lower()
    if kind == "op":
        return lambda entry: wanted in entry.op.lower()
    if kind == "profile":
        return lambda entry: wanted in entry.profile.lower()
    if kind == "client":
        return lambda entry: wanted in entry.client.lower()
    if kind == "is":
        if wanted not in _STATES:
            raise ValueError(f"is:{value} is not known; use is:{' is:'.join(_STATES)}")
        return _STATES[wanted]
    return lambda entry: wanted in entry.haystack


def _regex(value: str, regexes: list[Expression]) -> Term:
    try:
        expression = Expression(value, ignore_case=True, multiline=True)
    except ValueError as error:
        raise ValueError(f"re:{value} is no regular expression: {error}") from None
    regexes.append(expression)
    return lambda entry: expression.search(entry.haystack)


def _inverse(term: Term) -> Term:
    return lambda entry: not term(entry)


# Store -------------------------------------------------------------------------------------------


class LogStore:
    """The newest entries, up to a cap, and which of them the filter lets through.

    An entry keeps its *position* for good: the number of entries that ever came before it. A *row*
    is its place among those shown, which changes whenever something is dropped or filtered.
    """

    def __init__(self, cap: int = 100_000) -> None:
        self.cap = max(1, cap)
        self.dropped = 0
        self.errors = 0
        self.selected: set[int] = set()
        self._entries: list[LogEntry] = []
        self._positions: dict[int, int] = {}
        self._pending: set[int] = set()
        self._filter = Filter()
        self._hits: list[int] | None = None

    # Entries -------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def entries(self) -> list[LogEntry]:
        return self._entries

    @property
    def pending(self) -> int:
        return len(self._pending)

    @property
    def end(self) -> int:
        """The position that the next entry will have."""
        return self.dropped + len(self._entries)

    def add(self, entries: Iterable[LogEntry]) -> list[int]:
        """Append entries; one whose seq is known takes its place. Returns the places taken."""
        replaced = []
        for entry in entries:
            entry.index()
            position = self._positions.get(entry.seq)
            if position is not None:
                self._replace(position, entry)
                replaced.append(position)
                continue
            position = self.end
            self._positions[entry.seq] = position
            self._entries.append(entry)
            self._count(entry, 1)
            if self._hits is not None and self._filter.matches(entry):
                self._hits.append(position)
        return replaced

    def finish(self, answered: LogEntry) -> int | None:
        """Give an entry its answer; returns its position, or None when nobody knows its seq."""
        position = self._positions.get(answered.seq)
        if position is None:
            return None
        entry = self._entries[position - self.dropped]
        self._count(entry, -1)
        entry.take_answer(answered)
        entry.index()
        self._count(entry, 1)
        self._check(position, entry)
        return position

    def trim(self) -> int:
        """Drop the oldest entries, a tenth of the cap at a time; returns how many."""
        surplus = len(self._entries) - self.cap
        if surplus <= self.cap // 10:
            return 0
        for entry in self._entries[:surplus]:
            del self._positions[entry.seq]
            self._count(entry, -1)
            self.selected.discard(entry.seq)
        del self._entries[:surplus]
        self.dropped += surplus
        if self._hits is not None:
            del self._hits[: bisect_left(self._hits, self.dropped)]
        return surplus

    def clear(self) -> None:
        """Forget everything but the filter."""
        self._entries.clear()
        self._positions.clear()
        self._pending.clear()
        self.selected.clear()
        self.dropped = self.errors = 0
        if self._hits is not None:
            self._hits.clear()

    def known(self, seq: int) -> LogEntry | None:
        position = self._positions.get(seq)
        return None if position is None else self._entries[position - self.dropped]

    def _replace(self, position: int, entry: LogEntry) -> None:
        old = self._entries[position - self.dropped]
        entry.mark, entry.recorded = old.mark or entry.mark, old.recorded or entry.recorded
        entry.version += old.version
        self._count(old, -1)
        self._entries[position - self.dropped] = entry
        self._count(entry, 1)
        self._check(position, entry)

    def _count(self, entry: LogEntry, step: int) -> None:
        self.errors += step * entry.failed
        if entry.pending and step > 0:
            self._pending.add(entry.seq)
        else:
            self._pending.discard(entry.seq)

    # Rows ----------------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """How many entries the filter lets through."""
        return len(self._entries) if self._hits is None else len(self._hits)

    @property
    def filter(self) -> Filter:
        return self._filter

    def narrow(self, text: str) -> None:
        """Show only what matches."""
        self._filter = parse_filter(text)
        self._hits = None
        if self._filter:
            entries, (first, *others) = self._entries, self._filter.terms
            rows = [row for row, entry in enumerate(entries) if first(entry)]
            for term in others:
                rows = [row for row in rows if term(entries[row])]
            self._hits = [row + self.dropped for row in rows]

    def recheck(self, entry: LogEntry) -> None:
        """An entry changed by other hands: it may now pass the filter, or no longer."""
        position = self._positions.get(entry.seq)
        if position is not None:
            self._check(position, entry)

    def at(self, row: int) -> LogEntry:
        return self._entries[self.position_at(row) - self.dropped]

    def position_at(self, row: int) -> int:
        return row + self.dropped if self._hits is None else self._hits[row]

    def row_of(self, position: int) -> int:
        """The row of the entry at a position, or of the next one that is shown."""
        if self._hits is None:
            return min(max(0, position - self.dropped), len(self._entries))
        return bisect_left(self._hits, position)

    def shown(self) -> list[LogEntry]:
        if self._hits is None:
            return list(self._entries)
        return [self._entries[position - self.dropped] for position in self._hits]

    def find(self, wanted: Filter, row: int, step: int) -> int | None:
        """The nearest matching row after (or before) this one, around the end if need be."""
        count = self.rows
        for distance in range(1, count + 1):
            candidate = (row + step * distance) % count
            if wanted.matches(self.at(candidate)):
                return candidate
        return None

    def _check(self, position: int, entry: LogEntry) -> None:
        if self._hits is None:
            return
        row = bisect_left(self._hits, position)
        shown = row < len(self._hits) and self._hits[row] == position
        if shown and not self._filter.matches(entry):
            del self._hits[row]
        elif not shown and self._filter.matches(entry):
            self._hits.insert(row, position)
