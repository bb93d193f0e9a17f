"""page.console: messages of a page, and their limits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.client import Client
from tests.operations.support import delta, messages
from tests.site import TestSite
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("own_tab")


async def test_messages_and_errors_are_listed_and_counted(client: Client, site: TestSite) -> None:
    url = site.url("/console.html")
    response = await client.send("page.console", {"url": url, "timeoutMs": 50})
    assert response.data is not None
    assert response.data.keys() == {"messages", "count", "errorCount", "warningCount"}
    found = [(message["type"], message["text"]) for message in response.data["messages"]]
    # What the page logs later may have come already.
    assert [each for each in found if each != ("log", "a late message")] == [
        ("log", "a log message {answer: 42}"),
        ("info", "an info message"),
        ("warning", "a warning"),
        ("error", "an error message"),
        ("debug", "a debug message"),
        ("pageerror", "no handler catches this"),
    ]
    assert response.data["count"] == len(found)
    assert response.data["errorCount"] == 2
    assert response.data["warningCount"] == 1
    assert response.inputs == {"url": url, "timeoutMs": 50}
    assert delta(response) == {"url": url}


async def test_message_has_its_place_and_time(client: Client, site: TestSite) -> None:
    url = site.url("/console.html")
    data = await client.data("page.console", {"url": url})
    first = data["messages"][0]
    assert first.keys() == {"type", "text", "url", "line", "pageUrl", "time"}
    assert (first["url"], first["pageUrl"]) == (url, url)
    error = data["messages"][5]
    assert error.keys() == {"type", "text", "stack", "pageUrl", "time"}
    assert "no handler catches this" in error["stack"]


async def test_messages_survive_a_navigation(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/console.html")})
    data = await client.data("page.console", {"url": site.url("/console-next.html")})
    texts = [message["text"] for message in data["messages"]]
    assert "a warning" in texts
    assert texts[-1] == "a message from the next page"
    assert data["warningCount"] == 1


async def test_messages_that_arrive_within_the_timeout_are_listed(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/console.html")})
    data = await client.data("page.console", {"timeoutMs": 2000})
    assert data["messages"][-1]["text"] == "a late message"


async def test_messages_can_be_cleared(client: Client, site: TestSite) -> None:
    url = site.url("/console-next.html")
    response = await client.send("page.console", {"url": url, "clear": True})
    assert response.data is not None
    assert response.data["count"] == 1
    assert response.inputs == {"url": url, "clear": True}
    assert (await client.data("page.console"))["count"] == 0


async def test_flood_keeps_the_newest_messages(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    source = "for (let i = 0; i < 3000; i++) console.log(`message ${i}`)"
    await client.data("page.eval", {"expression": source})
    data = await client.data("page.console", {"timeoutMs": 1000})
    assert data["count"] == 1000
    assert data["messages"][-1]["text"] == "message 2999"


async def test_logged_values_are_not_kept(client: Client, site: TestSite) -> None:
    playwright: Any = await client.executor.pool.playwright()
    objects = playwright._impl_obj._connection._objects

    def handles() -> int:
        return sum(each._type == "JSHandle" for each in list(objects.values()))

    before = handles()
    await client.data("navigate", {"url": site.url("/text.html")})
    await client.data("page.eval", {"expression": "for (let i = 0; i < 20; i++) console.log([i])"})
    await client.data("page.console", {"all": False})
    data = await client.data("page.console")
    await until(lambda: handles() <= before, "the values are released")
    assert len(data["messages"]) == 20


async def test_time_to_listen_does_not_prolong_the_loading(client: Client, site: TestSite) -> None:
    response = await client.send(
        "page.console",
        {"url": site.url("/hang"), "timeoutMs": 4000},
        overrides={"timeoutMs": 300},
    )
    assert response.error is not None
    assert response.error.code == "TIMEOUT"
    assert response.duration_ms is not None
    assert response.duration_ms < 4000


async def test_messages_are_filtered_by_severity_and_page(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/console.html")})
    grave = await client.data("page.console", {"level": "warning"})
    types = [message["type"] for message in grave["messages"]]
    assert set(types) <= {"warning", "error", "pageerror"}
    assert (types.count("warning"), grave["errorCount"]) == (1, 2)
    await client.data("navigate", {"url": site.url("/console-next.html")})
    newer = await client.data("page.console", {"all": False})
    assert [message["text"] for message in newer["messages"]] == ["a message from the next page"]


async def test_a_page_that_logs_too_much_is_not_listened_to_for_a_while(
    client: Client, site: TestSite
) -> None:
    flood = "for (let i = 0; i < 8000; i++) console.log('x'); 1"
    await client.data("page.eval", {"url": site.url("/form.html"), "expression": flood})
    async with asyncio.timeout(60):
        while not messages(response := await client.send("page.console", {"timeoutMs": 100})):
            continue
    await client.data("navigate", {"url": site.url("/console.html")})
    after = await client.data("page.console", {"all": False, "timeoutMs": 100})

    assert response.data is not None
    assert response.data["count"] == 1000
    assert response.data["dropped"] > 0
    assert [each for each in messages(response) if "too many console messages" in each]
    assert "a warning" in [message["text"] for message in after["messages"]]


async def test_long_messages_are_cut_and_kept_up_to_a_limit(client: Client, site: TestSite) -> None:
    long = "for (const c of 'abcdefghij') console.log(c.repeat(1500000)); 1"
    await client.data("page.eval", {"url": site.url("/form.html"), "expression": long})
    data = await client.data("page.console", {"timeoutMs": 500})

    texts = [message["text"] for message in data["messages"]]
    assert sum(map(len, texts)) <= 8_000_000
    assert data["messages"]
    assert texts[0].endswith("… (500000 more characters)")
