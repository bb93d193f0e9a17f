"""Async versions of the functions of `pwtui.relay`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from pwtui.relay import api
from pwtui.relay.client import CookieScope
from pwtui.state.relay_records import DEFAULT_PORT

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

P = ParamSpec("P")
R = TypeVar("R")


def _in_thread(function: Callable[P, R]) -> Callable[P, Awaitable[R]]:
    @wraps(function)
    async def run(*args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(function, *args, **kwargs)

    return run


ensure_persistent_relay = _in_thread(api.ensure_persistent_relay)
wait_for_extension = _in_thread(api.wait_for_extension)


async def connect_to_relay(
    *,
    port: int = DEFAULT_PORT,
    timeout: float = 30_000,
    separate_window: bool | None = None,
    cookies: CookieScope = "page",
    playwright: Playwright | None = None,
) -> Browser:
    """See `pwtui.relay.connect_to_relay`. A Playwright that it starts stops at the disconnect."""
    url = await asyncio.to_thread(api.prepare, port, timeout, separate_window, cookies)
    if playwright is not None:
        return await playwright.chromium.connect_over_cdp(url, timeout=timeout)

    from playwright.async_api import async_playwright

    driver = await async_playwright().start()
    try:
        browser = await driver.chromium.connect_over_cdp(url, timeout=timeout)
    except BaseException:
        await driver.stop()
        raise
    tasks: set[asyncio.Task[None]] = set()

    def disconnected(_: Browser) -> None:
        # The event loop has only weak references to its tasks.
        tasks.add(asyncio.ensure_future(driver.stop()))

    browser.on("disconnected", disconnected)
    return browser
