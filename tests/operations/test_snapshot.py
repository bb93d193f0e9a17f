"""page.elements, page.snapshot, page.aria, page.coords."""

from __future__ import annotations

import pytest

from tests.client import Client
from tests.operations.support import data_url, delta, messages
from tests.site import TestSite


async def test_elements_are_listed_by_kind(client: Client, site: TestSite) -> None:
    url = site.url("/elements.html")
    response = await client.send("page.elements", {"url": url})
    assert response.data is not None
    assert response.data.keys() == {"elements", "count"}
    found = [(element["tag"], element["id"]) for element in response.data["elements"]]
    assert found == [
        ("button", "button"),
        ("button", "icon"),
        ("button", "twin-one"),
        ("button", "twin-two"),
        ("button", "disabled"),
        ("button", "role-button"),
        ("button", "submit"),
        ("button", "hidden-aria"),
        ("link", "link"),
        ("link", "link-again"),
        ("input", "text"),
        ("input", "search"),
        ("input", "file"),
        ("input", "range"),
        ("textarea", "textarea"),
        ("select", "select"),
        ("checkbox", "checkbox"),
        ("radio", "radio-one"),
        ("radio", "radio-two"),
    ]
    assert response.data["count"] == len(found)
    assert response.inputs == {"url": url}
    assert delta(response) == {"url": url}


async def test_element_has_a_label_a_place_and_what_it_leads_to(
    client: Client, site: TestSite
) -> None:
    data = await client.data("page.elements", {"url": site.url("/elements.html")})
    elements = {element["id"]: element for element in data["elements"]}
    link = elements["link"]
    assert link.keys() == {"tag", "selector", "text", "href", "id", "x", "y", "width", "height"}
    assert link["href"] == site.url("/text.html")
    assert link["width"] > 0
    labels = {id: elements[id]["text"] for id in ("icon", "submit", "text", "checkbox", "textarea")}
    assert labels == {
        "icon": "Close",
        "submit": "Send",
        "text": "Text",
        "checkbox": "Checkbox",
        "textarea": "Textarea",
    }
    names = {id: elements[id].get("name") for id in ("search", "checkbox", "select")}
    assert names == {"search": "search", "checkbox": "unchecked", "select": None}


@pytest.mark.parametrize("page", ["elements", "duplicates", "shadow", "form"])
async def test_selector_of_each_element_matches_it_alone(
    client: Client, site: TestSite, page: str
) -> None:
    data = await client.data("page.elements", {"url": site.url(f"/{page}.html")})
    assert data["elements"]
    for element in data["elements"]:
        found = await client.data("page.coords-all", {"selector": element["selector"]})
        assert found["count"] == 1, element
        coords = found["coords"][0]
        assert abs(coords["x"] - element["width"] / 2 - element["x"]) <= 1, element
        assert abs(coords["y"] - element["height"] / 2 - element["y"]) <= 1, element


async def test_awkward_names_make_usable_selectors(client: Client) -> None:
    page = (
        "<button id='1 a:b'>x</button><button name='say \"hi\"'>y</button>"
        "<button aria-label='back\\slash'>z</button><button class='a:b c/d'>w</button>"
        "<div><button>u</button></div><div><button>v</button></div>"
    )
    data = await client.data("page.elements", {"url": data_url(page)})
    for element in data["elements"]:
        found = await client.data("page.coords", {"selector": element["selector"]})
        assert found["coords"]["width"] == element["width"]
    assert data["count"] == 6


async def test_first_element_is_awaited_on_demand(client: Client, site: TestSite) -> None:
    url = site.url("/late.html?ms=300")
    assert await client.data("page.elements", {"url": url}) == {"elements": [], "count": 0}
    await client.data("navigate", {"url": url})
    response = await client.send("page.elements", {"wait": True})
    assert response.data is not None
    assert [element["id"] for element in response.data["elements"]] == ["late"]
    assert response.inputs == {"wait": True}


