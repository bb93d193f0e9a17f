"""page.text, page.html, page.read: the content of a page."""

from __future__ import annotations

import sys

import pytest

from pwtui.protocol.errors import MAX_RESULT_BYTES
from tests.client import Client
from tests.operations.support import data_url, delta, messages
from tests.site import TestSite


async def test_text_of_an_element(client: Client, site: TestSite) -> None:
    url = site.url("/text.html")
    response = await client.send("page.text", {"url": url, "selector": "#second"})
    assert response.data == {
        "text": "The second paragraph, over two lines, with bold words.",
        "selector": "#second",
        "matchCount": 1,
    }
    assert response.inputs == {"url": url, "selector": "#second"}
    assert delta(response) == {"url": url, "selector": "#second"}


async def test_text_holds_what_is_visible_only(client: Client, site: TestSite) -> None:
    data = await client.data("page.text", {"url": site.url("/text.html"), "selector": "body"})
    assert "Five < six & seven." in data["text"]
    assert "junk" not in data["text"]


async def test_runs_of_blank_lines_become_one(client: Client) -> None:
    url = data_url("<pre>one\n\n  \n\n\ntwo\n\nthree</pre>")
    data = await client.data("page.text", {"url": url, "selector": "pre"})
    assert data["text"] == "one\n\ntwo\n\nthree"


async def test_text_of_the_element_that_was_used_last(client: Client, site: TestSite) -> None:
    await client.data("page.coords", {"url": site.url("/text.html"), "selector": "#first"})
    response = await client.send("page.text")
    assert response.inputs == {"selector": "#first"}
    assert response.data is not None
    assert response.data["text"] == "The first paragraph."


async def test_selector_flag_overrides_selector(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    response = await client.send("page.text", {"selector": "h1", "selectorFlag": "#first"})
    assert response.inputs == {"selector": "#first"}


async def test_text_with_no_selector_ever_used_is_refused(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")}, profile="no-memory")
    error = await client.error("page.text", profile="no-memory")
    assert error.code == "INVALID_INPUT"
    assert "selector" in error.message
    data = await client.data("page.html", profile="no-memory")
    assert data["selector"] == "html"


async def test_html_is_what_is_inside_of_an_element(client: Client, site: TestSite) -> None:
    url = site.url("/text.html")
    response = await client.send("page.html", {"url": url, "selector": "#escaped"})
    html = "Five &lt; six &amp; <em>seven</em>."
    assert response.data == {"html": html, "selector": "#escaped", "length": len(html)}
    assert response.inputs == {"url": url, "selector": "#escaped"}
    assert delta(response) == {"url": url, "selector": "#escaped"}


async def test_length_of_html_counts_bytes(client: Client) -> None:
    url = data_url("<meta charset=utf-8><p>über 🎈</p>")
    data = await client.data("page.html", {"url": url, "selector": "p"})
    assert data["html"] == "über 🎈"
    assert data["length"] == len("über 🎈".encode())


async def test_html_that_is_too_long_is_refused_before_it_is_sent(
    client: Client, site: TestSite, own_tab: int
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    fill = f"document.head.append(new Comment('x'.repeat({MAX_RESULT_BYTES}))); 1"
    await client.data("page.eval", {"expression": fill})
    error = await client.error("page.html", {"selector": "html"})
    body = await client.data("page.html", {"selector": "body"})

    assert error.code == "RESULT_TOO_LARGE"
    assert error.details is not None
    assert error.details["bytes"] > MAX_RESULT_BYTES
    assert "Five" in body["html"]


async def test_elements_in_frames_can_be_read(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/frames.html")})
    for frame in ("same", "cross"):
        selector = f"#{frame} >> internal:control=enter-frame >> h2"
        data = await client.data("page.text", {"selector": selector})
        assert data["text"] == "Inner"
        data = await client.data("page.html", {"selector": selector})
        assert data["html"] == "Inner"


async def test_reading_keeps_the_article_and_drops_the_clutter(
    client: Client, site: TestSite
) -> None:
    url = site.url("/article.html")
    response = await client.send("page.read", {"url": url})
    assert response.data is not None
    assert response.data.keys() == {"content", "format", "wordCount"}
    content = response.data["content"]
    for kept in (
        "For a hundred and forty years",
        "Inside the shadow box",
        "What the relay does",
        "grey-point lamp=on",
        "that the sensor is not fooled by fog",
        "I was paid for forty years to be forgotten",
        "It records the wind.",
    ):
        assert kept in content, kept
    for clutter in (
        "ADVERT",
        "NAVIGATION",
        "BANNER",
        "ASIDE",
        "NEWSLETTER",
        "FOOTER",
        "SCRIPT",
        "Accept all",
    ):
        assert clutter not in content, clutter
    assert "# A clock that was wound by hand" in content
    assert response.data["format"] == "markdown"
    assert response.data["wordCount"] == len(content.split())
    assert response.inputs == {"url": url}
    assert delta(response) == {"url": url}


async def test_reading_without_its_packages_says_how_to_install_them(
    client: Client, site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "trafilatura", None)

    response = await client.send("page.read", {"url": site.url("/article.html")})

    assert response.error is not None
    assert response.error.code == "UNSUPPORTED_MODE"
    assert response.error.hint is not None
    assert "pwtui[read]" in response.error.hint


async def test_reading_as_text_has_no_markup(client: Client, site: TestSite) -> None:
    data = await client.data(
        "page.read", {"url": site.url("/article.html"), "outputFormat": "text"}
    )
    assert data["format"] == "text"
    assert "What the relay does" in data["content"]
    assert "# What the relay does" not in data["content"]
    assert "<p>" not in data["content"]


async def test_reading_as_html_has_tags(client: Client, site: TestSite) -> None:
    data = await client.data(
        "page.read", {"url": site.url("/article.html"), "outputFormat": "html"}
    )
    assert data["format"] == "html"
    assert "<p>" in data["content"]


async def test_metadata_is_added_on_demand(client: Client, site: TestSite) -> None:
    data = await client.data("page.read", {"url": site.url("/article.html"), "metadata": True})
    found = {key: data[key] for key in data.keys() - {"content", "format", "wordCount"}}
    assert found == {
        "title": "The lighthouse at Grey Point",
        "author": "Ada Marlowe",
        "published": "2024-03-05",
        "description": "The lamp of Grey Point is switched by a relay now.",
        "site": "Coast Weekly",
    }


async def test_page_without_content_is_read_with_a_warning(client: Client) -> None:
    response = await client.send("page.read", {"url": data_url("")})
    assert response.data == {"content": "", "format": "markdown", "wordCount": 0}
    assert "no main content" in messages(response)[0]


async def test_unknown_format_is_refused(client: Client) -> None:
    error = await client.error("page.read", {"outputFormat": "pdf"})
    assert error.code == "INVALID_INPUT"
    assert "markdown" in error.message


@pytest.mark.parametrize("op", ["page.text", "page.html"])
async def test_page_that_changes_all_the_time_can_be_read(client: Client, op: str) -> None:
    url = data_url("<p>0</p><script>setInterval(() => document.body.prepend('x'), 1)</script>")
    await client.data("navigate", {"url": url})
    data = await client.data(op, {"selector": "p"})
    assert data["selector"] == "p"
