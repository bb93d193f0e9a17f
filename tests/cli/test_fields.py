"""`pw exec OP NAME=VALUE NAME:=JSON`, and `--get` for one value of the response."""

from __future__ import annotations

import json

import pytest

from pwtui.keywords.errors import KeywordError
from pwtui.keywords.parser import named_values, parse
from pwtui.protocol.catalog import catalog
from tests.cli.pw import Pw


@pytest.mark.parametrize(
    ("op", "words", "input"),
    [
        ("click", ["ref=e5", "waitMs:=200"], {"ref": "e5", "waitMs": 200}),
        ("click", ["ref=e5", "waitMs=200"], {"ref": "e5", "waitMs": 200}),
        ("click", ["ref=e5", "wait_ms=200"], {"ref": "e5", "waitMs": 200}),
        ("click", ['modifiers:=["Shift"]'], {"modifiers": ["Shift"]}),
        ("fill", ["words=Name", "text=007"], {"words": "Name", "text": "007"}),
        ("fill", ["text=a=b c"], {"text": "a=b c"}),
        ("fill", ["text="], {"text": ""}),
        ("tabs.switch", ["target:=1"], {"target": 1}),
        ("session.start", ["headful=true"], {"headful": True}),
        ("session.start", ["cdp=false"], {"cdp": False}),
    ],
)
def test_fields_become_the_input(op: str, words: list[str], input: dict[str, object]) -> None:
    assert named_values(catalog()[op].input, words, op) == input
    line = " ".join(
        [op, *(f'{word.partition("=")[0]}="{word.partition("=")[2]}"' for word in words)]
    )
    if '"]' not in line and ":=" not in line:
        assert parse(f"exec {line}").input == input


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("e5", "'e5' is not NAME=VALUE or NAME:=JSON"),
        ("=e5", "is not NAME=VALUE"),
        ("reff=e5", "click has no field reff; did you mean ref?"),
        ("waitMs=soon", "waitMs takes integer, not 'soon'"),
        ("waitMs:=soon", "waitMs: 'soon' is not JSON; use waitMs=soon to send text"),
        ("modifiers=Shift", "modifiers takes array, not 'Shift'; use modifiers:=JSON"),
    ],
)
def test_a_wrong_field_says_what_to_write(word: str, message: str) -> None:
    with pytest.raises(KeywordError) as error:
        named_values(catalog()["click"].input, [word], "click")

    assert message in str(error.value)


def test_fields_are_the_same_as_input(handed: Pw) -> None:
    fields = handed("exec", "ops.describe", "op=click")
    both = handed("exec", "ops.describe", "--input", '{"op": "fill"}', "op=click")
    mixed = handed("exec", "--format", "ndjson", "ops.describe", "-q", "op=click")
    wrong = handed("exec", "ops.describe", "opp=click")

    assert fields.json["data"]["op"] == "click"
    assert both.json["data"] == mixed.json["data"] == fields.json["data"]
    assert (wrong.code, wrong.json["error"]["code"]) == (1, "INVALID_INPUT")
    assert wrong.json["error"]["hint"] == "did you mean op?"


def test_for_a_word_without_equals_sign_the_keyword_line_is_suggested(
    handed: Pw,
) -> None:
    refused = handed("exec", "click", "e5")

    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("usage: pw exec ")
    assert "'e5' is not NAME=VALUE or NAME:=JSON; as keywords this is `pw click e5`" in refused.err


def test_one_value_of_the_response_can_be_printed(handed: Pw) -> None:
    def get(path: str, *more: str) -> str:
        found = handed("exec", "ops.describe", "op=click", "--get", path, *more)
        assert (found.code, found.err) == (0, "")
        return found.out

    assert get("data.op") == "click\n"
    assert get("ok") == "true\n"
    assert get("data.effect", "--json") == "acts\n"
    assert json.loads(get("data.example"))["op"] == "click"
    assert handed("ops", "--get", "data.operations.1.op").out == "forward\n"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("data.opp", "no 'opp' in data; did you mean op"),
        ("dat", "no 'dat' in the response; did you mean data?"),
        ("data.op.x", "no 'x' in data.op, which is \"ops.describe\""),
        ("data.input.required.7", "no '7' in data.input.required; it is a list of"),
        ("data.input.required.name", "no 'name' in data.input.required; it is a list of"),
        ("", "no '' in the response"),
    ],
)
def test_a_path_that_does_not_exist_fails(handed: Pw, path: str, message: str) -> None:
    missing = handed("exec", "ops.describe", "op=ops.describe", f"--get={path}")

    assert (missing.code, missing.out) == (1, "")
    assert message in missing.err


def test_get_of_a_request_that_failed_shows_the_error(handed: Pw) -> None:
    failed = handed("exec", "ops.describe", "op=clik", "--get", "data.op")
    code = handed("exec", "ops.describe", "op=clik", "--get", "error.code")

    assert (failed.code, failed.out) == (1, "")
    assert failed.err.startswith("INVALID_INPUT: ")
    assert (code.code, code.out) == (1, "INVALID_INPUT\n")
