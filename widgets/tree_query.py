"""The language of filter and search: ``save role:button !disabled``.

Words must all be found, in any case, somewhere in role, name, text or ref; ``"two words"`` is one
word. ``role:``, ``ref:`` and ``is:`` ask for one thing, ``!`` before any of them turns it round,
and ``re:`` takes all that follows as a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeAlias

from pwtui.protocol.bounded_regex import Expression
from pwtui.protocol.snapshot import SnapshotNode
from pwtui.widgets.tree_changes import ADDED, SAME
from pwtui.widgets.tree_roles import is_interactive

Test: TypeAlias = Callable[[int], bool]

_WORD: Final = re.compile(r'(!?)(?:(role|ref|is):)?(?:"([^"]*)"?|(\S+))', re.IGNORECASE)
_REGEX: Final = re.compile(r"(?:^|(?<=\s))(!?)re:(.*)", re.IGNORECASE | re.DOTALL)


class QueryError(ValueError):
    """The text is no query; the message says why, in words for a person."""


@dataclass
class Corpus:
    """What a query is asked about: the nodes, and what is known of them beside the page."""

    nodes: Sequence[SnapshotNode]
    changes: Sequence[int]
    marked: Collection[int]

    @cached_property
    def haystacks(self) -> list[str]:
        """One text for each node. A line for each part, so that no word spans two of them."""
        return [
            f"{node.role}\n{node.name or ''}\n{node.text or ''}\n{node.ref or ''}".casefold()
            for node in self.nodes
        ]

    @cached_property
    def roles(self) -> frozenset[str]:
        return frozenset([node.role for node in self.nodes])


@dataclass(frozen=True)
class _Term:
    kind: str
    value: str
    inverse: bool


@dataclass(frozen=True)
class TreeQuery:
    """`highlight` finds in a drawn text what the query asked for."""

    terms: tuple[_Term, ...] = ()
    regex: Expression | None = field(default=None, compare=False)
    highlight: Expression | None = field(default=None, compare=False)

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def problem(self) -> str:
        """Why it may not find all that it asks for, in words for a person."""
        return self.regex.complaint if self.regex and self.regex.timed_out else ""

    def select(self, corpus: Corpus, candidates: Iterable[int] | None = None) -> list[int]:
        """The nodes that match, in their order; of the candidates only, if there are any."""
        found = list(range(len(corpus.nodes)) if candidates is None else candidates)
        for term in self.terms:
            value, inverse = term.value, term.inverse
            if term.kind == "re" and self.regex is not None:
                haystacks, search = corpus.haystacks, self.regex.search
                found = [index for index in found if search(haystacks[index]) is not inverse]
            elif term.kind == "word":
                # What is typed most, letter by letter, is spared a call for each node.
                haystacks = corpus.haystacks
                found = [index for index in found if (value in haystacks[index]) is not inverse]
            else:
                test = _TESTS[term.kind](corpus, value)
                found = [index for index in found if test(index) is not inverse]
        return found


def parse_query(text: str) -> TreeQuery:
    """Raises QueryError for a regular expression that does not compile."""
    terms: list[_Term] = []
    drawn: list[str] = []
    regex = _REGEX.search(text)
    for sign, kind, quoted, bare in _WORD.findall(text[: regex.start()] if regex else text):
        value = (quoted or bare).casefold()
        if value and value != "!":
            terms.append(_Term(kind.casefold() or "word", value, bool(sign)))
            if not sign and not kind:
                drawn.append(re.escape(value))
    expression = None
    if regex and regex[2]:
        try:
            expression = Expression(regex[2], ignore_case=True, multiline=True)
        except ValueError as error:
            raise QueryError(f"not a regular expression: {error}") from error
        terms.append(_Term("re", regex[2], bool(regex[1])))
        if not regex[1]:
            drawn.append(f"(?:{regex[2]})")
    return TreeQuery(tuple(terms), expression, _highlighter(drawn))


def _highlighter(patterns: list[str]) -> Expression | None:
    try:
        return Expression("|".join(patterns), ignore_case=True) if patterns else None
    except ValueError:
        # Alone it compiles, joined it does not: global flags, or a group named twice.
        return None


# What each kind of term asks ----------------------------------------------------------------------


def _role(corpus: Corpus, value: str) -> Test:
    """A role that the page does not have is still being typed: its beginning is enough."""
    nodes = corpus.nodes
    if value in corpus.roles:
        return lambda index: nodes[index].role == value
    roles = frozenset([role for role in corpus.roles if role.casefold().startswith(value)])
    return lambda index: nodes[index].role in roles


def _ref(corpus: Corpus, value: str) -> Test:
    nodes = corpus.nodes
    return lambda index: nodes[index].ref == value


def _is(corpus: Corpus, value: str) -> Test:
    nodes, changes, marked = corpus.nodes, corpus.changes, corpus.marked
    if value == "interactive":
        return lambda index: is_interactive(nodes[index])
    if value == "changed":
        return lambda index: changes[index] != SAME
    if value == "new":
        return lambda index: changes[index] == ADDED
    if value == "marked":
        return lambda index: index in marked
    return lambda index: nodes[index].states.get(value, False) not in (False, "false")


_TESTS: Final[dict[str, Callable[[Corpus, str], Test]]] = {
    "role": _role,
    "ref": _ref,
    "is": _is,
}
