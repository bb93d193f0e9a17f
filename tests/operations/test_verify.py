"""verify.*, wait.text, wait.url and page.find."""

from __future__ import annotations

from typing import Any

import pytest

from pwtui.operations.page import verify
from pwtui.protocol.secrets import MASK
from tests.client import Client
from tests.operations.support import refs
from tests.site import TestSite

SHORT = {"timeoutMs": 300}


@pytest.mark.parametrize(
    ("op", "good", "bad"),
    [
        ("verify.text", {"text": "i AGREE"}, {"text": "I disagree"}),
        ("verify.text", {"text": "I agree", "exact": True}, {"text": "I", "exact": True}),
        ("verify.element", {"role": "button", "name": "subm"}, {"role": "button", "name": "Nope"}),
        ("verify.element", {"role": "checkbox"}, {"role": "slider"}),
        ("verify.element", {"selector": "#age"}, {"selector": "#nowhere"}),
        ("verify.value", {"selector": "#name", "value": ""}, {"selector": "#name", "value": "x"}),
        (
            "verify.value",
            {"selector": "#agree", "value": "false"},
            {"selector": "#agree", "value": "checked"},
        ),
        (
            "verify.value",
            {"selector": "#small", "value": "true"},
            {"selector": "#large", "value": "true"},
        ),
        (
            "verify.value",
            {"selector": "#color", "value": "Red"},
            {"selector": "#color", "value": "green"},
        ),
        (
            "verify.value",
            {"selector": "fieldset", "value": "small"},
            {"selector": "fieldset", "value": "Large"},
        ),
        (
            "verify.list",
            {"selector": "#color", "items": ["blue", "red"]},
            {"selector": "#color", "items": ["Pink"]},
        ),
        ("verify.title", {"text": "For"}, {"text": "form"}),
        ("verify.url", {"text": "/form"}, {"text": "/other"}),
        ("verify.url", {"glob": "http://*/form.html"}, {"glob": "*/form.html"}),
        ("verify.url", {"regex": r"form\.html$"}, {"regex": "^form"}),
    ],
)
async def test_a_true_assertion_passes_and_its_opposite_fails(
    client: Client, site: TestSite, op: str, good: dict[str, Any], bad: dict[str, Any]
) -> None:
    await client.data("wait", {"url": site.url("/form.html"), "condition": "load"})
    assert (await client.data(op, good))["verified"] is True
    await client.data(op, {**bad, "negate": True})
    for input in (bad, {**good, "negate": True}):
        error = await client.error(op, input, overrides=SHORT)
        assert error.code == "ASSERTION_FAILED", error
        assert error.details is not None
        assert {"expected", "actual", "timeoutMs"} <= error.details.keys()


async def test_list_is_compared_in_full_when_exact(client: Client, site: TestSite) -> None:
    fruits = {"url": site.url("/actions.html"), "selector": "#fruits", "exact": True}
    await client.data("verify.list", {**fruits, "items": ["Apple", "Pear"]})
    error = await client.error(
        "verify.list", {**fruits, "items": ["Pear", "Apple"]}, overrides=SHORT
    )
    assert error.details is not None
    assert (error.details["expected"], error.details["actual"]) == (
        ["Pear", "Apple"],
        ["Apple", "Pear"],
    )


@pytest.mark.parametrize(
    ("op", "input"),
    [
        ("verify.text", {"text": "After the rain"}),
        ("verify.text", {"text": "before", "negate": True}),
        ("verify.element", {"role": "button", "name": "Late"}),
        ("verify.value", {"selector": "#field", "value": "full"}),
        ("verify.list", {"selector": "#list", "items": ["one"]}),
        ("verify.title", {"text": "Ready", "exact": True}),
        ("verify.url", {"text": "#done"}),
        ("wait.text", {"text": "after"}),
        ("wait.text", {"text": "before", "gone": True}),
        ("wait.url", {"url": "/done$/"}),
    ],
)
async def test_an_assertion_waits_until_it_holds(
    client: Client, site: TestSite, op: str, input: dict[str, Any]
) -> None:
    await client.data("navigate", {"url": site.url("/becomes.html")})
    await client.data("page.eval", {"expression": "dispatchEvent(new Event('go')); return 1"})
    await client.data(op, input)


