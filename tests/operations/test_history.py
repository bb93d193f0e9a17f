"""back, forward, reload; title, URL, viewport size and PDF of a page."""

from __future__ import annotations

import pytest

from tests.client import Client
from tests.site import TestSite

pytestmark = pytest.mark.usefixtures("own_tab")


async def test_history_goes_back_and_forward(client: Client, site: TestSite) -> None:
    first, second = site.url("/text.html"), site.url("/form.html")
    await client.data("navigate", {"url": first})
    await client.data("navigate", {"url": second})
    assert (await client.data("page.url")) == {"url": second}
    back = await client.data("back")
    assert back == {"beforeUrl": second, "url": first, "title": "Text", "status": 200}
    assert (await client.data("page.title")) == {"title": "Text", "url": first}
    assert (await client.data("forward"))["url"] == second
    error = await client.error("forward")
    assert error.code == "INVALID_INPUT"
    assert "no later page" in error.message


async def test_ref_taken_after_going_back_can_be_used(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    await client.data("navigate", {"url": site.url("/text.html")})
    await client.data("back")
    found = (await client.data("page.find", {"role": "button", "text": "Submit"}))["matches"]
    assert found[0]["ref"].startswith("f")
    await client.data("click", {"ref": found[0]["ref"]})


async def test_reload_loads_the_page_again(client: Client, site: TestSite) -> None:
    await client.data("fill", {"url": site.url("/form.html"), "selector": "#name", "text": "Ada"})
    site.requests.clear()
    assert (await client.data("reload"))["status"] == 200
    assert site.requests == [("GET", "/form.html")]
    await client.data("verify.value", {"selector": "#name", "value": ""})


async def test_dialog_before_leaving_does_not_hang_a_reload(client: Client, site: TestSite) -> None:
    await client.data("click", {"url": site.url("/form.html"), "selector": "#name"})
    await client.data("page.eval", {"expression": "onbeforeunload = () => 'stay'; return 1"})
    assert (await client.data("reload"))["dialog"]["type"] == "beforeunload"
    await client.data("dialog.dismiss")


async def test_viewport_is_resized(client: Client, site: TestSite) -> None:
    size = {"width": 640, "height": 480}
    assert (await client.data("page.resize", {"url": site.url("/text.html"), **size})) == size
    seen = await client.data("page.eval", {"expression": "[innerWidth, innerHeight]"})
    assert seen["result"] == [640, 480]
    assert (await client.error("page.resize", {"width": 0, "height": 5})).code == "INVALID_INPUT"


async def test_page_is_printed(client: Client, site: TestSite) -> None:
    response = await client.send("page.pdf", {"url": site.url("/text.html"), "output": "out/a.pdf"})
    assert response.ok, response.error
    file = client.root / "out/a.pdf"
    assert file.read_bytes().startswith(b"%PDF")
    assert response.artifacts is not None
    assert [(each.type, each.path) for each in response.artifacts] == [("pdf", str(file))]
    assert (await client.error("page.pdf", {"pages": "none"})).code == "INVALID_INPUT"
