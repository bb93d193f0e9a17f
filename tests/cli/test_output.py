"""`--get PATH` finds one value of a response."""

from __future__ import annotations

from typing import Any

import pytest

from pwtui.cli.output import PathNotFound, value_at

RESPONSE: dict[str, Any] = {
    "ok": True,
    "data": {"text": "Hi", "tabs": [{"url": "a"}, {"url": "b"}], "none": None, "empty": {}},
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("ok", "true"),
        ("data.text", "Hi"),
        ("data.tabs.1.url", "b"),
        ("data.tabs", '[{"url": "a"}, {"url": "b"}]'),
        ("data.none", "null"),
    ],
)
def test_text_is_unchanged_and_other_values_are_json(path: str, value: str) -> None:
    assert value_at(RESPONSE, path) == value


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("dta", "no 'dta' in the response; did you mean data?"),
        ("zzz", "no 'zzz' in the response; it has ok, data"),
        ("data.empty.x", "no 'x' in data.empty; it is empty"),
        ("data.tabs.2", "no '2' in data.tabs; it is a list of 2; use an index from 0"),
        ("data.tabs.url", "no 'url' in data.tabs; it is a list of 2; use an index from 0"),
        ("data.text.x", "no 'x' in data.text, which is \"Hi\""),
    ],
)
def test_a_path_that_does_not_exist_is_explained(path: str, problem: str) -> None:
    with pytest.raises(PathNotFound) as raised:
        value_at(RESPONSE, path)

    assert str(raised.value) == problem
