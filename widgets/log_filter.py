"""The filter language of the log: words, `op:` `profile:` `client:` `is:` `re:`, `!` inverse."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

from pwtui.protocol.bounded_regex import Expression
from pwtui.widgets.log_entry import LogEntry

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
        slow = [each.complaint for each in self.regexes if each.timed_out]
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
    if kind == "is":
        if wanted not in _STATES:
            raise ValueError(f"is:{value} is not known; use is:{' is:'.join(_STATES)}")
        return _STATES[wanted]
    if kind is None:
        return lambda entry: wanted in entry.haystack
    field: Callable[[LogEntry], str] = attrgetter(kind)
    return lambda entry: wanted in field(entry).lower()


def _regex(value: str, regexes: list[Expression]) -> Term:
    try:
        expression = Expression(value, ignore_case=True, multiline=True)
    except ValueError as error:
        raise ValueError(f"re:{value} is no regular expression: {error}") from None
    regexes.append(expression)
    return lambda entry: expression.search(entry.haystack)


def _inverse(term: Term) -> Term:
    return lambda entry: not term(entry)
