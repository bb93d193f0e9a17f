"""The problems that the schema of an operation finds in its input, as the executor does."""

from __future__ import annotations

from typing import Any

import pytest

from pwtui.operations.framework.declare import operations
from pwtui.protocol.catalog import catalog
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import decode
from pwtui.protocol.schema import problems


@pytest.mark.parametrize("op", sorted(catalog()))
def test_the_example_of_an_operation_has_no_problems(op: str) -> None:
    assert problems(catalog()[op].input, catalog()[op].example or {}) == []


@pytest.mark.parametrize(
    ("op", "input", "problem"),
    [
        ("click", {"selector": 3}, ("selector", "must be text")),
        ("click", {"selektor": "a"}, ("selektor", "unknown field")),
        ("click", {"button": "upper"}, ("button", "must be one of left, middle, right")),
        ("click", {"waitMs": True}, ("waitMs", "must be a whole number")),
        ("click", {"waitMs": -1}, ("waitMs", "must be at least 0")),
        ("cookies.get", {}, ("name", "is required")),
        ("upload", {"selector": "a", "files": ["a", 1]}, ("files.1", "must be text")),
        ("click", "e5", ("", "must be an object")),
    ],
)
def test_a_wrong_input_is_described_and_refused_by_the_executor(
    op: str, input: Any, problem: tuple[str, str]
) -> None:
    assert problem in problems(catalog()[op].input, input)
    with pytest.raises(InvalidInput):
        decode(operations()[op].input, input, where="input")
