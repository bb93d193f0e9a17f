"""Each error code has an exception; suggestions are similar words."""

from __future__ import annotations

import errno

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtui.protocol.errors import (
    ErrorCode,
    InvalidInput,
    IoError,
    PwError,
    did_you_mean,
    near_misses,
)

KNOWN = ["navigate", "click", "page.text", "page.html", "page.coords-all"]


def test_an_error_keeps_its_message_and_details() -> None:
    details = {"selector": "h1"}

    error = InvalidInput("no", details=details)
    details["selector"] = "changed later"

    assert (str(error), error.message, error.code) == ("no", "no", ErrorCode.INVALID_INPUT)
    assert error.details == {"selector": "h1"}
    assert isinstance(error, PwError)


def test_an_error_without_details_has_none() -> None:
    assert InvalidInput("no").details is None


def test_codes_have_the_names_of_the_protocol() -> None:
    assert all(code.value == code.name for code in ErrorCode)
    assert f"{ErrorCode.TIMEOUT}" == "TIMEOUT"


def test_an_io_error_has_the_path_and_the_reason() -> None:
    error = IoError.of("write it", PermissionError(errno.EACCES, "Permission denied", "/x"))

    assert error.message == "cannot write it: Permission denied (/x)"
    assert error.details == {"path": "/x"}


def test_an_io_error_without_a_path_has_the_reason() -> None:
    error = IoError.of("write it", OSError("odd"))

    assert error.message == "cannot write it: OSError"
    assert error.details is None


@pytest.mark.parametrize(
    ("word", "first"),
    [
        ("navigat", "navigate"),
        ("Navigate", "navigate"),
        ("PAGE.TEXT", "page.text"),
        ("page.txt", "page.text"),
        ("page.coords_all", "page.coords-all"),
        ("clik", "click"),
    ],
)
def test_the_suggestion_for_a_misspelt_word_is_the_right_one(word: str, first: str) -> None:
    assert near_misses(word, KNOWN)[0] == first


def test_a_word_without_similar_words_has_no_suggestion() -> None:
    assert near_misses("zzzzz", KNOWN) == []
    assert did_you_mean([]) is None


def test_suggestions_are_one_question() -> None:
    assert did_you_mean(["a"]) == "did you mean a?"
    assert did_you_mean(["a", "b"]) == "did you mean a or b?"


@given(st.text())
def test_suggestions_are_known_words_and_few(word: str) -> None:
    found = near_misses(word, KNOWN)

    assert set(found) <= set(KNOWN)
    assert len(found) <= 3
