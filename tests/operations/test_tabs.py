"""tabs.*: open, switch, close; indexes do not change."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest

from tests.client import Client
from tests.operations.support import delta
from tests.site import TestSite

pytestmark = pytest.mark.usefixtures("own_tab")


async def listed(client: Client) -> dict[int, dict[str, Any]]:
    return {tab["index"]: tab for tab in (await client.data("tabs.list"))["tabs"]}


async def open_tab(client: Client, url: str) -> int:
    index: int = (await client.data("tabs.new", {"url": url}))["index"]
    return index


async def test_new_tab_is_the_current_one(client: Client, site: TestSite) -> None:
    url = site.url("/text.html")
    response = await client.send("tabs.new", {"url": url})
    assert response.data is not None
    index = response.data["index"]
    assert response.data == {
        "index": index,
        "title": "Text",
        "url": url,
        "active": True,
        "created": True,
    }
    assert response.inputs == {"url": url}
    assert delta(response) == {}
    assert (await client.data("page.text", {"selector": "h1"}))["text"] == "Hello"


async def test_new_tab_without_a_url_is_blank(client: Client) -> None:
    data = await client.data("tabs.new")
    assert data["url"] == "about:blank"


async def test_url_of_a_new_tab_may_be_relative(client: Client, site: TestSite) -> None:
    data = await client.data("tabs.new", {"url": "text.html"}, overrides={"baseUrl": site.origin})
    assert data["url"] == site.url("/text.html")


async def test_new_tab_for_a_page_that_fails_is_an_error(client: Client, site: TestSite) -> None:
    error = await client.error("tabs.new", {"url": site.url("/reset")})
    assert error.code == "NAVIGATION_FAILED"
    error = await client.error("tabs.new", {"url": site.url("/hang")}, overrides={"timeoutMs": 300})
    assert error.code == "TIMEOUT"


async def test_tabs_are_listed_in_the_order_of_their_opening(
    client: Client, site: TestSite, own_tab: int
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    second = await open_tab(client, site.url("/form.html"))
    response = await client.send("tabs.list")
    assert response.data == {
        "tabs": [
            {"index": own_tab, "title": "Text", "url": site.url("/text.html")},
            {"index": second, "title": "Form", "url": site.url("/form.html"), "active": True},
        ],
        "count": 2,
        "nextIndex": second + 1,
    }
    assert response.inputs == {}
    assert delta(response) == {}


async def test_switching_moves_later_operations(
    client: Client, site: TestSite, own_tab: int
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    await open_tab(client, site.url("/form.html"))
    response = await client.send("tabs.switch", {"target": str(own_tab)})
    assert response.data == {
        "index": own_tab,
        "title": "Text",
        "url": site.url("/text.html"),
        "active": True,
        "switched": True,
    }
    assert response.inputs == {"target": str(own_tab)}
    assert (await client.data("page.text", {"selector": "h1"}))["text"] == "Hello"
    await client.data("navigate", {"url": site.url("/links.html")})
    assert (await listed(client))[own_tab]["title"] == "Links"


@pytest.mark.parametrize("target", ["TEXT.html", "tex", "Text"])
async def test_tab_is_found_by_a_part_of_its_url_or_title(
    client: Client, site: TestSite, own_tab: int, target: str
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    await open_tab(client, site.url("/form.html"))
    data = await client.data("tabs.switch", {"target": target})
    assert data["index"] == own_tab


async def test_index_stays_when_other_tabs_close_or_navigate(
    client: Client, site: TestSite, own_tab: int
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    second = await open_tab(client, site.url("/form.html"))
    third = await open_tab(client, site.url("/links.html"))
    await client.data("navigate", {"url": site.url("/article.html")})
    await client.data("tabs.close", {"target": own_tab})
    tabs = await listed(client)
    assert {index: tab["title"] for index, tab in tabs.items()} == {
        second: "Form",
        third: "The lighthouse at Grey Point - Coast Weekly",
    }
    fourth = await open_tab(client, site.url("/text.html"))
    assert fourth > third
    assert (await client.data("tabs.switch", {"target": second}))["title"] == "Form"


async def test_closing_returns_what_was_closed(
    client: Client, site: TestSite, own_tab: int
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    response = await client.send("tabs.close", {"target": own_tab})
    assert response.data == {
        "index": own_tab,
        "title": "Text",
        "url": site.url("/text.html"),
        "closed": True,
    }
    assert response.inputs == {"target": own_tab}
    assert own_tab not in await listed(client)


async def test_closing_the_current_tab_goes_back_to_the_one_before(
    client: Client, site: TestSite, own_tab: int
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    await open_tab(client, site.url("/form.html"))
    await client.data("tabs.switch", {"target": own_tab})
    third = await open_tab(client, site.url("/links.html"))
    await client.data("tabs.close", {"target": third})
    assert (await client.data("page.text", {"selector": "h1"}))["text"] == "Hello"


async def test_work_continues_after_the_last_tab_was_closed(
    client: Client, site: TestSite, own_tab: int
) -> None:
    await client.data("tabs.close", {"target": own_tab})
    assert await listed(client) == {}
    data = await client.data("navigate", {"url": site.url("/text.html")})
    assert data["title"] == "Text"


async def test_a_tab_that_its_page_closes_ends_the_operation_and_is_removed(
    client: Client, site: TestSite, own_tab: int
) -> None:
    await client.data("navigate", {"url": site.url("/popup.html")})
    await client.data("click", {"selector": "#open", "waitMs": 1000})
    popup = next(index for index in await listed(client) if index != own_tab)
    await client.data("tabs.switch", {"target": popup})
    await client.data("page.eval", {"expression": "void setTimeout(() => window.close(), 100)"})
    error = await client.error("wait", {"condition": 20_000})
    assert error.code == "SESSION_ERROR"
    assert error.details is not None
    assert error.details["cause"] == "tabClosed"
    assert popup not in await listed(client)
    data = await client.data("page.text", {"selector": "h1"})
    assert data["text"] == "Popup"


@pytest.mark.parametrize("op", ["tabs.switch", "tabs.close"])
@pytest.mark.parametrize("target", ["9999", 9999, "no such page", "", " "])
async def test_tab_that_is_not_there_is_refused(client: Client, op: str, target: str | int) -> None:
    error = await client.error(op, {"target": target})
    assert error.code == "INVALID_INPUT"
    assert "target" in error.message or str(target) in error.message


@pytest.mark.parametrize("input", [{}, {"target": -1}, {"target": None}, {"target": 1.5}])
async def test_target_must_be_text_or_a_number(client: Client, input: dict[str, object]) -> None:
    error = await client.error("tabs.switch", input)
    assert error.code == "INVALID_INPUT"
    assert "input.target" in error.message


async def test_an_action_that_is_cancelled_before_it_begins_is_closed(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = next(iter(client.executor.pool.sessions.values())).active
    assert tab is not None
    began = []

    async def action() -> None:
        began.append(True)

    async def never() -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(tab._popups, "listen", never)
    work = action()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await tab.act(work)

    assert inspect.getcoroutinestate(work) == inspect.CORO_CLOSED
    assert began == []
