"""Monitoring of Playwright's driver: it is killed if it hangs, not if it is slow."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Error, Request

from pwtui.browser.launch import driver_process
from pwtui.browser.launch.driver_process import Driver
from pwtui.browser.launch.find_browser import find_chromium
from tests.site import TestSite
from tests.waiting import until


@pytest_asyncio.fixture(loop_scope="session")
async def driver(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Driver]:
    """A driver whose watch looks often."""
    for name, seconds in {"WATCH": 0.05, "LOOK": 0.1}.items():
        monkeypatch.setattr(driver_process, f"{name}_SECONDS", seconds)
    monkeypatch.setattr(driver_process, "IDLE_LOOKS", 5)
    driver = await Driver.start()
    yield driver
    await driver.stop()


async def silence() -> bool:
    await asyncio.Event().wait()
    return True


async def test_a_silent_driver_is_killed_only_when_this_process_had_the_processor(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await driver.answers()
    monkeypatch.setattr(driver, "_ping", silence)
    for _ in range(7):
        time.sleep(0.3)  # noqa: ASYNC251 - a busy machine may pause this process
        await asyncio.sleep(0)
    survived = driver.lives
    await until(lambda: driver.hung, "an idle driver that never answers is killed")

    assert survived
    assert not driver.lives


async def test_a_silent_driver_counts_as_slow_before_it_was_watched_for_long(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver_process, "IDLE_LOOKS", 10_000)
    monkeypatch.setattr(driver, "_ping", silence)

    assert await driver.answers()
    assert driver.lives


async def test_an_error_counts_as_a_response(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_space() -> None:
        raise Error("ENOSPC: no space left on device")

    monkeypatch.setattr(driver.playwright.request, "new_context", no_space)

    assert await driver.answers()
    assert driver.lives


@pytest.mark.thorough
async def test_a_driver_keeps_the_newest_requests_of_pages(
    site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NODE_OPTIONS", driver_process.node_options())
    driver = await Driver.start()
    try:
        path = find_chromium(headless=True)
        browser = await driver.playwright.chromium.launch(executable_path=path)
        page = await browser.new_page()
        seen: list[Request] = []
        page.on("request", lambda request: seen.append(request))
        await page.goto(site.url("/form.html"))
        fetches = """async () => {
            const ask = () => fetch("/form.html", { method: "HEAD" });
            for (let i = 0; i < 45; i++) await Promise.all(Array.from({ length: 50 }, ask));
        }"""
        await page.evaluate(fetches)
        await until(lambda: len(seen) > 2250, "all requests are reported")
        with pytest.raises(Error, match="collected"):
            await seen[0].all_headers()
        assert await seen[-1].all_headers()
        await browser.close()
    finally:
        await driver.stop()
