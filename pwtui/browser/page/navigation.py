"""Navigation to a URL."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Literal

from playwright.async_api import Error, Response
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pwtui.browser.first_line import first_line
from pwtui.browser.page.deadline import MORE_TIME, Deadline
from pwtui.browser.session.tab import Tab, is_error_page
from pwtui.browser.session.tab_errors import explain
from pwtui.protocol.errors import NavigationFailed, OperationTimeout
from pwtui.runtime.target import looks_like_selector

SETTLE_SECONDS = 0.5
REST_SECONDS = 0.1
# A page that was on its way already may arrive first, and would end the newer navigation.
TRIES = 3

WaitUntil = Literal["commit", "domcontentloaded", "load", "networkidle"]


async def go_to(
    tab: Tab, url: str, deadline: Deadline, *, wait_until: WaitUntil = "load"
) -> Response | None:
    """Load `url` in the tab; None if the response was a download."""
    await tab.held.release(tab.page)
    tab.listen_again()
    for _ in range(TRIES - 1):
        navigations = tab.navigations
        try:
            return await _load(tab, url, deadline, wait_until)
        except NavigationFailed:
            if tab.navigations == navigations or is_error_page(tab.url):
                raise
        await _wait_until_quiet(tab)
    return await _load(tab, url, deadline, wait_until)


async def _load(tab: Tab, url: str, deadline: Deadline, wait_until: WaitUntil) -> Response | None:
    downloads, navigations = tab.downloads.total, tab.navigations
    try:
        return await tab.page.goto(url, timeout=deadline.ms, wait_until=wait_until)
    except PlaywrightTimeout as error:
        explained = await explain(tab, error, deadline, f"loading {url}")
        await stop_loading(tab)
        if isinstance(explained, OperationTimeout):
            explained = OperationTimeout(
                f"{url} did not load within {deadline.timeout_ms} ms: the server did not respond, "
                "or the page is still loading",
                hint=MORE_TIME,
                details={"url": url, "timeoutMs": deadline.timeout_ms, "waitUntil": wait_until},
            )
        raise explained from error
    except Error as error:
        await _settle(tab, downloads, navigations)
        if tab.downloads.total > downloads:
            return None
        explained = await explain(tab, error, deadline, f"loading {url}")
        if explained is not error:
            raise explained from error
        reason = first_line(error)
        is_selector = looks_like_selector(url)
        raise NavigationFailed(
            f"{url} could not be loaded: {reason}",
            hint="this looks like a selector: pass it as `selector`" if is_selector else None,
            details={"url": url, "reason": reason},
        ) from error


async def _settle(tab: Tab, downloads: int, navigations: int) -> None:
    """Wait for the result of a failed load: a download, another page or the error page.

    The error page would interrupt the next navigation otherwise.
    """
    end = time.monotonic() + SETTLE_SECONDS
    while tab.downloads.total == downloads and tab.navigations == navigations:
        await asyncio.sleep(0.02)
        if time.monotonic() > end:
            return


async def _wait_until_quiet(tab: Tab) -> None:
    """Wait until no more navigations are committed: a stopped load may still be."""
    end, navigations = time.monotonic() + SETTLE_SECONDS, -1
    while tab.navigations != navigations and time.monotonic() < end:
        navigations = tab.navigations
        await asyncio.sleep(REST_SECONDS)


async def stop_loading(tab: Tab) -> None:
    """Stop a load that timed out: its end would be mistaken for that of the next one."""
    with suppress(Error, TimeoutError):
        async with asyncio.timeout(SETTLE_SECONDS):
            session = await tab.page.context.new_cdp_session(tab.page)
            await session.send("Page.stopLoading")
            await session.detach()
