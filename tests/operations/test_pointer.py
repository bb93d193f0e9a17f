"""key.* and mouse.*: raw input, and keys that are held."""

from __future__ import annotations

from typing import Any

import pytest

from tests.client import Client
from tests.operations.support import messages
from tests.site import TestSite

pytestmark = pytest.mark.usefixtures("own_tab")


async def log_of(client: Client) -> list[str]:
    lines: str = (await client.data("page.eval", {"expression": "document.all.log.textContent"}))[
        "result"
    ]
    return lines.split("\n")[:-1]


async def test_mouse_moves_presses_and_scrolls(client: Client, site: TestSite) -> None:
    await client.data("mouse.move", {"url": site.url("/actions.html"), "x": 10, "y": 20})
    pressed = await client.data("mouse.down", {"button": "right"})
    assert pressed["held"] == ["right mouse button"]
    assert "held" not in await client.data("mouse.up", {"button": "right"})
    await client.data("mouse.click", {"x": 30, "y": 40, "modifiers": ["Shift"]})
    await client.data("mouse.click", {"x": 5, "y": 5, "clicks": 2})
    await client.data("mouse.drag", {"fromX": 50, "fromY": 60, "toX": 70, "toY": 80})
    assert await log_of(client) == [
        *("mousedown 10,20 2 false", "mouseup 10,20 2 false", "keydown Shift"),
        *("mousedown 30,40 0 true", "mouseup 30,40 0 true", "click 30,40 0 true", "keyup Shift"),
        *("mousedown 5,5 0 false", "mouseup 5,5 0 false", "click 5,5 0 false"),
        *("mousedown 5,5 0 false", "mouseup 5,5 0 false", "click 5,5 0 false"),
        "dblclick 5,5 0 false",
        *("mousedown 50,60 0 false", "mouseup 70,80 0 false", "click 70,80 0 false"),
    ]


async def test_wheel_scrolls_down_by_dy(client: Client, site: TestSite) -> None:
    await client.data("mouse.move", {"url": site.url("/actions.html"), "x": 10, "y": 20})
    await client.data("mouse.wheel", {"dx": 0, "dy": 300})
    scrolled = "new Promise(done => { const look = () => scrollY ? done(scrollX) : "
    scrolled += "setTimeout(look, 20); look(); })"
    assert (await client.data("page.eval", {"expression": scrolled}))["result"] == 0
    assert "wheel 0,300" in await log_of(client)


async def test_held_key_is_reported_until_it_is_released(client: Client, site: TestSite) -> None:
    held = await client.data("key.down", {"url": site.url("/actions.html"), "key": "Shift"})
    assert held["held"] == ["Shift"]
    response = await client.send("press", {"key": "KeyA", "selector": "#pad"})
    assert any("held down in this tab: Shift" in message for message in messages(response))
    assert "keydown A" in await log_of(client)
    assert "held" not in await client.data("key.up", {"key": "Shift"})


@pytest.mark.parametrize("leaving", ["navigate", "reload"])
async def test_new_page_starts_with_nothing_held(
    client: Client, site: TestSite, leaving: str
) -> None:
    url = site.url("/actions.html")
    await client.data("key.down", {"url": url, "key": "Shift"})
    await client.data("mouse.down")
    await client.data(leaving, {"url": url} if leaving == "navigate" else {})
    response = await client.send("press", {"key": "KeyA", "selector": "#pad"})
    assert messages(response) == []
    assert "keydown a" in await log_of(client)


@pytest.mark.parametrize(
    ("op", "input", "named"),
    [
        ("key.down", {"key": "Nonsense"}, "Nonsense"),
        ("key.up", {"key": ""}, "key"),
        ("mouse.move", {"x": 1}, "y"),
        ("mouse.click", {"x": 1, "y": 1, "button": "fourth"}, "button"),
        ("mouse.move", {"x": 1, "y": 1, "steps": 0}, "steps"),
    ],
)
async def test_bad_input_is_named(
    client: Client, op: str, input: dict[str, Any], named: str
) -> None:
    error = await client.error(op, input)
    assert error.code == "INVALID_INPUT"
    assert named in error.message


async def test_dialog_of_a_click_does_not_hang(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/dialogs.html")})
    place = (await client.data("page.coords", {"selector": "#alert"}))["coords"]
    clicked = await client.data("mouse.click", {"x": place["x"], "y": place["y"]})
    assert clicked["dialog"]["message"] == "Mind the step"
    await client.data("dialog.accept")
