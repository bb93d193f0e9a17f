"""The persistent relay for programs with an event loop: the same functions, to be awaited."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pwtui.relay import api
from pwtui.relay.api import ExtensionStatus, RelayInfo
from pwtui.relay.options import CookieScope
from pwtui.state.relay_records import DEFAULT_PORT

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright


async def ensure_persistent_relay(
    *,
    port: int = DEFAULT_PORT,
    timeout: float = 10_000,
    separate_window: bool | None = None,
) -> RelayInfo:
    """See `pwtui.relay.ensure_persistent_relay`."""
    return await asyncio.to_thread(
        api.ensure_persistent_relay, port=port, timeout=timeout, separate_window=separate_window
    )


async def wait_for_extension(
    *, port: int = DEFAULT_PORT, timeout: float = 30_000, poll_interval: float = 500
) -> ExtensionStatus:
    """See `pwtui.relay.wait_for_extension`."""
    return await asyncio.to_thread(
        api.wait_for_extension, port=port, timeout=timeout, poll_interval=poll_interval
    )


async def connect_to_relay(
    *,
    port: int = DEFAULT_PORT,
    timeout: float = 30_000,
    separate_window: bool | None = None,
    cookies: CookieScope = "page",
    playwright: Playwright | None = None,
) -> Browser:
    """See `pwtui.relay.connect_to_relay`; an own Playwright ends when the browser disconnects."""
    await ensure_persistent_relay(port=port, separate_window=separate_window)
    await wait_for_extension(port=port, timeout=timeout)
    url = await asyncio.to_thread(api.connect_url, port, cookies)
    if playwright is not None:
        return await playwright.chromium.connect_over_cdp(url, timeout=timeout)

    from playwright.async_api import async_playwright

    driver = await async_playwright().start()
    try:
        browser = await driver.chromium.connect_over_cdp(url, timeout=timeout)
    except BaseException:
        await driver.stop()
        raise
    ending: set[asyncio.Task[None]] = set()

    def disconnected(_: Browser) -> None:
        # The task is kept: an event loop holds only weak references to its tasks.
        ending.add(asyncio.ensure_future(driver.stop()))

    browser.on("disconnected", disconnected)
    return browser