async def test_waiting_in_vain_for_elements_is_an_empty_list(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    data = await client.data("page.elements", {"wait": True, "timeoutMs": 300})
    assert data == {"elements": [], "count": 0}


async def test_snapshot_returns_text_and_elements(client: Client, site: TestSite) -> None:
    url = site.url("/index.html")
    response = await client.send("page.snapshot", {"url": url})
    assert response.data is not None
    elements = response.data.pop("elements")
    assert response.data == {
        "url": url,
        "title": "Test site",
        "viewportWidth": 1280,
        "viewportHeight": 720,
        "text": "Test site Form Elements Links",
        "elementCount": 3,
    }
    assert [element["text"] for element in elements] == ["Form", "Elements", "Links"]
    assert response.inputs == {"url": url}
    assert delta(response) == {"url": url}


async def test_snapshot_of_text_alone_has_no_elements(client: Client, site: TestSite) -> None:
    data = await client.data("page.snapshot", {"url": site.url("/text.html"), "textOnly": True})
    assert data["elements"] == []
    assert data["elementCount"] == 0
    assert data["text"].startswith("Hello The first paragraph.")
    assert "junk" not in data["text"]


async def test_text_of_a_snapshot_is_cut(client: Client, site: TestSite) -> None:
    data = await client.data(
        "page.snapshot", {"url": site.url("/article.html"), "maxTextLength": 20}
    )
    assert len(data["text"]) <= 20
    whole = await client.data("page.snapshot", {"maxTextLength": 100_000})
    assert whole["text"].startswith(data["text"])
    assert "It records the wind." in whole["text"]


async def test_full_snapshot_has_the_text_of_elements_without_size(client: Client) -> None:
    page = "<div style='height: 0; overflow: hidden'>folded</div><p>plain</p>"
    await client.data("navigate", {"url": data_url(page)})
    assert (await client.data("page.snapshot"))["text"] == "plain"
    assert (await client.data("page.snapshot", {"full": True}))["text"] == "folded plain"


async def test_snapshot_sees_into_shadow_roots(client: Client, site: TestSite) -> None:
    data = await client.data("page.snapshot", {"url": site.url("/shadow.html")})
    assert "Shadow button" in data["text"]
    assert "Nested button" in data["text"]


async def test_aria_returns_text_tree_and_counts(client: Client, site: TestSite) -> None:
    url = site.url("/index.html")
    response = await client.send("page.aria", {"url": url})
    assert response.data is not None
    data = response.data
    assert data.keys() == {"url", "title", "snapshot", "tree", "nodeCount", "refCount"}
    assert (data["url"], data["title"]) == (url, "Test site")
    assert '- heading "Test site" [level=1]' in data["snapshot"]
    assert 'link "Elements"' in data["snapshot"]
    assert data["refCount"] == data["snapshot"].count("[ref=")
    assert data["nodeCount"] >= data["refCount"]
    assert data["tree"][0]["children"]
    assert response.inputs == {"url": url}
    assert delta(response) == {"url": url}


async def test_aria_without_the_tree(client: Client, site: TestSite) -> None:
    data = await client.data("page.aria", {"url": site.url("/index.html"), "tree": False})
    assert "tree" not in data
    assert data["snapshot"]


async def test_aria_with_boxes_returns_positions(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/index.html")})
    plain = await client.data("page.aria")
    boxed = await client.data("page.aria", {"boxes": True})
    assert "[box=" not in plain["snapshot"]
    assert "[box=" in boxed["snapshot"]


async def test_aria_is_cut_below_a_depth(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    whole = await client.data("page.aria")
    cut = await client.data("page.aria", {"depth": 2})
    assert cut["nodeCount"] < whole["nodeCount"]


async def test_aria_holds_the_frames(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/frames.html")})
    data = await client.data("page.aria")
    assert data["snapshot"].count('button "Inner button"') == 3


async def test_a_very_deep_page_is_cut_with_a_note(client: Client) -> None:
    page = "<h1>Top</h1>" + "<ul><li>" * 60 + "<button>Deep</button>"
    await client.data("navigate", {"url": data_url(page)})
    response = await client.send("page.aria", overrides={"timeoutMs": 3000})
    assert response.ok, response.error
    assert response.data is not None
    assert 'heading "Top"' in response.data["snapshot"]
    assert any("nested" in message or "deep" in message for message in messages(response))


async def test_coords_are_the_centre_of_an_element(client: Client, site: TestSite) -> None:
    url = site.url("/elements.html")
    response = await client.send("page.coords", {"url": url, "selector": "#link"})
    assert response.data is not None
    assert response.data.keys() == {"coords", "selector"}
    coords = response.data["coords"]
    assert coords.keys() == {"x", "y", "width", "height", "text", "href"}
    assert coords["text"] == "Text"
    assert coords["href"] == site.url("/text.html")
    assert response.inputs == {"url": url, "selector": "#link"}
    assert delta(response) == {"url": url, "selector": "#link"}
    hit = await client.data(
        "page.eval",
        {"expression": "document.elementFromPoint(arg.x, arg.y).id", "arg": coords},
    )
    assert hit["result"] == "link"


async def test_coords_of_all_matches_are_numbered(client: Client, site: TestSite) -> None:
    url = site.url("/duplicates.html")
    response = await client.send("page.coords-all", {"url": url, "selector": "button"})
    assert response.data is not None
    assert response.data.keys() == {"coords", "selector", "count"}
    coords = response.data["coords"]
    assert [each["index"] for each in coords] == [0, 1, 2]
    assert [each["text"] for each in coords] == ["Save"] * 3
    assert coords[0]["y"] < coords[1]["y"] < coords[2]["y"]
    assert response.inputs == {"url": url, "selector": "button"}
    assert delta(response) == {"url": url, "selector": "button"}


async def test_no_match_has_no_coords_and_is_no_error(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    data = await client.data("page.coords-all", {"selector": "#nowhere"})
    assert data == {"coords": [], "selector": "#nowhere", "count": 0}


@pytest.mark.thorough
async def test_page_of_ten_thousand_elements_works(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/ten-thousand.html")})
    elements = await client.data("page.elements")
    assert elements["count"] == 5000
    selectors = [element["selector"] for element in elements["elements"]]
    assert len(set(selectors)) == 5000
    snapshot = await client.data("page.snapshot", {"maxTextLength": 1_000_000})
    assert snapshot["elementCount"] == 5000
    assert "Row 1000 of 1000 so far" in snapshot["text"]
    aria = await client.data("page.aria")
    assert aria["nodeCount"] >= 10_000
    assert 'button "Delete 1000"' in aria["snapshot"]
