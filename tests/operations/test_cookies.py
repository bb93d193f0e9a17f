"""cookies.*, localstorage.*, sessionstorage.*, state.*: the storage of a session."""

from __future__ import annotations

import json
import stat
import time
from pathlib import Path

import pytest

from pwtui.protocol.envelope import Request
from pwtui.protocol.secrets import MASK
from tests.client import Client
from tests.site import TestSite


async def test_cookie_is_set_found_sent_and_deleted(client: Client, site: TestSite) -> None:
    page = {"url": site.url("/text.html")}
    await client.data("cookies.clear")
    saved = await client.data("cookies.set", {**page, "name": "theme", "value": "dark"})
    assert saved == {"name": "theme", "domain": "127.0.0.1", "path": "/"}
    soon = time.time() + 3600
    other = {
        "name": "theme",
        "value": "no",
        "domain": "example.com",
        "path": "/x",
        "httpOnly": True,
    }
    await client.data("cookies.set", {**other, "sameSite": "Strict", "expires": soon})
    await client.data("navigate", {"url": site.url("/cookies/show")})
    assert '"theme": "dark"' in (await client.data("page.text", {"selector": "body"}))["text"]
    found = await client.data("cookies.get", {"name": "theme"})
    assert found["found"] is True
    assert (found["cookie"]["value"], found["cookie"]["domain"]) == ("dark", "127.0.0.1")
    (listed,) = (await client.data("cookies.list", {"domain": ".Example.com"}))["cookies"]
    assert (listed["httpOnly"], listed["sameSite"], listed["expires"]) == (
        True,
        "Strict",
        pytest.approx(soon),
    )
    assert (await client.data("cookies.list", {"path": "/y"}))["count"] == 0
    assert (await client.data("cookies.list"))["count"] == 2
    assert await client.data("cookies.get", {"name": "nothing"}) == {"found": False}
    deleted = await client.data("cookies.delete", {"name": "theme", "domain": "example.com"})
    assert deleted == {"deleted": 1}
    assert (await client.data("cookies.clear")) == {"deleted": 1}


@pytest.mark.parametrize("op", ["cookies.set", "localstorage.set", "sessionstorage.set"])
async def test_cookie_value_is_masked_in_every_record(
    client: Client, site: TestSite, op: str
) -> None:
    name = "name" if op == "cookies.set" else "key"
    url = site.url("/text.html")
    request = Request(op=op, input={"url": url, name: "token", "value": "hunter2"})
    executed = await client.executor.execute_traced(request, client.caller)
    response = executed.response
    assert response.ok, response.error
    assert response.inputs == {"url": url, name: "token", "value": MASK}
    assert "hunter2" not in response.to_json()
    assert executed.masked_request.input["value"] == MASK


async def test_bad_cookie_is_refused_without_its_value(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    bad = {"name": "a", "value": "hunter2", "sameSite": "None", "expires": -7}
    error = await client.error("cookies.set", bad)
    assert error.code == "INVALID_INPUT"
    assert "hunter2" not in error.message
    await client.data("navigate", {"url": "about:blank"})
    error = await client.error("cookies.set", {"name": "a", "value": "b"})
    assert (error.code, "domain" in error.message) == ("INVALID_INPUT", True)


@pytest.mark.parametrize("family", ["localstorage", "sessionstorage"])
async def test_storage_is_read_and_changed(client: Client, site: TestSite, family: str) -> None:
    await client.data(f"{family}.clear", {"url": site.url("/text.html")})
    set_once = await client.data(f"{family}.set", {"key": "a", "value": "1"})
    set_again = await client.data(f"{family}.set", {"key": "a", "value": "2"})
    assert (set_once["created"], set_again["created"]) == (True, False)
    await client.data(f"{family}.set", {"key": "b", "value": ""})
    listed = await client.data(f"{family}.list")
    items = [{"key": "a", "value": "2"}, {"key": "b", "value": ""}]
    assert listed == {"origin": site.origin, "items": items, "count": 2}
    assert await client.data(f"{family}.get", {"key": "b"}) == {
        "key": "b",
        "found": True,
        "value": "",
    }
    assert await client.data(f"{family}.get", {"key": "c"}) == {"key": "c", "found": False}
    assert await client.data(f"{family}.delete", {"key": "c"}) == {"deleted": 0}
    assert await client.data(f"{family}.delete", {"key": "a"}) == {"deleted": 1}
    assert await client.data(f"{family}.clear") == {"deleted": 1}
    await client.data("navigate", {"url": "about:blank"})
    error = await client.error(f"{family}.list")
    assert (error.code, "about:blank" in error.message) == ("INVALID_INPUT", True)


async def test_state_is_saved_privately_and_loaded_again(client: Client, site: TestSite) -> None:
    page = {"url": site.url("/text.html")}
    await client.data("cookies.clear")
    await client.data("cookies.set", {**page, "name": "kept", "value": "yes"})
    await client.data("localstorage.set", {"key": "kept", "value": "too"})
    saved = await client.data("state.save", {"output": "saved/state.json"})
    path = Path(saved["path"])
    assert path == client.root / "saved/state.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_text())["cookies"][0]["name"] == "kept"
    await client.data("cookies.clear")
    await client.data("localstorage.clear")
    loaded = await client.data("state.load", {"file": "saved/state.json"})
    assert (loaded["cookies"], loaded["origins"]) == (1, 1)
    assert (await client.data("cookies.get", {"name": "kept"}))["cookie"]["value"] == "yes"
    assert (await client.data("localstorage.get", {"key": "kept"}))["value"] == "too"
    assert (await client.error("state.load", {"file": "nowhere.json"})).code == "AUTH_ERROR"


@pytest.mark.usefixtures("own_tab")
async def test_no_session_operation_hangs_while_a_dialog_is_open(
    client: Client, site: TestSite
) -> None:
    await client.data("click", {"url": site.url("/dialogs.html"), "selector": "#alert"})
    short = {"timeoutMs": 8000}
    works: list[tuple[str, dict[str, object]]] = [
        ("cookies.list", {}),
        ("cookies.clear", {}),
        ("route.list", {}),
        ("emulate.offline", {"offline": False}),
        ("state.save", {}),
    ]
    for op, input in works:
        response = await client.send(op, input, overrides=short)
        assert response.ok, (op, response.error)
    refused: list[tuple[str, dict[str, object]]] = [
        ("trace.start", {}),
        ("emulate.media", {"media": "print"}),
        ("emulate.locale", {"locale": "de-DE"}),
        ("emulate.timezone", {"timezone": "Asia/Tokyo"}),
        ("emulate.device", {"name": "Pixel 7"}),
    ]
    for op, input in refused:
        assert (await client.error(op, input, overrides=short)).code == "DIALOG_OPEN", op
    await client.data("dialog.accept")
    await client.data("trace.start")
    await client.data("click", {"selector": "#alert"})
    response = await client.send("trace.stop", overrides=short)
    assert response.ok, response.error
    await client.data("dialog.accept")
