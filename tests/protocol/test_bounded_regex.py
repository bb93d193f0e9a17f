"""Regular expressions from users."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtui.protocol.bounded_regex import Expression


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("/orders/{id}", "/orders/{id}"),
        ("a{2}b", "aab"),
        ("^a{,2}b", "b"),
        ("a{2,}", "aaa"),
        ("{}", "{}"),
        (r"\{x\}", "{x}"),
        ("[{]", "{"),
        (r"\p{Lu}", "É"),
        ("x{e}", "x{e}"),
    ],
)
def test_braces_are_repeats_or_literal(source: str, text: str) -> None:
    assert Expression(source).search(text)
    assert Expression(source).spans(text) == [(0, len(text))]


@given(st.text("ab{},12\\[]()|*+?.^$ \n", max_size=12), st.text("ab{},12 \n", max_size=12))
def test_matches_are_those_of_re(source: str, text: str) -> None:
    try:
        expected = re.compile(source)
    except (re.error, RecursionError, OverflowError, FutureWarning):
        return
    expression = Expression(source)
    assert expression.search(text) is (expected.search(text) is not None)
    assert not expression.timed_out


@pytest.mark.parametrize("source", ["(", "[z-a]", "*", "a{99999999999999999999}", "(" * 5000])
def test_an_invalid_expression_is_an_error_with_the_reason(source: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Expression(source)


def test_a_slow_search_times_out_and_finds_nothing() -> None:
    expression = Expression("(a|aa)+$")
    assert expression.search("aaa")
    assert not expression.search("a" * 300 + "c")
    assert expression.timed_out
    assert expression.spans("a" * 300 + "c") == []
    assert "'(a|aa)+$'" in expression.complaint


def test_many_quick_searches_are_not_slow() -> None:
    expression = Expression("[xy] +z", ignore_case=True)
    found = [expression.search(f"entry {number} of a log  Z") for number in range(100_000)]
    assert not any(found)
    assert not expression.timed_out


def test_case_and_multiline_are_options() -> None:
    assert not Expression("^save$").search("role\nSAVE")
    assert Expression("^save$", ignore_case=True, multiline=True).search("role\nSAVE")
