"""Tabs that a page asks for, which open a moment after the action that asked."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from playwright.async_api import CDPSession, Error, Page

POPUP_SECONDS = 3.0


class Popups:
    """Counts the tabs that a page has asked for and that have not opened yet.

    Playwright reports a tab when its first response is there. Chromium reports the page's wish as
    soon as it has it; other browsers do not, and nothing is awaited there.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._session: CDPSession | None = None
        self._listening: asyncio.Future[None] | None = None
        self._missing = 0
        self._complete = asyncio.Event()
        page.on("popup", self.arrived)
        # What turns out to be a download opens no tab.
        page.on("download", self.arrived)

    async def listen(self) -> None:
        """Begin to listen; from the first action on."""
        if self._listening is None:
            self._listening = asyncio.ensure_future(self._listen())
        await asyncio.shield(self._listening)

    async def opened(self) -> None:
        """Wait until all tabs are there that the page has asked for, but not for long."""
        if self._missing > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(POPUP_SECONDS):
                    await self._complete.wait()
        self._missing = 0

    def arrived(self, _: object = None) -> None:
        self._missing -= 1
        if self._missing <= 0:
            self._complete.set()

    async def _listen(self) -> None:
        with suppress(Error):
            self._session = await self._page.context.new_cdp_session(self._page)
            self._session.on("Page.windowOpen", self._asked)
            # Not awaited: a page whose script runs forever would not answer.
            enabling = asyncio.ensure_future(self._session.send("Page.enable"))
            enabling.add_done_callback(lambda done: done.cancelled() or done.exception())

    def _asked(self, _: object) -> None:
        self._missing = max(self._missing, 0) + 1
        self._complete.clear()
