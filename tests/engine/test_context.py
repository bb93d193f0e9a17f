"""Requests share a page, and each starts with the context of the previous one."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from pwtui.protocol.envelope import Response
from tests.client import Client
from tests.site import TestSite


def cache_file(client: Client) -> Path:
    return client.profiles.folder("default") / "cache.json"


def cache(client: Client) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(cache_file(client).read_bytes())
    return value


def delta(response: Response) -> dict[str, Any]:
    assert response.ok, response.error
    assert response.context_delta is not None
    return response.context_delta.to_wire()


async def test_fill_and_click_act_on_the_same_page(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    await client.data("fill", {"selector": "#name", "text": "Ada"})
    await client.data("click", {"selector": "#submit"})

    text = await client.data("page.text", {"selector": "#result"})

    assert "name=Ada" in text["text"]


async def test_a_success_returns_and_saves_its_context(client: Client, site: TestSite) -> None:
    response = await client.send("page.text", {"url": site.url("/form.html"), "selector": "h1"})

    assert response.inputs == {"url": site.url("/form.html"), "selector": "h1"}
    assert delta(response) == {"url": site.url("/form.html"), "selector": "h1"}
    assert cache(client)["lastUrl"] == site.url("/form.html")
    assert cache(client)["lastSelector"] == "h1"


async def test_the_last_selector_is_used_by_the_next_request(
    client: Client, site: TestSite
) -> None:
    await client.data("page.text", {"url": site.url("/form.html"), "selector": "legend"})

    response = await client.send("page.text")

    assert response.data is not None
    assert response.data["text"] == "Size"
    assert response.inputs == {"selector": "legend"}


async def test_only_successful_requests_change_the_cache(client: Client, site: TestSite) -> None:
    await client.data("page.text", {"url": site.url("/form.html"), "selector": "h1"})
    before = cache_file(client).read_bytes()

    missing = await client.error(
        "page.text", {"selector": "#nowhere"}, overrides={"timeoutMs": 500}
    )
    unreachable = await client.error("navigate", {"url": site.url("/reset")})

    assert missing.code == "SELECTOR_NOT_FOUND"
    assert unreachable.code == "NAVIGATION_FAILED"
    assert cache_file(client).read_bytes() == before


async def test_the_error_page_of_a_failed_load_is_not_saved_as_the_last_page(
    client: Client, site: TestSite
) -> None:
    form = {"url": site.url("/form.html"), "selector": "h1"}
    for _ in range(5):
        await client.data("page.text", form)
        await client.error("navigate", {"url": site.url("/reset")})

        response = await client.send("page.text", form)

        assert delta(response) == form
        assert response.data is not None
        assert response.data["text"] == "Form"
        assert cache(client)["lastUrl"] == form["url"]


async def test_the_same_context_again_writes_nothing(client: Client, site: TestSite) -> None:
    request = {"url": site.url("/text.html"), "selector": "h1"}
    await client.data("page.text", request)
    before = cache_file(client).stat()

    await client.data("page.text", request)

    after = cache_file(client).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


async def test_operations_without_a_page_do_not_change_the_cache(
    client: Client, site: TestSite
) -> None:
    await client.data("page.text", {"url": site.url("/form.html"), "selector": "h1"})
    before = cache_file(client).read_bytes()

    for op in ("profile.list", "session.status", "har.show", "tabs.list"):
        assert delta(await client.send(op)) == {}

    assert cache_file(client).read_bytes() == before


async def test_profiles_do_not_share_their_cache(client: Client, site: TestSite) -> None:
    await client.data("page.text", {"url": site.url("/form.html"), "selector": "h1"})

    error = await client.error("page.text", profile="other")

    assert error.code == "INVALID_INPUT"


async def test_a_new_executor_continues_with_the_cached_page(
    fresh_client: Callable[[], Client], site: TestSite
) -> None:
    first = fresh_client()
    await first.data("page.text", {"url": site.url("/form.html"), "selector": "legend"})
    await first.close()
    site.requests.clear()

    async with Client(first.root) as second:
        response = await second.send("page.text")

        assert response.data is not None
        assert response.data["text"] == "Size"
        assert response.inputs == {"url": site.url("/form.html"), "selector": "legend"}
        assert ("GET", "/form.html") in site.requests


async def test_a_cache_older_than_an_hour_is_not_used(
    fresh_client: Callable[[], Client], site: TestSite
) -> None:
    client = fresh_client()
    path = cache_file(client)
    path.parent.mkdir(parents=True)
    hour_ago = int(time.time()) - 3700
    path.write_text(
        json.dumps(
            {"lastUrl": site.url("/form.html"), "lastSelector": "h1", "lastUsedAt": hour_ago}
        )
    )

    error = await client.error("page.text")

    assert error.code == "INVALID_INPUT"
    assert "selector" in error.message


async def test_an_operation_succeeds_although_the_cache_cannot_be_written(
    fresh_client: Callable[[], Client], site: TestSite
) -> None:
    client = fresh_client()
    await client.data("navigate", {"url": site.url("/form.html")})
    locks = client.caller.workspace.locks_dir
    shutil.rmtree(locks)
    locks.write_text("no folder can be made here")

    filled = await client.send("fill", {"selector": "#name", "text": "Ada"})
    title = await client.send("page.title", {"url": site.url("/text.html")})

    for response in (filled, title):
        assert response.ok, response.error
        assert [each.level for each in response.diagnostics or []] == ["warning"]
        assert "cache" in (response.diagnostics or [])[0].message


@pytest.mark.parametrize("op", ["page.url", "page.text", "click", "page.aria"])
async def test_a_request_that_cannot_succeed_starts_no_browser(
    fresh_client: Callable[[], Client], op: str
) -> None:
    client = fresh_client()
    await client.data("protect.add", {"pattern": "mail.example"})
    before = psutil.Process().children(recursive=True)

    nowhere = await client.error(op, {"selector": "h1"} if op in ("click", "page.text") else {})
    protected = await client.error("navigate", {"url": "http://mail.example/inbox"})

    assert nowhere.code == protected.code == "INVALID_INPUT"
    assert "no page is open" in nowhere.message
    assert "protected" in protected.message
    assert psutil.Process().children(recursive=True) == before
