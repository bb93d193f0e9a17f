"""A browser tab: its page, console, requests and prompts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import TypeVar

from playwright.async_api import Download, Error, Frame, Page

from pwtui.browser.page.deadline import Deadline
from pwtui.browser.page.interruptible import Interrupted, Interruptible
from pwtui.browser.session.console import Console
from pwtui.browser.session.held_input import HeldInput
from pwtui.browser.session.limits import Kept
from pwtui.browser.session.page_events import PageEvents
from pwtui.browser.session.popups import Popups
from pwtui.browser.session.prompts import Prompts
from pwtui.browser.session.request_log import RequestLog
from pwtui.browser.session.tab_errors import (
    Interruption,
    explain,
    interrupted,
    timed_out,
    why_unusable,
)
from pwtui.protocol.models import FrameInfo, PageInfo

T = TypeVar("T")

DOWNLOAD_LIMIT = 100
MAX_FRAMES, MAX_FRAME_URL = 50, 500
QUIET_SECONDS = 0.1
TITLE_SECONDS = 1.0
PROBE_SECONDS = 0.3
# Playwright's own timeouts have the better message; ours only ends what they do not cover.
GRACE_SECONDS = 1.0


def is_error_page(url: str) -> bool:
    """Whether it is the browser's own page about a failed load."""
    return url.startswith("chrome-error:")


