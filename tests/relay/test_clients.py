"""Several clients in one tab do not affect each other, also when one disconnects."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from playwright.async_api import Dialog, Error, Page, Route

from pwtui.relay import aio
from tests.relay.rig import Rig, eventually
from tests.site import TestSite
from tests.waiting import within

REGISTER = "navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)"
STATE = f"{REGISTER}.then(ready => ready.active.state)"
UNREGISTER = "navigator.serviceWorker.getRegistration().then(r => r.unregister())"
LOOK = """() => [
    innerWidth == 333, matchMedia('(prefers-color-scheme: dark)').matches, navigator.onLine
]"""


async def only_page(browser: Any) -> Page:
    """The page that both clients have, loaded."""
    (page,) = browser.contexts[0].pages
    assert isinstance(page, Page)
    await page.wait_for_load_state()
    return page


async def test_a_service_worker_starts_in_attached_tabs_and_in_others(
    rig: Rig, site: TestSite
) -> None:
    await rig.open(site.url("/text.html"))
    async with rig.client() as browser:
        page = await only_page(browser)
        state = await within(page.evaluate(STATE))
        await page.evaluate(UNREGISTER)
        # A tab of the same site that is not attached.
        create = f"chrome.tabs.create({{url: '{site.url('/form.html')}'}}).then(tab => tab.id)"
        tab = await rig.in_worker(create)
        await eventually(lambda: is_loaded(rig, tab), "the other tab is loaded")
        other = await within(in_tab(rig, tab, STATE))
        await in_tab(rig, tab, UNREGISTER)

    assert state in ("activating", "activated")
    assert other in ("activating", "activated")


async def is_loaded(rig: Rig, tab: int) -> bool:
    return bool(await rig.in_worker(f"chrome.tabs.get({tab}).then(t => t.status == 'complete')"))


async def in_tab(rig: Rig, tab: int, expression: str) -> Any:
    """The value of an expression in a tab that no client uses."""
    found = await rig.in_worker("chrome.debugger.getTargets()")
    target = next(each["id"] for each in found if each.get("tabId") == tab)
    async with rig.direct(f"/devtools/page/{target}") as cdp:
        parameters = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        return (await cdp.send("Runtime.evaluate", parameters))["result"].get("value")


async def test_each_of_two_clients_can_open_pages(rig: Rig, site: TestSite) -> None:
    await rig.open(site.url("/text.html"))
    async with rig.client() as first, rig.client() as second:
        titles = []
        for browser in (first, second, first, second):
            page = await browser.contexts[0].new_page()
            await page.goto(site.url("/form.html"))
            titles.append(await page.title())
            await page.close()

    assert titles == ["Form"] * 4


async def test_a_dialog_is_sent_to_the_client_whose_command_opened_it(
    rig: Rig, site: TestSite
) -> None:
    await rig.open(site.url("/dialogs.html"))
    async with rig.client() as idle, rig.client() as acting:
        other, page = await only_page(idle), await only_page(acting)
        await other.title()  # the other client sent the last command
        page.on("dialog", lambda dialog: dialog.accept())
        answers = [await page.evaluate("confirm('Sure?')") for _ in range(3)]
        await page.click("#confirm")
        clicked = await page.inner_text("#answer")

    assert answers == [True] * 3
    assert clicked == "confirm: true"


async def test_a_dialog_of_a_client_that_disconnects_is_sent_to_another(
    rig: Rig, site: TestSite
) -> None:
    await rig.open(site.url("/dialogs.html"))
    async with rig.client() as staying:
        page = await only_page(staying)
        seen = asyncio.get_running_loop().create_future()

        async def accept(dialog: Dialog) -> None:
            seen.set_result(dialog.message)
            await dialog.accept()

        page.on("dialog", accept)
        async with rig.bare() as leaving:
            await leaving.send("Target.setAutoAttach", {"autoAttach": True, "flatten": True})
            attached = await leaving.event("Target.attachedToTarget")
            session = attached["params"]["sessionId"]
            await leaving.send("Page.enable", session=session)
            click = {"expression": "document.querySelector('#confirm').click()"}
            await leaving.post("Runtime.evaluate", click, session)
            await leaving.event("Page.javascriptDialogOpening")
            assert not seen.done()
        message = await within(seen)
        await page.wait_for_function("document.querySelector('#answer').textContent")
        answer = await page.inner_text("#answer")

    assert message == "Are you sure?"
    assert answer == "confirm: true"


async def test_routes_of_the_previous_client_are_restored(rig: Rig, site: TestSite) -> None:
    fetch = "path => fetch(path).then(r => r.text())"

    async def answer(route: Route) -> None:
        await route.fulfill(body="routed")

    await rig.open(site.url("/text.html"))
    async with rig.client() as first:
        one = await only_page(first)
        await one.route("**/data", answer)
        before = await one.evaluate(fetch, "/data")
        async with rig.client() as second:
            two = await only_page(second)
            await two.route("**/lib.js", answer)
            during = [await one.evaluate(fetch, path) for path in ("/lib.js",)]
            await two.unroute("**/lib.js")
            unrouted = await one.evaluate(fetch, "/data")
            await two.route("**/lib.js", answer)
        left = await one.evaluate(fetch, "/data")

    assert [before, during, unrouted, left] == ["routed", ["routed"], "routed", "routed"]


async def test_emulation_of_a_client_ends_when_it_disconnects(rig: Rig, site: TestSite) -> None:
    await rig.open(site.url("/text.html"))
    async with rig.client() as staying:
        page = await only_page(staying)
        usual = await page.evaluate(LOOK)
        async with rig.client() as leaving:
            other = await only_page(leaving)
            await other.set_viewport_size({"width": 333, "height": 222})
            await other.emulate_media(color_scheme="dark")
            await leaving.contexts[0].set_offline(True)
            await leaving.contexts[0].set_extra_http_headers({"X-Left": "1"})
            during = await page.evaluate(LOOK)
        await page.wait_for_function("navigator.onLine && innerWidth != 333")
        after = await page.evaluate(LOOK)
        echoed = await page.goto(site.url("/echo"))
        assert echoed is not None
        headers = (await echoed.json())["headers"]

    assert during == [True, True, False]
    assert after == usual == [False, False, True]
    assert "x-left" not in {name.lower() for name in headers}


async def test_the_value_of_the_previous_client_is_restored(rig: Rig, site: TestSite) -> None:
    await rig.open(site.url("/text.html"))
    async with rig.client() as staying:
        page = await only_page(staying)
        await page.set_viewport_size({"width": 444, "height": 300})
        async with rig.client() as leaving:
            other = await only_page(leaving)
            await other.set_viewport_size({"width": 333, "height": 222})
            during = await page.evaluate("innerWidth")
        await page.wait_for_function("innerWidth == 444")

    assert during == 333


async def test_a_result_that_is_too_large_fails_without_affecting_others(
    rig: Rig, site: TestSite
) -> None:
    tab = await rig.open(site.url("/text.html"))
    async with rig.instead(max_message_bytes=1_000_000):
        await aio.wait_for_extension(port=rig.port, poll_interval=50)
        async with rig.client() as first, rig.client() as second:
            page, other = await only_page(first), await only_page(second)
            with pytest.raises(Error) as raised:
                await page.evaluate("'x'.repeat(2e6)")
            wide = await page.evaluate("'ä'.repeat(4e5).length")
            async with other.expect_console_message() as coming:
                await page.evaluate("console.log('x'.repeat(2e6)); console.log('after')")
            logged = (await coming.value).text
            title = await other.title()
            notes = [note["message"] for note in (await rig.trace())["notes"]]
            pages = [page["targetId"] for page in await rig.pages()]

    assert "The result is larger than" in str(raised.value)
    assert (wide, logged, title) == (400_000, "after", "Text")
    assert pages == [tab]
    assert "Runtime.callFunctionOn: The result is larger than" in notes[0]
    assert "the event Runtime.consoleAPICalled was dropped" in notes[1]
