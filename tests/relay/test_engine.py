"""Operations with a relay as the endpoint of the profile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pwtui.browser.session.observers import Wanted
from pwtui.relay.api import cdp_url
from tests.client import Client
from tests.operations.support import refs
from tests.relay.rig import Cdp, Rig, eventually
from tests.site import TestSite

NAME = "getByRole('textbox', { name: 'Name' })"
SUBMIT = "getByRole('button', { name: 'Submit' })"


async def test_operations_work_through_the_relay_and_do_not_close_the_users_tabs(
    rig: Rig, site: TestSite, client: Client
) -> None:
    mine = await rig.open(site.url("/article.html"))
    await client.data("connect", {"endpoint": f"http://127.0.0.1:{rig.port}"})
    listed = await client.data("session.list")
    await client.data("tabs.new", {"url": site.url("/form.html")})
    shown = await client.data("page.aria")
    name = (await refs(client))["Name"]
    await client.data("fill", {"ref": name, "text": "Ada"})
    await client.data("click", {"ref": (await refs(client))["Submit"]})
    result = await client.data("page.text", {"selector": "#result"})
    value = "document.querySelector('#name').value"
    typed = await client.data("page.eval", {"expression": value})
    picture = await client.data("screenshot", {"output": "page.png"})
    navigated = await client.data("navigate", {"url": site.url("/links.html")})
    tabs = await client.data("tabs.list")
    attached = await client.data("session.list")
    await client.data("tabs.close", {"target": tabs["tabs"][-1]["index"]})
    await client.data("session.stop")

    relayed = [each for each in listed["sessions"] if each["origin"] == "relay"]
    assert [each["cdpEndpoint"] for each in relayed] == [f"http://127.0.0.1:{rig.port}"]
    assert [page["url"] for page in relayed[0]["pages"]] == [site.url("/article.html")]
    assert "Submit" in shown["snapshot"]
    assert "name=Ada" in result["text"]
    assert typed["result"] == "Ada"
    assert (client.root / picture["path"]).exists()
    assert navigated["url"] == site.url("/links.html")
    assert [tab["url"] for tab in tabs["tabs"]] == [
        site.url("/article.html"),
        site.url("/links.html"),
    ]
    assert "relay" not in [each["origin"] for each in attached["sessions"]]
    assert [page["targetId"] for page in await rig.pages()] == [mine]


async def test_a_saved_login_is_loaded_into_the_users_context(
    rig: Rig, site: TestSite, client: Client, tmp_path: Path
) -> None:
    cookie: Any = {"name": "login", "value": "yes", "domain": "127.0.0.1", "path": "/"}
    state = {"cookies": [cookie | {"expires": -1}], "origins": []}
    (tmp_path / "login.json").write_text(json.dumps(state))
    place: Any = {"profile": "login", "overrides": {"authFile": str(tmp_path / "login.json")}}
    await client.data("connect", {"endpoint": cdp_url(rig.port)}, profile="login")
    await client.data("navigate", {"url": site.url("/cookies/show")}, **place)
    text = await client.data("page.text", {"selector": "body"}, **place)
    await client.data("session.stop", **place)
    async with rig.client() as browser:
        await browser.contexts[0].clear_cookies()

    assert json.loads(text["text"]) == {"login": "yes"}


async def test_a_relay_without_a_browser_is_an_error_without_the_token(
    rig: Rig, client: Client
) -> None:
    endpoint = f"http://127.0.0.1:{rig.port}/?extension=unknown"
    await client.data("connect", {"endpoint": endpoint}, profile="nobody")
    error = await client.error("page.text", {"selector": "h1"}, profile="nobody")

    assert error.code == "BROWSER_LAUNCH_FAILED"
    assert "click the pwtui button on a tab" in str(error.hint)
    assert "token" not in json.dumps(error.model_dump())


async def test_what_a_person_and_a_page_do_in_a_relayed_tab_are_events(
    rig: Rig, site: TestSite, client: Client
) -> None:
    target = await rig.open(site.url("/form.html"))
    events: list[dict[str, Any]] = []
    observers = client.executor.pool.observers
    kinds = frozenset(("user", "pageError", "network", "snapshot", "navigation", "dialog"))

    def deliver(kind: str, event: dict[str, Any]) -> None:
        events.append(event)

    async def arrived(kind: str, **fields: Any) -> dict[str, Any]:
        wanted = {"event": kind, **fields}
        found = await eventually(
            lambda: [each for each in events if wanted.items() <= each.items()], f"{wanted}"
        )
        return found[0]

    observers.subscribe(deliver, Wanted(kinds))
    await client.data("connect", {"endpoint": f"http://127.0.0.1:{rig.port}"})
    await client.data("page.text", {"selector": "h1"})
    shown = await arrived("snapshot", url=site.url("/form.html"))
    async with rig.direct(f"/devtools/page/{target}") as person:
        for field in ("name", "password"):
            await click(person, f"#{field}")
            await person.send("Input.insertText", {"text": "horse"})
        await click(person, "button")
        filled = await arrived("user", action="fill", selector=NAME)
        clicked = await arrived("user", action="click", selector=SUBMIT)
        script = """setTimeout(() => { throw new Error('late') }, 5);
            fetch('/missing'); document.title = 'Other'; document.body.append('by itself')"""
        await person.send("Runtime.evaluate", {"expression": script})
        error = await arrived("pageError")
        missing = await arrived("network", change="response", status=404)
        await eventually(
            lambda: [each for each in events if "by itself" in each.get("text", "")], "the change"
        )
        await person.post("Runtime.evaluate", {"expression": "confirm('Really?')"})
        asked = await arrived("dialog", change="opened")
        await client.data("dialog.dismiss")
    observers.unsubscribe(deliver)
    await client.data("session.stop")

    assert "Submit" in shown["text"]
    assert (filled["text"], clicked["count"]) == ("horse", 1)
    assert [each["text"] for each in events if each.get("action") == "fill"] == ["horse", "••••••"]
    assert "late" in error["text"]
    assert missing["url"] == site.url("/missing")
    assert asked["dialog"]["message"] == "Really?"


async def click(person: Cdp, selector: str) -> None:
    script = f"""(() => {{
        const box = document.querySelector({selector!r}).getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2] }})()"""
    answer = await person.send("Runtime.evaluate", {"expression": script, "returnByValue": True})
    x, y = answer["result"]["value"]
    for kind in ("mousePressed", "mouseReleased"):
        event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        await person.send("Input.dispatchMouseEvent", event)
