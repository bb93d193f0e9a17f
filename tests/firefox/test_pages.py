"""Pages in Firefox: the same requests as in Chromium, and the same answers."""

from __future__ import annotations

from pwtui.browser.launch.firefox import OLDEST_WITHOUT_PROXY, StockFirefox
from tests.client import Client
from tests.operations.support import data_url, refs
from tests.site import TestSite


async def test_a_page_is_opened_read_and_acted_on(firefox: Client, site: TestSite) -> None:
    opened = await firefox.data("navigate", {"url": site.url("/form.html")})
    sessions = (await firefox.data("session.list"))["sessions"]
    own = next(each for each in sessions if each["origin"] == "pwtui")

    assert (opened["url"], opened["status"]) == (site.url("/form.html"), 200)
    assert own["browser"] == "firefox"
    assert own["pid"] is not None


async def test_a_click_by_ref_becomes_a_durable_locator(firefox: Client) -> None:
    page = data_url("<button onclick='this.textContent=\"Done\"'>Save</button>")
    await firefox.data("navigate", {"url": page})

    response = await firefox.send("click", {"ref": (await refs(firefox))["Save"]})

    assert response.ok, response.error
    assert (response.inputs or {})["selector"] == "getByRole('button', { name: 'Save' })"
    assert (await firefox.data("page.text", {"selector": "button"}))["text"] == "Done"


async def test_back_and_forward_go_through_the_history(firefox: Client, site: TestSite) -> None:
    first, second = site.url("/form.html"), site.url("/links.html")
    for url in (first, second):
        await firefox.data("navigate", {"url": url})

    assert (await firefox.data("back"))["url"] == first
    assert (await firefox.data("forward"))["url"] == second


async def test_media_is_emulated_or_refused_but_never_ignored(
    firefox: Client, stock: StockFirefox
) -> None:
    await firefox.data("navigate", {"url": data_url("")})
    dark = "matchMedia('(prefers-color-scheme: dark)').matches"

    response = await firefox.send("emulate.media", {"colorScheme": "dark"})
    is_dark = (await firefox.data("page.eval", {"expression": dark}))["result"]
    refused = await firefox.error("emulate.media", {"contrast": "more"})

    assert response.ok == is_dark == (stock.major >= OLDEST_WITHOUT_PROXY)
    assert refused.code == "UNSUPPORTED_MODE"
    assert refused.message == "this browser does not emulate (prefers-contrast: more)"
    light = await firefox.data("emulate.media", {"colorScheme": "light"})
    assert light["media"] == {"colorScheme": "light"}
