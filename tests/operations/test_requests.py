"""requests.* and route.*: the network traffic of a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.client import Client
from tests.site import TestSite

pytestmark = pytest.mark.usefixtures("own_tab")

POST = """
const sent = {method: "POST", body: "a=1", headers: {"X-Mark": "here"}};
return fetch("/echo?q=1", sent).then(answer => answer.text())
"""


async def fetched(client: Client, path: str) -> str:
    source = f"fetch('{path}').then(a => a.text().then(t => a.status + ' ' + t), String)"
    result: str = (await client.data("page.eval", {"expression": source}))["result"]
    return result


async def test_requests_keep_their_numbers(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/article.html")})
    listed = await client.data("requests.list")
    assert [(each["index"], each["method"]) for each in listed["requests"]] == [(1, "GET")]
    assert listed["hiddenStatic"] == 1
    everything = (await client.data("requests.list", {"static": True}))["requests"]
    assert [each["resourceType"] for each in everything] == ["document", "image"]
    await client.data("page.eval", {"expression": POST})
    (posted,) = (await client.data("requests.list", {"filter": "**/echo?*"}))["requests"]
    assert (posted["index"], posted["status"], posted["statusText"]) == (3, 200, "OK")
    await client.data("navigate", {"url": site.url("/text.html")})
    assert [each["index"] for each in (await client.data("requests.list"))["requests"]] == [4]
    older = await client.data("requests.list", {"all": True, "filter": "/echo|text/"})
    assert [each["index"] for each in older["requests"]] == [3, 4]
    assert await client.data("requests.clear") == {"cleared": 4}
    await client.data("reload")
    assert [each["index"] for each in (await client.data("requests.list"))["requests"]] == [5]
    error = await client.error("requests.show", {"index": 3})
    assert (error.code, error.hint == "known requests: 5 to 5") == ("INVALID_INPUT", True)


async def test_request_is_shown_with_headers_bodies_and_timing(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    await client.data("page.eval", {"expression": POST})
    shown = await client.data("requests.show", {"index": 2})
    sent = {header["name"].lower(): header["value"] for header in shown["requestHeaders"]}
    received = {header["name"].lower(): header["value"] for header in shown["responseHeaders"]}
    assert sent["x-mark"] == "here"
    assert "application/json" in received["content-type"]
    assert shown["requestBodyBytes"] == 3
    assert shown["timing"]["responseEnd"] > 0
    asked = await client.data("requests.body", {"index": 2, "which": "request"})
    assert (asked["text"], asked["sizeBytes"]) == ("a=1", 3)
    answered = await client.data("requests.body", {"index": 2})
    assert '"X-Mark": "here"' in answered["text"].replace("X-mark", "X-Mark")


async def test_failure_and_pending_request_are_reported(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    await client.data("page.eval", {"expression": "void fetch('/hang'); return 1"})
    await fetched(client, "/reset")
    hanging, failed = (await client.data("requests.list"))["requests"][1:]
    assert hanging["pending"] is True
    assert failed["failure"].startswith("net::ERR_")
    shown = await client.data("requests.show", {"index": hanging["index"]})
    assert shown["requestHeaders"] != []
    for index in (hanging["index"], failed["index"]):
        assert (await client.error("requests.body", {"index": index})).code == "INVALID_INPUT"


async def test_binary_body_is_saved_and_named(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    png = {"pattern": "**/p.png", "contentType": "image/png", "body": "\x00PNG"}
    await client.data("route.add", png)
    await fetched(client, "/p.png")
    response = await client.send("requests.body", {"index": 2}, artifacts_dir=tmp_path)
    assert response.data is not None
    assert response.data["path"] == str(tmp_path / "response-2.png")
    assert (tmp_path / "response-2.png").read_bytes() == b"\x00PNG"
    assert response.artifacts is not None
    assert response.artifacts[0].type == "body"
    await client.data("route.remove")


async def test_route_answers_in_all_tabs_until_it_is_removed(
    client: Client, site: TestSite
) -> None:
    rule: dict[str, Any] = {"pattern": "**/api/*", "status": 404, "body": "gone"}
    added = await client.data("route.add", {**rule, "headers": {"X-From": "here"}})
    assert (added["effect"], added["replaced"], added["bodyBytes"]) == ("answer", False, 4)
    await client.data("navigate", {"url": site.url("/text.html")})
    assert await fetched(client, "/api/user") == "404 gone"
    await client.data("tabs.new", {"url": site.url("/form.html")})
    assert await fetched(client, "/api/user") == "404 gone"
    (route,) = (await client.data("route.list"))["routes"]
    assert (route["hits"], route["headers"]) == (2, {"X-From": "here"})
    replaced = await client.data("route.add", {"pattern": "**/api/*", "body": "{}"})
    assert replaced["replaced"] is True
    assert await fetched(client, "/api/user") == "200 {}"
    assert (await client.data("route.remove", {"pattern": "**/api/*"}))["count"] == 1
    assert (await client.data("route.list"))["count"] == 0
    error = await client.error("route.remove", {"pattern": "**/api/*"})
    assert (error.code, "no route" in error.message) == ("INVALID_INPUT", True)
    assert await client.data("route.remove") == {"routes": [], "count": 0}


async def test_route_changes_the_request_or_only_counts(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    counting = await client.data("route.add", {"pattern": "**/echo"})
    assert counting["effect"] == "only count"
    assert (await fetched(client, "/echo")).startswith("200 ")
    change = {"headers": {"X-Added": "yes"}, "removeHeaders": ["X-Mark"]}
    await client.data("route.add", {"pattern": "**/echo?*", **change})
    answer = (await client.data("page.eval", {"expression": POST}))["result"].lower()
    assert '"x-added": "yes"' in answer
    assert "x-mark" not in answer
    await client.data("route.add", {"pattern": "**/echo", "abort": True})
    assert "Failed to fetch" in await fetched(client, "/echo")
    assert (await client.data("route.remove"))["count"] == 2


async def test_routes_and_blocked_patterns_work_together(client: Client, site: TestSite) -> None:
    block = {"blockPatterns": ["**/echo"]}
    await client.data("navigate", {"url": site.url("/text.html")})
    await client.data("route.add", {"pattern": "**/echo", "headers": {"X-A": "b"}}, overrides=block)
    expression = {"expression": "fetch('/echo').then(a => a.status, String)"}
    blocked = await client.data("page.eval", expression, overrides=block)
    assert "Failed to fetch" in blocked["result"]
    await client.data("route.remove")


@pytest.mark.parametrize(
    "input",
    [
        {"pattern": ""},
        {"pattern": "*", "status": 99},
        {"pattern": "*", "abort": True, "body": "x"},
        {"pattern": "*", "status": 200, "removeHeaders": ["a"]},
    ],
)
async def test_contradictory_route_is_refused(client: Client, input: dict[str, Any]) -> None:
    assert (await client.error("route.add", input)).code == "INVALID_INPUT"