async def test_assertion_has_its_own_short_timeout(
    client: Client, site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert verify.DEFAULT_MS == 5000
    monkeypatch.setattr(verify, "DEFAULT_MS", 250)
    await client.data("navigate", {"url": site.url("/form.html")})
    error = await client.error("verify.url", {"text": "/nowhere"})
    assert error.details is not None
    assert error.details["timeoutMs"] == 250


async def test_field_is_verified_by_ref_even_in_a_frame(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/frames.html")})
    await client.data("wait.text", {"text": "Inner button"})
    found = (await client.data("page.find", {"text": "Inner password"}))["matches"]
    ref = next(match["ref"] for match in found if match["role"] == "textbox")
    assert ref.startswith("f")
    await client.data("fill", {"ref": ref, "text": "hunter2"})
    response = await client.send("verify.value", {"ref": ref, "value": "hunter2"})
    assert response.ok, response.error
    assert "hunter2" not in response.to_json()
    failed = await client.send("verify.value", {"ref": ref, "value": "letmein"}, overrides=SHORT)
    assert failed.error is not None
    assert failed.error.details is not None
    assert (failed.error.details["expected"], failed.error.details["actual"]) == (MASK, MASK)
    assert "letmein" not in failed.to_json()
    for input in ({"role": "button", "name": "Inner"}, {"selector": "#inner-button"}, {"ref": ref}):
        await client.data("verify.element", input)
    await client.data("verify.text", {"text": "inner BUTTON"})


async def test_list_is_verified_by_ref(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    await client.data("verify.list", {"ref": (await refs(client))["Color"], "items": ["Green"]})


@pytest.mark.parametrize(
    ("op", "input", "code"),
    [
        ("verify.element", {}, "INVALID_INPUT"),
        ("verify.element", {"role": "button", "selector": "a"}, "INVALID_INPUT"),
        ("verify.element", {"selector": "[[["}, "INVALID_INPUT"),
        ("verify.text", {"text": ""}, "INVALID_INPUT"),
        ("verify.url", {"text": "a", "glob": "b"}, "INVALID_INPUT"),
        ("verify.url", {"regex": "("}, "INVALID_INPUT"),
        ("verify.value", {"selector": "h1", "value": "x"}, "INVALID_INPUT"),
        ("verify.value", {"selector": "p input", "value": "x"}, "SELECTOR_AMBIGUOUS"),
        ("verify.value", {"selector": "#nowhere", "value": "x"}, "ASSERTION_FAILED"),
        (
            "verify.list",
            {"selector": "#nowhere", "items": ["x"], "negate": True},
            "ASSERTION_FAILED",
        ),
        ("wait.text", {"text": "nowhere"}, "TIMEOUT"),
        ("wait.url", {"url": "nowhere"}, "TIMEOUT"),
        ("wait.url", {"url": "/(/"}, "INVALID_INPUT"),
        ("page.find", {"regex": "("}, "INVALID_INPUT"),
        ("page.find", {}, "INVALID_INPUT"),
    ],
)
async def test_an_assertion_that_cannot_be_checked_has_a_reason(
    client: Client, site: TestSite, op: str, input: dict[str, Any], code: str
) -> None:
    await client.data("wait", {"url": site.url("/form.html"), "condition": "load"})
    assert (await client.error(op, input, overrides=SHORT)).code == code


@pytest.mark.parametrize(
    ("op", "input"),
    [
        ("verify.url", {"regex": "(a|aa)+$"}),
        ("wait.url", {"url": "/(a|aa)+$/"}),
        ("requests.list", {"filter": "/(a|aa)+$/", "static": True}),
        ("page.find", {"regex": "(a|aa)+$"}),
    ],
)
async def test_endless_expression_is_stopped_and_blocks_no_other_request(
    client: Client, site: TestSite, op: str, input: dict[str, Any]
) -> None:
    name = "a" * 300 + "c"
    page = site.url(f"/form.html?{name}")
    await client.data("navigate", {"url": page})
    await client.data("page.eval", {"expression": f"void (document.body.innerHTML = '{name}')"})
    error = await client.error(op, input)
    assert error.code == "INVALID_INPUT"
    assert error.details == {"regex": "(a|aa)+$"}
    assert "takes too long" in error.message


async def test_elements_are_found_with_their_path_and_context(
    client: Client, site: TestSite
) -> None:
    await client.data("wait", {"url": site.url("/form.html"), "condition": "load"})
    found = await client.data("page.find", {"text": "submit"})
    (match,) = found["matches"]
    assert (match["role"], match["name"], found["total"]) == ("button", "Submit", 1)
    assert f"[ref={match['ref']}]" in match["context"]
    await client.data("click", {"ref": match["ref"]})
    sized = await client.data("page.find", {"role": "radio", "maxResults": 1})
    assert (sized["count"], sized["total"]) == (1, 2)
    assert "group 'Size'" in sized["matches"][0]["path"]
    by_regex = await client.data("page.find", {"regex": "^(Name|Age)$", "role": "textbox"})
    assert [each["name"] for each in by_regex["matches"]] == ["Name"]


async def test_a_role_that_cannot_be_one_is_refused(client: Client) -> None:
    error = await client.error("verify.element", {"role": "\0", "name": "x"})
    assert error.code == "INVALID_INPUT"
    assert "role" in error.message
