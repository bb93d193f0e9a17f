"""Elements by what they show: the page is asked, in the order that fits what is to be done."""

from __future__ import annotations

import pytest

from tests.client import Client
from tests.operations.support import data_url
from tests.site import TestSite

PAGE = data_url(
    """
    <button aria-label="Save">icon</button> <a href="#saved">Save all</a>
    <input placeholder="Search" id="search"> <label for="mail">Mail</label> <input id="mail">
    <p>Mail us</p> <label>Mail type <select id="type"><option>a<option>b</select></label>
    <ul><li>Milk <input type="checkbox" id="milk"></li><li>Bread <input type="checkbox"></li></ul>
    <p style="display: none">Twice</p> <p id="seen">Twice</p> <p>Same</p> <p>Same</p>
    <script>setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<b>Late</b>"), 200)
    </script>
    """
)


@pytest.mark.parametrize(
    ("op", "words", "more", "selector"),
    [
        ("hover", "Save", {}, "getByRole('button', { name: 'Save' })"),
        ("hover", "Save all", {}, "getByText('Save all')"),
        ("hover", "Search", {}, "getByPlaceholder('Search')"),
        ("fill", "Mail", {"text": "x"}, "getByRole('textbox', { name: 'Mail' })"),
        ("fill", "Search", {"text": "x"}, "getByPlaceholder('Search')"),
        ("select", "Mail type", {"values": ["b"]}, "getByLabel('Mail type')"),
        ("check", "Milk", {}, "#milk"),
        ("page.text", "Twice", {}, "#seen"),
        ("page.text", "Late", {}, "getByText('Late')"),
    ],
)
async def test_the_first_that_the_page_has_is_taken(
    client: Client, op: str, words: str, more: dict[str, object], selector: str
) -> None:
    await client.data("navigate", {"url": PAGE})

    response = await client.send(op, {"words": words, **more})

    assert response.ok, response.error
    found = (response.inputs or {})["selector"]
    assert found == selector or await is_same(client, found, selector), found


async def is_same(client: Client, one: str, other: str) -> bool:
    """Whether two selectors name the same element."""
    for selector in (one, other):
        mark = f"element => element.dataset.marks = (element.dataset.marks || '') + '{selector[0]}'"
        await client.data("page.eval", {"selector": selector, "expression": mark})
    marks = await client.data(
        "page.eval", {"selector": one, "expression": "it => it.dataset.marks"}
    )
    return len(marks["result"]) == 2


async def test_several_are_an_error_with_candidates(client: Client) -> None:
    await client.data("navigate", {"url": PAGE})

    error = await client.error("hover", {"words": "Same"}, overrides={"timeoutMs": 300})

    assert error.code == "SELECTOR_AMBIGUOUS"
    assert len((error.details or {})["candidates"]) == 2


async def test_frames_are_searched_too(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/frames.html")})

    response = await client.send("click", {"words": "Inner button"})

    assert response.ok, response.error
    assert "contentFrame" in (response.inputs or {})["selector"]


@pytest.mark.parametrize("more", [{"selector": "#a"}, {"ref": "e1"}])
async def test_an_element_is_named_in_one_way(client: Client, more: dict[str, str]) -> None:
    error = await client.error("click", {"words": "Save", **more})

    assert error.code == "INVALID_INPUT"
    assert "one of them" in error.message
    assert (await client.error("click", {"words": " "})).code == "INVALID_INPUT"
