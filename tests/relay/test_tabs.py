"""The user's tabs: attached, used by several clients, and correct after navigation and crashes."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.request import urlopen

from playwright.async_api import Page, Route, expect

from pwtui.relay import aio, api
from tests.relay.rig import Rig, eventually, get_json
from tests.site import TestSite

FETCH = "fetch('/mine').then(r => r.text())"


async def titles(rig: Rig) -> list[str]:
    return [page["title"] for page in await rig.pages()]


def only_page(browser: Any) -> Page:
    (page,) = browser.contexts[0].pages
    assert isinstance(page, Page)
    return page


async def test_two_clients_can_use_one_tab(rig: Rig, site: TestSite) -> None:
    await rig.open(site.url("/form.html"))
    async with rig.client() as first:
        one = only_page(first)
        handle = await one.query_selector("h1")
        routed: list[str] = []

        async def answer(route: Route) -> None:
            routed.append(route.request.url)
            await route.fulfill(body="routed")

        await one.route("**/mine", answer)
        async with rig.client() as second:
            two = only_page(second)
            await two.get_by_label("Name").fill("Ada")
            texts = [
                await page.evaluate("fetch('/mine').then(r => r.text())") for page in (one, two)
            ]
            async with (
                one.expect_console_message() as of_one,
                two.expect_console_message() as of_two,
            ):
                await two.evaluate("console.log('both')")
            logged = [(await each.value).text for each in (of_one, of_two)]
            trace = await rig.trace()
        assert handle is not None
        still = [await handle.inner_text(), await one.get_by_label("Name").input_value()]
        again = await one.evaluate(FETCH)

    assert texts == ["routed", "routed"]
    assert logged == ["both", "both"]
    assert [len(client["targets"]) for client in trace["clients"]] == [1, 1]
    assert still == ["Form", "Ada"]
    assert again == "routed"
    assert len(routed) == 3


async def test_domains_of_a_client_are_disabled_when_it_disconnects(
    rig: Rig, site: TestSite
) -> None:
    await rig.open(site.url("/text.html"))
    async with rig.client() as first:
        page = only_page(first)
        await page.route("**/*", lambda route: route.fulfill(body="mine"))
        await page.add_init_script("window.left = 1")
        await page.emulate_media(color_scheme="dark")
        await page.set_viewport_size({"width": 333, "height": 222})

    async with rig.client() as second:
        page = only_page(second)
        await page.goto(site.url("/form.html"))
        title = await page.title()
        left = await page.evaluate(
            "[window.left, matchMedia('(prefers-color-scheme: dark)').matches, innerWidth == 333]"
        )

    assert title == "Form"
    assert left == [None, False, False]


async def test_a_later_client_has_the_frames_of_other_sites(rig: Rig, site: TestSite) -> None:
    await rig.open(site.url("/frames.html"))
    async with rig.client() as first, rig.client() as second:
        for browser in (first, second):
            frame = only_page(browser).frame_locator("#cross")
            await expect(frame.get_by_role("button").first).to_be_visible()


async def test_the_status_of_a_tab_is_correct_after_navigation_crash_and_close(
    rig: Rig, site: TestSite
) -> None:
    target = await rig.open(site.url("/form.html"))
    async with rig.client() as browser:
        page = only_page(browser)
        await page.goto(site.url("/text.html"))
        (navigated,) = await rig.pages()
        await page.evaluate("history.pushState({}, '', '/pushed'); document.title = 'Pushed'")
        (pushed,) = await rig.pages()
        async with page.expect_event("crash"):
            session = await browser.contexts[0].new_cdp_session(page)
            crash = asyncio.ensure_future(session.send("Page.crash"))
        (crashed,) = await rig.pages()
        await page.close()
        crash.cancel()
        closed = await rig.pages()

    assert navigated["targetId"] == target
    assert navigated["url"] == site.url("/text.html")
    assert (pushed["url"], pushed["title"]) == (site.url("/pushed"), "Pushed")
    assert [navigated["crashed"], crashed["crashed"]] == [False, True]
    assert closed == []


async def test_the_button_attaches_and_detaches_a_tab_and_groups_it(
    rig: Rig, site: TestSite
) -> None:
    (window,) = await rig.windows()
    (tab,) = window["tabs"]
    await rig.in_worker(f"chrome.tabs.update({tab['id']}, {{url: '{site.url('/form.html')}'}})")
    await rig.click_button(tab["id"])

    async def shown() -> list[str]:
        expression = f"""(async () => {{
            const tab = await chrome.tabs.get({tab["id"]});
            const badge = await chrome.action.getBadgeText({{tabId: tab.id}});
            const found = tab.groupId < 0 ? null : chrome.tabGroups.get(tab.groupId);
            const group = await found?.catch(() => null) ?? {{}};
            return [badge, group.title ?? "", group.color ?? ""] }})()"""
        return list(await rig.in_worker(expression))

    async def is_shown(*wanted: str) -> None:
        async def same() -> bool:
            return await shown() == list(wanted)

        await eventually(same, f"the button and the group show {wanted}")

    await is_shown("on", "pwtui", "green")
    await eventually(rig.pages, "the relay lists the page")
    async with rig.client() as browser:
        page = only_page(browser)
        await page.wait_for_url("**/form.html")
        async with page.expect_event("close"):
            await rig.click_button(tab["id"])
        left = browser.contexts[0].pages

    await is_shown("", "", "")
    assert left == []
    assert await rig.pages() == []


async def test_all_tabs_are_detached_when_the_user_cancels_debugging(
    rig: Rig, site: TestSite
) -> None:
    targets = [await rig.open(site.url(path)) for path in ("/form.html", "/text.html")]
    tabs = [await rig.tab_of(target) for target in targets]
    async with rig.client() as browser:
        # Chrome sends this for each tab when its bar is closed; a headless browser has no bar.
        for tab in tabs:
            cancel = f"chrome.debugger.onDetach.dispatch({{tabId: {tab}}}, 'canceled_by_user')"
            await rig.in_worker(cancel)

        async def has_none() -> bool:
            return browser.contexts[0].pages == []

        await eventually(has_none, "the client has no page")

    assert await rig.pages() == []
    assert await rig.in_worker("chrome.storage.session.get()") == {"wanted": []}


async def test_the_trace_has_the_reason_why_chrome_detached_a_tab(rig: Rig, site: TestSite) -> None:
    target = await rig.open(site.url("/links.html"))
    tab = await rig.tab_of(target)
    async with rig.client() as browser:
        page = only_page(browser)
        await page.wait_for_url("**/links.html")
        async with page.expect_event("close"):
            await rig.in_worker(f"chrome.tabs.update({tab}, {{url: 'chrome://version'}})")

    async def notes() -> list[str]:
        found = [note["message"] for note in (await rig.trace())["notes"]]
        return [note for note in found if site.url("/links.html") in note]

    (note,) = await eventually(notes, "the reason is noted")
    assert "was detached: Chrome does not allow extensions to debug its own pages" in note
    assert await rig.pages() == []


async def test_popups_are_attached_for_the_clients_of_their_opener(
    rig: Rig, site: TestSite
) -> None:
    await rig.open(site.url("/popup.html"))
    async with rig.client() as browser:
        page = only_page(browser)
        async with page.expect_popup() as coming:
            await page.click("#open")
        popup = await coming.value
        opener = await popup.opener()

    assert opener is page
    assert "Form" in await titles(rig)


async def test_tabs_are_attached_again_after_a_restart_of_the_relay(
    rig: Rig, site: TestSite
) -> None:
    target = await rig.open(site.url("/form.html"))
    async with rig.client() as browser:
        disconnected = asyncio.Event()
        browser.on("disconnected", lambda _: disconnected.set())
        stopped = await asyncio.to_thread(api.stop_relay, rig.port)
        await asyncio.wait_for(disconnected.wait(), 10)
    started = await aio.ensure_persistent_relay(port=rig.port)
    status = await aio.wait_for_extension(port=rig.port, poll_interval=50)
    async with rig.client() as browser:
        text = await only_page(browser).inner_text("h1")

    assert stopped
    assert (started.started, started.port) == (True, rig.port)
    assert status.page_count == 1
    assert text == "Form"
    assert [page["targetId"] for page in await rig.pages()] == [target]


async def test_a_stopped_worker_restarts_and_attaches_its_tabs_again(
    rig: Rig, site: TestSite
) -> None:
    await rig.open(site.url("/form.html"))
    (before,) = (await rig.trace())["extensions"]
    targets = await asyncio.to_thread(get_json, f"http://127.0.0.1:{rig.debug_port}/json/list")
    worker = next(each for each in targets if each["url"].endswith("/worker.js"))
    close = f"http://127.0.0.1:{rig.debug_port}/json/close/{worker['id']}"
    await asyncio.to_thread(_get, close)

    async def has_ended() -> bool:
        now = (await rig.trace())["extensions"]  # of the next worker, if an event has started it
        return before["connectedAt"] not in [each["connectedAt"] for each in now]

    await eventually(has_ended, "the worker has ended")
    # Events of the browser start it, or else its alarm.
    blank = next(each for each in targets if each["url"].startswith(("about:", "chrome://new")))
    await asyncio.to_thread(_get, f"http://127.0.0.1:{rig.debug_port}/json/close/{blank['id']}")
    status = await aio.wait_for_extension(port=rig.port, poll_interval=50)
    (after,) = (await rig.trace())["extensions"]
    async with rig.client() as browser:
        text = await only_page(browser).inner_text("h1")

    assert status.page_count == 1
    assert after["id"] == before["id"]
    assert text == "Form"


async def test_the_alarm_that_starts_the_worker_is_set(rig: Rig) -> None:
    alarm = await rig.in_worker("chrome.alarms.getAll()")

    assert [each["periodInMinutes"] for each in alarm] == [0.5]


async def test_cookies_are_those_of_the_attached_pages_or_with_an_option_all(
    rig: Rig, site: TestSite
) -> None:
    elsewhere: Any = {"name": "other", "value": "2", "domain": "elsewhere.test", "path": "/"}
    here: Any = {"name": "here", "value": "1", "url": site.url()}
    await rig.open(site.url("/text.html"))
    async with rig.client() as browser:
        context = browser.contexts[0]
        await only_page(browser).wait_for_url("**/text.html")
        await context.add_cookies([here, elsewhere])
        of_pages = [cookie["name"] for cookie in await context.cookies()]
        await context.clear_cookies()
        cleared = await context.cookies()
    async with rig.client(cookies="browser") as browser:
        context = browser.contexts[0]
        of_all = [cookie["name"] for cookie in await context.cookies()]
        await context.clear_cookies()
        all_cleared = await context.cookies()

    assert of_pages == ["here"]
    assert cleared == []
    assert of_all == ["other"]
    assert all_cleared == []


async def test_cookies_without_a_page_are_refused_with_a_hint(rig: Rig) -> None:
    async with rig.bare() as client:
        answer = await client.ask("Storage.getCookies")

    assert "click the extension's button on a tab first" in answer["error"]["message"]


def _get(url: str) -> None:
    with urlopen(url, timeout=5) as answer:
        answer.read()
