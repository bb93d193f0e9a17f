"""Tabs that an action opens."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from playwright.async_api import Page

from pwtui.browser.session.page_events import PageEvents

POPUP_SECONDS = 3.0


class Popups:
    """Counts the tabs that a page has requested and that have not opened yet.

    Playwright reports a tab with its first response, Chromium's protocol at once. Other browsers
    do not report requests, so nothing is awaited there.
    """

    def __init__(self, page: Page, events: PageEvents) -> None:
        self._events = events
        self._listening: asyncio.Future[None] | None = None
        self._missing = 0
        self._complete = asyncio.Event()
        page.on("popup", self.arrived)
        # What turns out to be a download opens no tab.
        page.on("download", self.arrived)

    async def listen(self) -> None:
        """Start listening; called with the first action."""
        if self._listening is None:
            listening = self._events.on("Page.windowOpen", self._asked)
            self._listening = asyncio.ensure_future(listening)
        await asyncio.shield(self._listening)

    async def opened(self) -> None:
        """Wait a moment until all requested tabs are open."""
        if self._missing > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(POPUP_SECONDS):
                    await self._complete.wait()
        self._missing = 0

    def arrived(self, _: object = None) -> None:
        self._missing -= 1
        if self._missing <= 0:
            self._complete.set()

    def _asked(self, _: object) -> None:
        self._missing = max(self._missing, 0) + 1
        self._complete.clear()
