"""Blocked URL patterns, of one request or of a profile."""

from __future__ import annotations

import pytest

from tests.client import Client
from tests.site import TestSite

IMAGE = ("GET", "/slow-image.svg")


async def test_pattern_of_one_request_aborts_what_matches(client: Client, site: TestSite) -> None:
    url = site.url("/article.html")
    site.requests.clear()
    await client.data("navigate", {"url": url}, overrides={"blockPatterns": ["**/*.svg"]})
    assert site.requests == [("GET", "/article.html")]
    await client.data("navigate", {"url": url})
    assert IMAGE in site.requests


@pytest.mark.usefixtures("own_tab")
async def test_blocked_page_itself_does_not_load(client: Client, site: TestSite) -> None:
    site.requests.clear()
    error = await client.error(
        "navigate",
        {"url": site.url("/text.html")},
        overrides={"blockPatterns": ["**/text.html"]},
    )
    assert error.code == "NAVIGATION_FAILED"
    assert site.requests == []


async def test_patterns_of_the_profile_apply_until_they_are_changed(
    client: Client, site: TestSite
) -> None:
    url = site.url("/article.html")
    config = {"network": {"blockPatterns": ["**/*.svg"]}}
    await client.data("profile.set", {"name": "blocking", "config": config})
    site.requests.clear()
    for _ in range(2):
        await client.data("navigate", {"url": url}, profile="blocking")
    assert IMAGE not in site.requests
    await client.data("navigate", {"url": url}, profile="blocking", overrides={"blockPatterns": []})
    assert site.requests.count(IMAGE) == 1
    await client.data("navigate", {"url": url}, profile="blocking")
    assert site.requests.count(IMAGE) == 1
    await client.data("profile.set", {"name": "blocking", "config": {}})
    await client.data("navigate", {"url": url}, profile="blocking")
    assert site.requests.count(IMAGE) == 2


async def test_patterns_apply_to_new_tabs_too(client: Client, site: TestSite) -> None:
    site.requests.clear()
    await client.data(
        "tabs.new",
        {"url": site.url("/article.html")},
        overrides={"blockPatterns": ["**/*.svg"]},
    )
    assert site.requests == [("GET", "/article.html")]


async def test_a_pattern_that_playwright_refuses_is_named_and_blocks_nothing(
    client: Client, site: TestSite
) -> None:
    for _ in range(2):
        error = await client.error("page.title", overrides={"blockPatterns": ["{a"]})
        assert error.code == "INVALID_INPUT"
        assert "'{a'" in error.message
    assert await client.data("page.title", {"url": site.url("/text.html")})
