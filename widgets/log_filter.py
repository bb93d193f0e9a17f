"""What a query can test in the log: words, fields, states and times."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter, ge, le

from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.moments import moment
from pwtui.protocol.query import Test, parse_query
from pwtui.widgets.log_entry import LogEntry

FIELDS = ("op", "profile", "client", "code", "url", "is", "since", "until")
_TIMES = {"since": ge, "until": le}
_STATES: dict[str, Test[LogEntry]] = {
    "error": attrgetter("failed"),
    "slow": attrgetter("slow"),
    "acting": attrgetter("acts"),
    "unfinished": attrgetter("pending"),
    "recorded": attrgetter("recorded"),
    "marked": attrgetter("mark"),
}


class LogFilter:
    """A query for log entries. Invalid terms are reported and ignored."""

    def __init__(self, text: str = "") -> None:
        query = parse_query(text, FIELDS, _STATES)
        problems, kept = [query.invalid], []
        self._moments: dict[str, float] = {}
        for term in query.terms:
            try:
                if term.name in _TIMES:
                    self._moments[term.value] = moment(term.value)
                kept.append(term)
            except InvalidInput as error:
                problems.append(error.message)
        invalid = "; ".join(filter(None, problems))
        self.query = replace(query, terms=tuple(kept), invalid=invalid)
        self.tests = self.query.tests(attrgetter("haystack"), self._field)

    def __bool__(self) -> bool:
        return bool(self.tests)

    @property
    def problem(self) -> str:
        return self.query.problem

    def matches(self, entry: LogEntry) -> bool:
        return all(test(entry) for test in self.tests)

    def _field(self, name: str, value: str) -> Test[LogEntry]:
        if name == "is":
            return _STATES[value]
        if name in _TIMES:
            at, compare = self._moments[value], _TIMES[name]
            return lambda entry: compare(entry.time, at)
        read = attrgetter(name)
        return lambda entry: value in read(entry).lower()