class Tab:
    """A tab. Its index does not change and is not reused in the session."""

    def __init__(
        self, index: int, page: Page, *, is_ours: bool = True, keeps_dialogs: bool = True
    ) -> None:
        self.index = index
        self.page = page
        self.last_active = time.monotonic()
        self.on_change: Callable[[str, Tab], None] = lambda what, tab: None
        self.observe: Callable[..., None] = lambda what, source=None: None
        """Called with each event, and Playwright's object if there is one."""
        self.browser_fault: Callable[[], str | None] = lambda: None
        self.hung_part: Callable[[], Awaitable[str | None]] = _none
        self.crashed = False
        self.title = ""
        self.navigations = 0
        self.navigated_at = 0.0
        self.held = HeldInput()
        self.has_secrets = False
        """Whether a password field was used, which may look like a text field by now."""
        self.console = Console(page, self._on_flood)
        self.requests = RequestLog(page, self._on_flood)
        self.prompts = Prompts(page, self._on_prompt, is_ours=is_ours, keeps_dialogs=keeps_dialogs)
        self.downloads: Kept[Download] = Kept(DOWNLOAD_LIMIT)
        self._title_asked: tuple[asyncio.Task[None], float] | None = None
        self._scopes: list[Interruptible[Interruption]] = []
        self._expected_dialogs = 0
        self.page_events = PageEvents(page)
        self._popups = Popups(page, self.page_events)
        self._announcing: asyncio.TimerHandle | None = None
        self._must_announce = False
        page.on("download", self._on_download)
        page.on("crash", self._on_crash)
        page.on("close", self._on_close)
        page.on("framenavigated", self._on_navigated)

    @property
    def url(self) -> str:
        return self.page.url

    def described(self) -> PageInfo:
        """What is known of the tab and its frames, without a query to its browser."""
        frames = [
            FrameInfo(name=frame.name, url=frame.url[:MAX_FRAME_URL])
            for frame in self.page.frames
            if frame.parent_frame is not None
        ]
        return PageInfo(
            title=self.title, url=self.url, index=self.index, frames=frames[:MAX_FRAMES] or None
        )

    async def known_title(self) -> str:
        """The title, or the last known one of a page that does not respond in time.

        While an answer is outstanding, the page is not asked or waited for again.
        """
        if not self.is_usable:
            return self.title
        now = time.monotonic()
        if self._title_asked is None or self._title_asked[0].done():
            self._title_asked = asyncio.create_task(self._ask_title()), now + TITLE_SECONDS
        task, end = self._title_asked
        await asyncio.wait({task}, timeout=max(0.0, end - now))
        return self.title

    async def _ask_title(self) -> None:
        with suppress(Error):
            self.title = await self.page.title()

    async def run(self, work: Awaitable[T], deadline: Deadline, *, doing: str) -> T:
        """Await work on this page until the deadline.

        A dialog, a crash or a closed tab ends it at once. The error says what the page was doing
        instead of answering.
        """
        navigations = self.navigations
        scope: Interruptible[Interruption] = Interruptible(deadline, grace=GRACE_SECONDS)
        self._scopes.append(scope)
        try:
            with scope:
                return await work
        except Interrupted:
            if scope.reason is None:
                raise await timed_out(self, deadline, doing) from None
            raise await interrupted(self, scope.reason, doing) from None
        except Error as error:
            raise await explain(self, error, deadline, doing, navigations=navigations) from error
        finally:
            self._scopes.remove(scope)

    async def act(self, work: Awaitable[object], *, linger: float = 0.0) -> None:
        """Await an action and the tabs that it opens; a dialog that it opens completes it.

        File choosers are caught for `linger` seconds longer than the action takes.
        """
        try:
            await self._popups.listen()
        except BaseException:
            if isinstance(work, Coroutine):
                work.close()  # Python warns about one that nothing awaits
            raise
        scope: Interruptible[Interruption] = Interruptible(Deadline(0))
        self._scopes.append(scope)
        self._expected_dialogs += 1
        self.prompts.catch_choosers()
        try:
            with suppress(Interrupted), scope:
                await work
                await self._popups.opened()
        finally:
            self._scopes.remove(scope)
            self._expected_dialogs -= 1
            self.prompts.release_choosers(linger)

    @property
    def is_usable(self) -> bool:
        """Whether the page can respond."""
        is_open = not self.page.is_closed() and self.browser_fault() is None
        return is_open and not self.crashed and not self.prompts.has_dialog

    def check_usable(self) -> None:
        """Fail at once where work would hang: in a crashed page, or one with an open dialog."""
        if self.crashed:
            raise why_unusable(self, "crash")
        if self.prompts.has_dialog:
            raise why_unusable(self, "dialog")

    async def answers(self) -> bool:
        """Whether the page's main thread responds."""
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(self.page.evaluate("1"), PROBE_SECONDS)
            return True
        return False

    def listen_again(self) -> None:
        """End the pauses that the previous page caused."""
        for feed in (self.console.messages, self.console.errors, self.requests.feed):
            feed.resume()

    def _interrupt(self, reason: Interruption) -> None:
        # A dialog that an action may open concerns that action alone, the innermost scope.
        expected = reason == "dialog" and self._expected_dialogs
        for scope in self._scopes[-1:] if expected else self._scopes:
            scope.interrupt(reason)

    def _on_flood(self) -> None:
        self.on_change("flooding", self)

    def _on_prompt(self, what: str) -> None:
        self.on_change(what, self)
        self.observe(what)
        if what == "dialog":
            self._interrupt("dialog")

    def _on_download(self, download: Download) -> None:
        self.downloads.add(download)
        self.observe("download", download)

    def _on_navigated(self, frame: Frame) -> None:
        if frame.parent_frame is None:
            self.navigations += 1
            self.navigated_at = time.time()
            self.title = ""
            self.prompts.take_chooser()
            self._announce()
        self.observe("navigation", frame)

    def _announce(self) -> None:
        """Report a navigation, at most ten times a second."""
        if self._announcing is not None:
            self._must_announce = True
            return
        self.on_change("navigated", self)
        self._announcing = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._announced)

    def _announced(self) -> None:
        self._announcing = None
        if self._must_announce:
            self._must_announce = False
            self._announce()

    def _on_close(self, _: Page) -> None:
        self._interrupt("closed")

    def _on_crash(self, _: Page) -> None:
        self.crashed = True
        self.on_change("crashed", self)
        self.observe("crashed")
        self._interrupt("crash")


async def _none() -> None:
    return None
