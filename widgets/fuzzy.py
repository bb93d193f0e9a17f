"""Fuzzy matching in linear time.

The letters of each word must appear in order. A few placements are tried, each in one pass, and the
best one counts: word starts and runs score high, gaps low. Textual's matcher tries all placements,
which takes 40 times as long for 200 lines of history, and needs the words in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

# The first character of a word, and the capitals of camelCase.
_WORD_START = re.compile(r"(?<![^\W_])[^\W_]|(?<=[a-z0-9])[A-Z]")

_LETTER = 16
_AT_WORD_START = 9
_IN_A_RUN = 12
_AT_THE_START = 4
_WHOLE_TEXT = 40
_MOST_GAP = 12


class FuzzyMatch(NamedTuple):
    """The score of a match, and its positions."""

    score: float
    positions: tuple[int, ...]


class Candidate:
    """A text, prepared for matching."""

    __slots__ = ("folded", "start_set", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = fold(text)
        self.starts = tuple(found.start() for found in _WORD_START.finditer(text))
        self.start_set = frozenset(self.starts)


class FuzzyQuery:
    """The words of the user, which must all match; case matters in words with capitals."""

    __slots__ = ("text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = tuple(
            (word, True) if word != word.lower() else (fold(word), False) for word in text.split()
        )

    def __bool__(self) -> bool:
        return bool(self.words)

    def narrows(self, other: FuzzyQuery) -> bool:
        """Whether the other query matches everything that this one matches."""
        return self.text.startswith(other.text)

    def match(self, candidate: Candidate) -> FuzzyMatch | None:
        """None if a word does not match. An empty query matches everything."""
        if not self.words:
            return FuzzyMatch(0.0, ())
        score = -len(candidate.text) * 0.05
        positions: set[int] = set()
        for word, exact in self.words:
            found = _match_word(word, candidate, candidate.text if exact else candidate.folded)
            if found is None:
                return None
            score += found.score
            positions.update(found.positions)
        return FuzzyMatch(score, tuple(sorted(positions)))


def fold(text: str) -> str:
    """The text in lower case, with the same positions."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(each if len(each.lower()) != 1 else each.lower() for each in text)


def _match_word(word: str, candidate: Candidate, text: str) -> FuzzyMatch | None:
    scattered = _tightest(word, text)
    if scattered is None:
        return None
    ways = [_run(word, candidate, text), _word_starts(word, candidate, text), scattered]
    scored = [
        FuzzyMatch(_score(way, candidate, text), tuple(way)) for way in ways if way is not None
    ]
    return max(scored, key=lambda match: match.score)


def _tightest(word: str, text: str) -> list[int] | None:
    """The letters as close together as possible before the first place where the word ends."""
    at = -1
    for letter in word:
        at = text.find(letter, at + 1)
        if at < 0:
            return None
    positions = []
    at += 1
    for letter in reversed(word):
        at = text.rfind(letter, 0, at)
        positions.append(at)
    return positions[::-1]


def _run(word: str, candidate: Candidate, text: str) -> range | None:
    """The word in one piece, at the start of a word if possible."""
    first = text.find(word)
    if first < 0:
        return None
    at = next((start for start in candidate.starts if text.startswith(word, start)), first)
    return range(at, at + len(word))


def _word_starts(word: str, candidate: Candidate, text: str) -> list[int] | None:
    """Each letter next to the previous one, or at the start of a later word."""
    positions: list[int] = []
    last = -2
    starts = iter(candidate.starts)
    for letter in word:
        if positions and last + 1 < len(text) and text[last + 1] == letter:
            last += 1
        else:
            found = next((s for s in starts if s > last and text[s] == letter), None)
            if found is None:
                return None
            last = found
        positions.append(last)
    return positions


def _score(positions: Iterable[int], candidate: Candidate, text: str) -> float:
    score, length, last = 0.0, 0, -2
    for at in positions:
        length += 1
        score += _LETTER + _AT_WORD_START * (at in candidate.start_set) + _AT_THE_START * (at == 0)
        if at == last + 1:
            score += _IN_A_RUN
        elif last >= 0:
            score -= min(at - last, _MOST_GAP)
        last = at
    return score + _WHOLE_TEXT if length == len(text) else score
