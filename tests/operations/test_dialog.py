"""dialog.show, dialog.accept, dialog.dismiss."""

from __future__ import annotations

import pytest

from pwtui.operations.framework.declare import operations
from tests.client import Client
from tests.operations.support import data_url, delta
from tests.site import TestSite

pytestmark = pytest.mark.usefixtures("own_tab")


async def open_dialog(client: Client, site: TestSite, kind: str) -> None:
    await client.data("click", {"url": site.url("/dialogs.html"), "selector": f"#{kind}"})


async def answer_of(client: Client) -> str:
    text: str = (await client.data("page.text", {"selector": "#answer"}))["text"]
    return text


async def test_open_dialog_is_shown(client: Client, site: TestSite) -> None:
    await open_dialog(client, site, "confirm")
    response = await client.send("dialog.show")
    dialog = {"type": "confirm", "message": "Are you sure?"}
    assert response.data == {"open": True, "dialog": dialog}
    assert response.inputs == {}
    assert delta(response) == {}
    response = await client.send("dialog.accept")
    assert response.data == {"open": False, "dialog": dialog}
    assert (await client.data("dialog.show")) == {"open": False}


@pytest.mark.parametrize(
    ("kind", "op", "input", "answer"),
    [
        ("alert", "dialog.accept", {}, "alert: undefined"),
        ("alert", "dialog.dismiss", {}, "alert: undefined"),
        ("confirm", "dialog.accept", {}, "confirm: true"),
        ("confirm", "dialog.dismiss", {}, "confirm: false"),
        ("prompt", "dialog.accept", {"text": "Ada"}, "prompt: Ada"),
        ("prompt", "dialog.accept", {"text": ""}, "prompt:"),
        ("prompt", "dialog.dismiss", {}, "prompt: null"),
    ],
)
async def test_answer_reaches_the_page(
    client: Client, site: TestSite, kind: str, op: str, input: dict[str, str], answer: str
) -> None:
    await open_dialog(client, site, kind)
    response = await client.send(op, input)
    assert response.ok, response.error
    assert response.inputs == input
    assert await answer_of(client) == answer


async def test_prompt_accepted_without_a_text_has_its_default(
    client: Client, site: TestSite
) -> None:
    await open_dialog(client, site, "prompt")
    await client.data("dialog.accept")
    assert await answer_of(client) == "prompt: Grace"


async def test_every_page_operation_fails_at_once_while_a_dialog_is_open(
    client: Client, site: TestSite
) -> None:
    await open_dialog(client, site, "alert")
    examples = {op.id: op.example for op in operations().values() if op.needs_page}
    for op in examples.keys() - {"navigate", "auth.login"}:
        takes_url = operations()[op].info.takes_url
        input = {k: v for k, v in examples[op].items() if k != "url" or not takes_url}
        response = await client.send(op, input, overrides={"timeoutMs": 20_000})
        assert response.error is not None, op
        assert response.error.code == "DIALOG_OPEN", op
        assert response.error.details is not None
        assert response.error.details["dialog"] == {"type": "alert", "message": "Mind the step"}
        assert response.duration_ms is not None
        assert response.duration_ms < 10_000, op
    await client.data("dialog.accept")
    assert await answer_of(client) == "alert: undefined"


async def test_dialog_that_opens_during_an_operation_ends_it(client: Client) -> None:
    await client.data(
        "navigate", {"url": data_url("<script>setTimeout(() => alert('now'), 200)</script>")}
    )
    response = await client.send("wait", {"condition": "#nowhere"})
    assert response.error is not None
    assert response.error.code == "DIALOG_OPEN"
    assert response.duration_ms is not None
    assert response.duration_ms < 15_000
    await client.data("dialog.accept")


async def test_dialog_at_load_ends_other_operations(client: Client, site: TestSite) -> None:
    error = await client.error(
        "page.text", {"url": site.url("/dialog-on-load.html"), "selector": "h1"}
    )
    assert error.code == "DIALOG_OPEN"
    await client.data("dialog.dismiss")
    assert await answer_of(client) == "confirm: false"


async def test_dialog_before_leaving_can_be_accepted(client: Client, site: TestSite) -> None:
    await client.data("click", {"url": site.url("/form.html"), "selector": "#name"})
    await client.data("page.eval", {"expression": "onbeforeunload = () => 'stay'; return 1"})
    response = await client.send("navigate", {"url": site.url("/text.html")})
    assert response.ok, response.error
    assert response.data is not None
    assert response.data["dialog"]["type"] == "beforeunload"
    await client.data("dialog.accept")
    data = await client.data("wait", {"condition": "#first"})
    assert data["selectorFound"] is True


@pytest.mark.parametrize("op", ["dialog.accept", "dialog.dismiss"])
async def test_answer_without_a_dialog_is_refused(client: Client, site: TestSite, op: str) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    error = await client.error(op)
    assert error.code == "INVALID_INPUT"
    assert "no dialog is open" in error.message


async def test_tab_with_a_dialog_is_marked_and_can_be_closed(
    client: Client, site: TestSite, own_tab: int
) -> None:
    await open_dialog(client, site, "alert")
    tabs = {tab["index"]: tab for tab in (await client.data("tabs.list"))["tabs"]}
    assert tabs[own_tab]["dialog"] is True
    data = await client.data("tabs.close", {"target": own_tab})
    assert data["closed"] is True
    await client.data("navigate", {"url": site.url("/text.html")})


async def test_other_tab_can_be_used_while_one_has_a_dialog(
    client: Client, site: TestSite, own_tab: int
) -> None:
    await open_dialog(client, site, "alert")
    await client.data("tabs.new", {"url": site.url("/text.html")})
    data = await client.data("page.text", {"selector": "h1"})
    assert data["text"] == "Hello"
    await client.data("tabs.switch", {"target": own_tab})
    await client.data("dialog.accept")
    assert await answer_of(client) == "alert: undefined"
