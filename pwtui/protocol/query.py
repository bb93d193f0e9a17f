"""The filter language of the tree, the log and the history: ``save role:button !disabled``.

All words must be found, in any case; ``"two words"`` is one word. ``name:value`` tests one field,
``!`` inverts a term, and ``re:`` takes the rest of the text as a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeVar

from pwtui.protocol.bounded_regex import Expression

T = TypeVar("T")
Test = Callable[[T], bool]

_WHOLE = frozenset(("is", "role", "ref"))  # compare the whole value, so no text is highlighted
_REGEX = re.compile(r"(?:^|(?<=\s))(!?)re:(.*)", re.DOTALL)


class Term(NamedTuple):
    """One condition. A word has no name; the regular expression is named `re`."""

    name: str
    value: str
    is_inverse: bool


@dataclass(frozen=True)
class Query:
    """Conditions that must all be met."""

    terms: tuple[Term, ...] = ()
    regex: Expression | None = field(default=None, compare=False)
    invalid: str = ""
    """Why a term was ignored."""

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def problem(self) -> str:
        """What is wrong with it, or that its regular expression is too slow."""
        slow = self.regex.complaint if self.regex and self.regex.timed_out else ""
        return "; ".join(filter(None, [self.invalid, slow]))

    @cached_property
    def highlight(self) -> Expression | None:
        """Finds in a drawn text what the query searches for."""
        wanted = [term for term in self.terms if not term.is_inverse and term.name not in _WHOLE]
        patterns = [f"(?:{t.value})" if t.name == "re" else re.escape(t.value) for t in wanted]
        try:
            return Expression("|".join(patterns), ignore_case=True) if patterns else None
        except ValueError:
            return None  # valid alone, not joined: global flags, or a group named twice

    def tests(
        self, haystack: Callable[[T], str], field: Callable[[str, str], Test[T]]
    ) -> list[Test[T]]:
        """The conditions as functions.

        `haystack` returns the lower-case text of an item; `field` makes the test of a name and a
        value.
        """
        return [self._test(term, haystack, field) for term in self.terms]

    def select(
        self,
        items: Iterable[T],
        haystack: Callable[[T], str],
        field: Callable[[str, str], Test[T]],
    ) -> list[T]:
        """The items that match, in their order."""
        found = list(items)
        for term in self.terms:
            if term.name or term.is_inverse:
                test = self._test(term, haystack, field)
                found = [item for item in found if test(item)]
            else:  # the most frequent case, without a call per item
                value = term.value
                found = [item for item in found if value in haystack(item)]
        return found

    def _test(
        self, term: Term, haystack: Callable[[T], str], field: Callable[[str, str], Test[T]]
    ) -> Test[T]:
        if term.is_inverse:
            test = self._test(term._replace(is_inverse=False), haystack, field)
            return lambda item: not test(item)
        value = term.value
        if not term.name:
            return lambda item: value in haystack(item)
        if term.name == "re" and self.regex is not None:
            search = self.regex.search
            return lambda item: search(haystack(item))
        return field(term.name, value)


def parse_query(text: str, names: Iterable[str], states: Collection[str] = ()) -> Query:
    """Parse what was typed; a term without a value is not complete yet and is ignored.

    `names` are the fields that can be tested, `states` the values of `is:` (all, if empty).
    """
    terms: list[Term] = []
    problems: list[str] = []
    expression = None
    regex = _REGEX.search(text)
    term = re.compile(rf'(?=\S)(!?)(?:({"|".join(names)}):)?(?:"([^"]*)"?|(\S*))')
    for sign, name, quoted, bare in term.findall(text[: regex.start()] if regex else text):
        value = (quoted or bare).lower()
        if name == "is" and states and value and value not in states:
            problems.append(f"unknown state is:{value}; use is:{' is:'.join(states)}")
        elif value.strip("!"):
            terms.append(Term(name, value, bool(sign)))
    if regex and regex[2]:
        try:
            expression = Expression(regex[2], ignore_case=True, multiline=True)
            terms.append(Term("re", regex[2], bool(regex[1])))
        except ValueError as error:
            problems.append(f"re:{regex[2]} is not a regular expression: {error}")
    return Query(tuple(terms), expression, "; ".join(problems))
