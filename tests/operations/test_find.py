"""page.locator and page.highlight."""

from __future__ import annotations

import pytest

from tests.client import Client
from tests.operations.support import delta
from tests.site import TestSite


async def test_locator_of_an_element_finds_it_again(client: Client, site: TestSite) -> None:
    url = site.url("/form.html")
    response = await client.send("page.locator", {"url": url, "selector": "#submit"})
    assert response.data == {"selector": "getByRole('button', { name: 'Submit' })"}
    assert response.inputs == {"url": url, "selector": "#submit"}
    data = await client.data("page.text", {"selector": response.data["selector"]})
    assert data["text"] == "Submit"


async def test_element_is_highlighted_until_it_is_hidden(client: Client, site: TestSite) -> None:
    url = site.url("/form.html")
    response = await client.send("page.highlight", {"url": url, "selector": "#submit"})
    assert response.data == {"highlighted": True, "selector": "#submit"}
    assert delta(response) == {"url": url, "selector": "#submit"}
    hidden = await client.data("page.highlight", {"selector": "#submit", "hide": True})
    assert hidden == {"highlighted": False, "selector": "#submit"}


@pytest.mark.parametrize("op", ["page.locator", "page.highlight"])
async def test_element_must_be_there_once(client: Client, site: TestSite, op: str) -> None:
    await client.data("navigate", {"url": site.url("/duplicates.html")})
    missing = await client.error(op, {"selector": "#nowhere"}, overrides={"timeoutMs": 300})
    assert missing.code == "SELECTOR_NOT_FOUND"
    several = await client.error(op, {"selector": "button"}, overrides={"timeoutMs": 800})
    assert several.code == "SELECTOR_AMBIGUOUS"
