"""Fuzzy matching: what is found, what comes first, and that it never explodes."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pwtui.widgets.fuzzy import Candidate, FuzzyMatch, FuzzyQuery, fold


def match(query: str, text: str) -> FuzzyMatch | None:
    return FuzzyQuery(query).match(Candidate(text))


TEXT = st.text(max_size=60)
LETTERS = st.text(alphabet="abcABC .-", max_size=40)


def best_first(query: str, *texts: str) -> list[str]:
    found = [(m.score, text) for text in texts if (m := match(query, text))]
    return [text for _, text in sorted(found, key=lambda each: -each[0])]


@pytest.mark.parametrize(
    ("query", "text", "positions"),
    [
        ("pt", "page.text", (0, 5)),
        ("click", "double click", (7, 8, 9, 10, 11)),
        ("ses", "close session", (6, 7, 8)),
        ("bu", "baseUrl buy", (8, 9)),
        ("bU", "baseUrl buy", (0, 4)),
        ("e27", "click e127 e27", (11, 12, 13)),
        ("cli 27", "click e27", (0, 1, 2, 7, 8)),
        ("27 cli", "click e27", (0, 1, 2, 7, 8)),
        ("", "anything", ()),
        ("ß", "straße", (4,)),
    ],
)
def test_the_best_positions_are_matched(query: str, text: str, positions: tuple[int, ...]) -> None:
    found = match(query, text)

    assert found is not None
    assert found.positions == positions


@pytest.mark.parametrize(("query", "text"), [("xyz", "click"), ("kc", "click"), ("Click", "click")])
def test_letters_out_of_order_do_not_match(query: str, text: str) -> None:
    assert match(query, text) is None


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("click", ["click", "click e27", "double click", "c-l-i-c-k"]),
        ("text", ["text", "page.text", "context"]),
        ("ss", ["session start", "session.status x", "dismiss", "stale is"]),
        ("tab", ["tabs.new", "protect a tab", "the able"]),
    ],
)
def test_better_matches_come_first(query: str, order: list[str]) -> None:
    assert best_first(query, *reversed(order)) == order


@given(query=LETTERS, text=LETTERS)
def test_matched_positions_spell_the_query(query: str, text: str) -> None:
    words = query.split()
    found = match(query, text)

    expected = all(is_subsequence(word, text) for word in words)
    assert (found is not None) == expected
    if found is not None and len(words) == 1:
        spelt = "".join(text[at] for at in found.positions)
        assert spelt == words[0] or spelt.lower() == words[0]
        assert list(found.positions) == sorted(set(found.positions))


def is_subsequence(word: str, text: str) -> bool:
    letters = iter(text if word != word.lower() else text.lower())
    return all(letter in letters for letter in word)


@given(text=TEXT)
def test_every_text_matches_itself(text: str) -> None:
    found = match(text, text)

    assert found is not None
    assert all(0 <= at < len(text) for at in found.positions)


@given(text=TEXT)
def test_folding_keeps_positions(text: str) -> None:
    assert len(fold(text)) == len(text)


@given(query=LETTERS, more=LETTERS, text=LETTERS)
def test_a_longer_query_only_narrows(query: str, more: str, text: str) -> None:
    longer, shorter = FuzzyQuery(query + more), FuzzyQuery(query)

    assert longer.narrows(shorter)
    if longer.match(Candidate(text)) is not None:
        assert shorter.match(Candidate(text)) is not None


def lines_run(query: str, text: str) -> int:
    """The lines of code that one match runs: its cost, without a clock."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    asked, candidate = FuzzyQuery(query), Candidate(text)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        asked.match(candidate)
    finally:
        sys.settrace(before)
    return count


@settings(max_examples=30, deadline=None)
@given(
    unit=st.sampled_from(["e ", "a", "ab", "se-", "e.e", "aA"]),
    query=st.text(alphabet="aeAs", min_size=1, max_size=30),
)
def test_the_cost_is_linear_in_the_text(unit: str, query: str) -> None:
    """The stock matcher needs minutes for the first of these, ten times as long."""
    short, long = lines_run(query, unit * 200), lines_run(query, unit * 800)

    assert 0 < long <= 5 * short


def test_of_five_thousand_candidates_those_with_every_word_match() -> None:
    verbs = ["click", "fill", "hover", "navigate", "screenshot", "snapshot", "press", "select"]
    candidates = [
        Candidate(f"{verbs[i % 8]} e{i} button account settings {i}") for i in range(5000)
    ]
    query = FuzzyQuery("setts 4")

    found = [i for i, candidate in enumerate(candidates) if query.match(candidate)]

    assert found == [i for i in range(5000) if "4" in str(i)]
