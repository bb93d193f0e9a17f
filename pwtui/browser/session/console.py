"""The console messages and uncaught errors of a page."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from playwright.async_api import ConsoleMessage, Error, JSHandle, Page

from pwtui.browser.session.limits import Feed, Kept, shortened
from pwtui.protocol.model import Maybe, Volatile, WireModel

CONSOLE_LIMIT = 1000
PAGE_ERROR = "pageerror"
"""The type of an entry that is an uncaught error."""


class ConsoleEntry(WireModel):
    """One console message or uncaught error."""

    type: str
    text: str
    url: Maybe[str] = None
    line: Maybe[int] = None
    stack: Volatile[Maybe[str]] = None
    page_url: str
    time: Volatile[float]


class Console(Kept[ConsoleEntry]):
    """The newest entries; listening pauses when a page sends too many."""

    def __init__(self, page: Page, on_pause: Callable[[], None]) -> None:
        super().__init__(CONSOLE_LIMIT)
        self.on_entry: Callable[[ConsoleEntry], None] = lambda entry: None
        """Called with new entries, not with recalled ones."""
        self._page = page
        self._handles: list[JSHandle] = []
        self._releasing: asyncio.Task[None] | None = None
        self.messages = Feed(page, "console", self._on_message, on_pause)
        self.errors = Feed(page, "pageerror", self._on_error, on_pause)

    def clear(self) -> None:
        super().clear()
        self.messages.pauses = self.errors.pauses = 0

    async def recall(self) -> None:
        """Add what the page logged before this object existed (attached browsers)."""
        for message in await self._page.console_messages():
            self._log_message(message)
            self.release(message)

    def release(self, message: ConsoleMessage) -> None:
        """Release the logged values soon: page and driver keep 100,000 of them otherwise."""
        self._handles += message.args
        if self._handles and (self._releasing is None or self._releasing.done()):
            self._releasing = asyncio.create_task(self._release())

    async def _release(self) -> None:
        """One after the other, so that requests come in between."""
        with suppress(Error):  # a closed page has none
            while self._handles:
                await self._handles.pop().dispose()
        self._handles.clear()

    def _on_message(self, message: ConsoleMessage) -> int:
        self.on_entry(self._log_message(message))
        self.release(message)
        return len(message.text)

    def _on_error(self, error: Error) -> int:
        stack = error.stack or ""
        self.on_entry(self._log(PAGE_ERROR, error.message, stack))
        return len(error.message) + len(stack)

    def _log_message(self, message: ConsoleMessage) -> ConsoleEntry:
        location = message.location
        url, line = location["url"] or None, location["lineNumber"]
        return self._log(message.type, message.text, url=url, line=line)

    def _log(
        self,
        kind: str,
        text: str,
        stack: str = "",
        *,
        url: str | None = None,
        line: int | None = None,
    ) -> ConsoleEntry:
        entry = ConsoleEntry(
            type=kind,
            text=shortened(text),
            url=url,
            line=line,
            stack=shortened(stack) or None,
            page_url=self._page.url,
            time=time.time(),
        )
        size = sum(len(part or "") for part in (entry.text, entry.stack, url, entry.page_url))
        self.add(entry, size)
        return entry
