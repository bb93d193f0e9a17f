"""What a query can test in the log: words, `op:`, `profile:`, `client:` and `is:`."""

from __future__ import annotations

from operator import attrgetter

from pwtui.protocol.query import Test, parse_query
from pwtui.widgets.log_entry import LogEntry

_STATES: dict[str, Test[LogEntry]] = {
    "error": attrgetter("failed"),
    "slow": attrgetter("slow"),
    "recorded": attrgetter("recorded"),
    "marked": attrgetter("mark"),
}


class LogFilter:
    """A query for log entries. Invalid terms are reported and ignored."""

    def __init__(self, text: str = "") -> None:
        self.query = parse_query(text, ("op", "profile", "client", "is"), _STATES)
        self.tests = self.query.tests(attrgetter("haystack"), _field)

    def __bool__(self) -> bool:
        return bool(self.tests)

    @property
    def problem(self) -> str:
        return self.query.problem

    def matches(self, entry: LogEntry) -> bool:
        return all(test(entry) for test in self.tests)


def _field(name: str, value: str) -> Test[LogEntry]:
    if name == "is":
        return _STATES[value]
    read = attrgetter(name)
    return lambda entry: value in read(entry).lower()
