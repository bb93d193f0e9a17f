"""The separate window in a real browser, as documented."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio

from pwtui.relay import aio, api
from tests.relay.rig import Rig, eventually
from tests.site import TestSite


@pytest_asyncio.fixture(loop_scope="session")
async def separate(rig: Rig) -> AsyncIterator[Rig]:
    """The rig, with the mode on and the user's one window."""
    await rig.ask("/window-mode", {"separateWindow": True})
    yield rig
    await rig.ask("/window-mode", {"separateWindow": False})


async def own_windows(rig: Rig, user: int) -> list[dict[str, Any]]:
    return [window for window in await rig.windows() if window["id"] != user]


async def the_users(rig: Rig) -> int:
    (window,) = await rig.windows()
    return int(window["id"])


async def test_all_tabs_share_one_window_that_does_not_take_the_focus(
    separate: Rig, site: TestSite
) -> None:
    user = await the_users(separate)

    await asyncio.gather(*(separate.open(site.url("/text.html")) for _ in range(3)))

    (own,) = await own_windows(separate, user)
    assert (own["width"], own["height"], own["type"]) == (1200, 800, "normal")
    assert len(own["tabs"]) == 3
    assert {tab["groupId"] for tab in own["tabs"]} == {-1}
    assert own["focused"] is False


async def test_a_window_that_the_user_closed_is_opened_again_for_the_next_tab(
    separate: Rig, site: TestSite
) -> None:
    user = await the_users(separate)
    async with separate.client() as browser:
        page = await browser.contexts[0].new_page()
        (own,) = await own_windows(separate, user)
        async with page.expect_event("close"):
            await separate.in_worker(f"chrome.windows.remove({own['id']})")
        again = await browser.contexts[0].new_page()
        await again.goto(site.url("/form.html"))
        (new,) = await own_windows(separate, user)

    assert new["id"] != own["id"]


async def test_tabs_work_after_they_are_moved_to_another_window_and_back(
    separate: Rig, site: TestSite
) -> None:
    user = await the_users(separate)
    target = await separate.open(site.url("/form.html"))
    await separate.open(site.url("/text.html"))
    tab = await separate.tab_of(target)
    (own,) = await own_windows(separate, user)
    async with separate.client() as browser:
        page = next(p for p in browser.contexts[0].pages if p.url.endswith("/form.html"))
        texts = []
        for window in (user, own["id"]):
            move = f"chrome.tabs.move({tab}, {{windowId: {window}, index: -1}})"
            await separate.in_worker(move)
            await page.get_by_label("Name").fill(str(window))
            texts.append(await page.get_by_label("Name").input_value())

    assert texts == [str(user), str(own["id"])]


async def test_the_window_closes_with_the_last_tab_unless_it_has_a_tab_of_the_user(
    separate: Rig, site: TestSite
) -> None:
    user = await the_users(separate)
    first, second = [await separate.open(site.url("/text.html")) for _ in range(2)]
    (own,) = await own_windows(separate, user)
    await separate.in_worker(f"chrome.tabs.create({{windowId: {own['id']}, active: false}})")
    await separate.click_button(await separate.tab_of(first))
    (kept,) = await own_windows(separate, user)
    await separate.click_button(await separate.tab_of(second))

    async def only_the_users_is_left() -> bool:
        windows = await own_windows(separate, user)
        return [len(window["tabs"]) for window in windows] == [1]

    assert len(kept["tabs"]) == 3
    await eventually(only_the_users_is_left, "our tabs are closed, the user's is not")


async def test_the_window_is_closed_and_the_mode_reset_when_the_relay_ends(
    separate: Rig, site: TestSite
) -> None:
    user = await the_users(separate)
    await separate.open(site.url("/text.html"))
    await asyncio.to_thread(api.stop_relay, separate.port)

    async def is_closed() -> bool:
        return not await own_windows(separate, user)

    await eventually(is_closed, "the window is closed")
    await aio.ensure_persistent_relay(port=separate.port)
    await separate.connected()
    await separate.open(site.url("/text.html"))

    assert await own_windows(separate, user) == []


async def test_a_change_of_the_mode_affects_only_new_tabs(separate: Rig, site: TestSite) -> None:
    user = await the_users(separate)
    old = await separate.open(site.url("/form.html"))
    await aio.ensure_persistent_relay(port=separate.port, separate_window=False)
    new = await separate.open(site.url("/text.html"))
    await aio.ensure_persistent_relay(port=separate.port, separate_window=True)
    newest = await separate.open(site.url("/text.html"))

    places = {}
    for target in (old, new, newest):
        tab = await separate.in_worker(f"chrome.tabs.get({await separate.tab_of(target)})")
        places[target] = tab["windowId"]
    assert places[new] == user
    assert places[old] == places[newest] != user
