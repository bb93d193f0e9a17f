"""Elements found by text, in an order that depends on the operation."""

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
async def test_the_first_search_with_a_match_is_used(
    client: Client, op: str, words: str, more: dict[str, object], selector: str
) -> None:
    await client.data("navigate", {"url": PAGE})

    response = await client.send(op, {"words": words, **more})

    assert response.ok, response.error
    found = (response.inputs or {})["selector"]
    assert found == selector or await is_same(client, found, selector), found


ROWS = data_url(
    """
    <h2>Shelf</h2><ul aria-label="Books"><li>Reading <button id="r">Delete</button>
    <li>Reading later <button id="l">Delete</button></ul>
    <section><p>Trash</p><div role="listitem">Old <b>empty</b></div><button id="t">Delete</button>
    </section><table><tr><td>Ada<td><input id="ada" placeholder="Note"></tr><tr><td>Bob<td>
    <input id="bob" placeholder="Note"></table>
    <div role="dialog" aria-label="Sure?"><button id="d">Delete</button></div>
    """
)


@pytest.mark.parametrize(
    ("op", "input", "selector"),
    [
        ("hover", {"words": "Delete", "within": "Reading later"}, "#l"),
        ("hover", {"words": "Delete", "within": "Trash"}, "#t"),
        ("hover", {"words": "Delete", "within": "sure?"}, "#d"),
        ("hover", {"words": "Delete", "withinRole": "dialog"}, "#d"),
        ("hover", {"selector": "button", "within": "later"}, "#l"),
        ("hover", {"selector": "getByRole('button')", "within": "later"}, "#l"),
        ("hover", {"words": "Delete", "within": "later", "withinRole": "listitem"}, "#l"),
        ("fill", {"words": "Note", "within": "bob", "text": "x"}, "#bob"),
    ],
)
async def test_an_element_is_looked_for_within_a_part_of_the_page(
    client: Client, op: str, input: dict[str, object], selector: str
) -> None:
    await client.data("navigate", {"url": ROWS})

    response = await client.send(op, input)

    assert response.ok, response.error
    assert await is_same(client, (response.inputs or {})["selector"], selector)


@pytest.mark.parametrize(
    ("input", "code"),
    [
        ({"words": "Delete", "within": "Reading"}, "SELECTOR_AMBIGUOUS"),
        ({"words": "Delete", "within": "Old"}, "SELECTOR_NOT_FOUND"),
        ({"words": "Delete", "within": "Old", "withinRole": "dialog"}, "SELECTOR_NOT_FOUND"),
        ({"ref": "e1", "within": "Old"}, "INVALID_INPUT"),
    ],
)
async def test_an_element_outside_of_within_is_not_used(
    client: Client, input: dict[str, object], code: str
) -> None:
    await client.data("navigate", {"url": ROWS})

    error = await client.error("click", input, overrides={"timeoutMs": 300})

    assert error.code == code


async def test_a_list_is_verified_by_its_own_name(client: Client) -> None:
    await client.data("navigate", {"url": ROWS})

    await client.data("verify.list", {"words": "Books", "items": ["reading later"]})


async def test_a_typed_selector_without_a_match_fails_early(
    client: Client, site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pwtui.engine.session_requests.SEARCH_MS", 300)
    await client.data("navigate", {"url": site.url("/form.html")})

    for op in ("click", "screenshot", "page.text"):
        response = await client.send(op, {"selector": ".nope"}, impatient=True)
        assert response.error is not None
        assert response.error.details == {"selector": ".nope", "timeoutMs": 300}
    error = await client.error("click", {"selector": ".["}, impatient=True)
    assert error.code == "INVALID_INPUT"
    absent = {"selector": ".nope", "negate": True}
    assert (await client.send("verify.element", absent, impatient=True)).ok


async def is_same(client: Client, one: str, other: str) -> bool:
    """Whether two selectors name the same element."""
    for selector in (one, other):
        mark = f"element => element.dataset.marks = (element.dataset.marks || '') + '{selector[0]}'"
        await client.data("page.eval", {"selector": selector, "expression": mark})
    marks = await client.data(
        "page.eval", {"selector": one, "expression": "it => it.dataset.marks"}
    )
    return len(marks["result"]) == 2


async def test_several_matches_are_an_error_with_candidates(client: Client) -> None:
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
async def test_only_one_of_selector_ref_and_words_is_allowed(
    client: Client, more: dict[str, str]
) -> None:
    error = await client.error("click", {"words": "Save", **more})

    assert error.code == "INVALID_INPUT"
    assert "only one of selector, ref and words" in error.message
    assert (await client.error("click", {"words": " "})).code == "INVALID_INPUT"
