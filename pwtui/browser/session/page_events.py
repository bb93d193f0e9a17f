"""The events of a page that only Chromium's protocol has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from playwright.async_api import CDPSession, Error, Page


class PageEvents:
    """The Page domain of one CDP session for all listeners: each gets six events with a load.

    Other browsers have no such events.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._opening: asyncio.Future[CDPSession | None] | None = None

    async def on(self, event: str, listener: Callable[[dict[str, Any]], None]) -> None:
        if self._opening is None:
            self._opening = asyncio.ensure_future(self._open())
        if session := await asyncio.shield(self._opening):
            session.on(event, listener)

    def off(self, event: str, listener: Callable[[dict[str, Any]], None]) -> None:
        if self._opening is not None and self._opening.done() and (it := self._opening.result()):
            it.remove_listener(event, listener)

    async def _open(self) -> CDPSession | None:
        with suppress(Error):
            session = await self._page.context.new_cdp_session(self._page)
            # Not awaited: a page whose script runs forever would not answer.
            enabling = asyncio.ensure_future(session.send("Page.enable"))
            enabling.add_done_callback(lambda done: done.cancelled() or done.exception())
            return session
        return None
