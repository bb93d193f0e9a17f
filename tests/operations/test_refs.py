"""Refs: accepted by every operation on an element, and replaced by durable locators."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pwtui.operations.framework.declare import Operation, operations
from tests.client import Client
from tests.operations.support import delta, refs
from tests.site import TestSite

TAKE_AN_ELEMENT = [op for op in operations().values() if op.takes_element]
DURABLE = {
    "Name": "getByRole('textbox', { name: 'Name' })",
    "I agree": "getByRole('checkbox', { name: 'I agree' })",
    "Color": "getByLabel('Color')",
}


NEEDED: dict[str, dict[str, Any]] = {
    "drag": {"toSelector": "#bio"},
    "drop": {"data": {"text/plain": "x"}},
    "verify.element": {},
    "verify.value": {"value": ""},
    "verify.list": {"items": ["Red"]},
}
# What these need to find in the element is tested with them.
TESTED_ELSEWHERE = {"upload", "drop"}


def input_of(op: Operation, folder: Path) -> dict[str, Any]:
    """What the operation needs beside the element."""
    needed = {key: value for key, value in op.example.items() if key not in ("url", "selector")}
    needed = NEEDED.get(op.id, needed)
    if "output" in op.input.model_fields:
        needed["output"] = str(folder / "element.png")
    return needed


def test_operations_on_elements_are_known() -> None:
    known = {op.id for op in TAKE_AN_ELEMENT}
    assert {"click", "fill", "page.text", "page.html", "page.coords", "screenshot"} <= known


@pytest.mark.parametrize(
    "op", [op for op in TAKE_AN_ELEMENT if op.id not in TESTED_ELSEWHERE], ids=lambda op: op.id
)
async def test_operation_takes_a_ref_and_returns_the_durable_locator(
    client: Client, site: TestSite, op: Operation, tmp_path: Path
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    names = {"check": "I agree", "uncheck": "I agree", "select": "Color", "verify.list": "Color"}
    name = names.get(op.id, "Name")
    ref = (await refs(client))[name]
    input = input_of(op, tmp_path)
    response = await client.send(op.id, {**input, "ref": ref})
    assert response.ok, response.error
    assert response.inputs is not None
    assert response.inputs["ref"] == ref
    assert response.inputs["selector"] == DURABLE[name]
    assert delta(response)["selector"] == DURABLE[name]
    await client.data("navigate", {"url": site.url("/form.html")})
    again = await client.send(op.id, {**input, "selector": DURABLE[name]})
    assert again.ok, again.error


async def test_a_stale_ref_fails_immediately(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    ref = (await refs(client))["Name"]
    await client.data("navigate", {"url": site.url("/text.html")})
    for op, stale in product(TAKE_AN_ELEMENT, (ref, "e999999", "f9e1")):
        response = await client.send(
            op.id, {**input_of(op, tmp_path), "ref": stale}, overrides={"timeoutMs": 20_000}
        )
        assert response.error is not None, op.id
        assert response.error.code == "SELECTOR_NOT_FOUND"
        assert response.error.details == {"ref": stale}
        assert "page.aria" in str(response.error.hint)
        assert response.duration_ms is not None
        assert response.duration_ms < 10_000


async def test_ref_of_a_removed_element_fails_at_once(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/duplicates.html")})
    ref = (await refs(client))["Save"]
    await client.data("page.eval", {"expression": "document.querySelector('button').remove()"})
    response = await client.send("click", {"ref": ref}, overrides={"timeoutMs": 20_000})
    assert response.error is not None
    assert response.error.code == "SELECTOR_NOT_FOUND"
    assert response.duration_ms is not None
    assert response.duration_ms < 10_000


@pytest.mark.parametrize("ref", ["", "5", "e", "button", "e5 >> x"])
async def test_other_text_is_not_a_ref(client: Client, ref: str) -> None:
    error = await client.error("click", {"ref": ref})
    assert error.code == "INVALID_INPUT"
    assert "page.aria" in str(error.hint)


async def test_ref_survives_a_change_elsewhere_on_the_page(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/duplicates.html")})
    ref = (await refs(client))["Save"]
    await client.data("page.eval", {"expression": "document.querySelector('h1').remove()"})
    await client.data("click", {"ref": ref})
    clicked = await client.data("page.text", {"selector": "#clicked"})
    assert clicked["text"] == "1"


async def test_ref_of_one_of_many_like_it_is_distinguished(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/duplicates.html")})
    snapshot = (await client.data("page.aria"))["snapshot"]
    found = [
        line.split("[ref=")[1].split("]")[0] for line in snapshot.splitlines() if "Save" in line
    ]
    response = await client.send("click", {"ref": found[2]})
    assert response.inputs is not None
    durable = response.inputs["selector"]
    await client.data("navigate", {"url": site.url("/duplicates.html")})
    await client.data("click", {"selector": durable})
    clicked = await client.data("page.text", {"selector": "#clicked"})
    assert clicked["text"] == "3"


@pytest.mark.parametrize("frame", ["same", "deep", "cross"])
async def test_ref_inside_a_frame(client: Client, site: TestSite, frame: str) -> None:
    await client.data("navigate", {"url": site.url("/frames.html")})
    snapshot = (await client.data("page.aria"))["snapshot"]
    lines = [line for line in snapshot.splitlines() if "Inner button" in line]
    line = lines[["same", "deep", "cross"].index(frame)]
    ref = line.split("[ref=")[1].split("]")[0]
    assert ref.startswith("f")
    response = await client.send("click", {"ref": ref})
    assert response.ok, response.error
    assert response.inputs is not None
    durable = response.inputs["selector"]
    await client.data("navigate", {"url": site.url("/frames.html")})
    await client.data("click", {"selector": durable})
    clicked = durable.rpartition(".getBy")[0] + ".locator('#clicked')"
    assert (await client.data("page.text", {"selector": clicked}))["text"] == "inner"


@pytest.mark.parametrize(
    ("name", "said"), [("Shadow button", "shadow"), ("Nested button", "nested")]
)
async def test_ref_inside_a_shadow_root(
    client: Client, site: TestSite, name: str, said: str
) -> None:
    await client.data("navigate", {"url": site.url("/shadow.html")})
    response = await client.send("click", {"ref": (await refs(client))[name]})
    assert response.inputs is not None
    assert (await client.data("page.text", {"selector": "#clicked"}))["text"] == said
    await client.data("navigate", {"url": site.url("/shadow.html")})
    await client.data("click", {"selector": response.inputs["selector"]})
    assert (await client.data("page.text", {"selector": "#clicked"}))["text"] == said
