"""A browser that another Playwright program bound: observed and held, never driven."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from playwright.async_api import Browser, BrowserContext, Error, Page, Playwright

from pwtui.browser.first_line import first_line
from pwtui.browser.session.call_watch import CallWatch, Program
from pwtui.browser.session.hold import Hold
from pwtui.browser.session.observers import Observers
from pwtui.browser.session.tab import Tab
from pwtui.protocol.errors import SessionError
from pwtui.protocol.events import HoldEvent, SessionState
from pwtui.protocol.models import PageInfo, SessionData, TabData
from pwtui.protocol.secrets import mask_text

CONNECT_MS = 10_000
CLOSE_SECONDS = 2.0
LISTENS_TO_DIALOGS = ("playwright cli", "playwright mcp")
"""Programs that always listen to dialogs, so that another listener keeps none open."""


class BoundSession:
    """Observes all contexts of a browser, with a connection for itself."""

    def __init__(self, session: SessionData, browser: Browser, observers: Observers) -> None:
        self.on_end: Callable[[], None] = lambda: None
        self.on_release: Callable[[], None] = lambda: None
        """Called when a hold ended that was not asked to."""
        self._session = session
        self._browser = browser
        place: dict[str, Any] = {
            "sessionKey": session.session_key,
            "workspace": session.workspace,
            "client": session.title,
        }
        self._place = {key: value for key, value in place.items() if value is not None}
        self.observer = observers.new(self._place)
        program = Program(session.tool or "playwright", session.owner_pid)
        self.observer.may_run_scripts = False
        self.observer.of_context["call"] = partial(CallWatch, program)
        self._hold = Hold(browser, session.ws_endpoint or "", self._report_hold, self._hold_lost)
        self._turn = asyncio.Lock()
        self._tabs: dict[Page, Tab] = {}
        self._count = 0
        self._active: Tab | None = None
        """The tab that was opened, or showed another page, last."""

    @classmethod
    async def open(
        cls, playwright: Playwright, session: SessionData, observers: Observers
    ) -> BoundSession:
        """Connect; raises SessionError if that is not possible."""
        engine = getattr(playwright, session.browser or "chromium", playwright.chromium)
        try:
            browser = await engine.connect(session.ws_endpoint or "", timeout=CONNECT_MS)
        except Error as error:
            raise SessionError(f"cannot connect: {first_line(error)}") from error
        bound = cls(session, browser, observers)
        browser.on("disconnected", bound._disconnected)
        browser.on("context", bound._add_context)
        for context in browser.contexts:
            bound._add_context(context)
        await bound.observer.settled()
        return bound

    async def described(self) -> SessionData:
        await asyncio.gather(*(tab.known_title() for tab in self._tabs.values()))
        return self.describe()

    def describe(self) -> SessionData:
        """The session as it is known, without asking its browser."""
        pages = [PageInfo(title=tab.title, url=tab.url) for tab in self._tabs.values()]
        held = True if self._hold.is_active else None
        return self._session.model_copy(update={"pages": pages, "held": held})

    async def state(self) -> SessionState:
        await asyncio.gather(*(tab.known_title() for tab in self._tabs.values()))
        tabs = [
            TabData(
                index=tab.index,
                title=tab.title,
                url=mask_text(tab.url),
                dialog=True if tab.prompts.has_dialog else None,
                crashed=True if tab.crashed else None,
            )
            for tab in self._tabs.values()
        ]
        return SessionState.model_validate(
            {
                **self._place,
                "browser": self._session.browser,
                "headless": self._session.headless,
                "attached": True,
                "tabs": tabs,
            }
        )

    async def pause(self, by: str | None) -> bool:
        """Hold the program's actions; False if they are held already."""
        async with self._turn:
            if self._hold.is_active:
                return False
            await self._hold.begin()
            self.observer.publish(HoldEvent, change="began", by=by)
            return True

    async def resume(self) -> bool:
        """Release the program's actions; False if none are held."""
        async with self._turn:
            if not self._hold.is_active:
                return False
            await self._hold.end()
            self.observer.publish(HoldEvent, change="ended")
            return True

    async def step(self, by: str | None) -> None:
        """Let one action run, and hold the next."""
        await self.pause(by)
        await self._hold.step()

    async def close(self) -> None:
        """Release what is held, and disconnect."""
        self._browser.remove_listener("disconnected", self._disconnected)
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.resume()
                await self._browser.close()
        self._hold.abandon()

    def _add_context(self, context: BrowserContext) -> None:
        self.observer.attach(context, lambda: self._active)
        context.on("page", self._add_page)
        context.on("close", self.observer.detach)
        for page in context.pages:
            self._add_page(page)

    def _add_page(self, page: Page) -> None:
        if page in self._tabs:
            return
        keeps_dialogs = self._session.tool in LISTENS_TO_DIALOGS
        tab = Tab(self._count, page, is_ours=False, keeps_dialogs=keeps_dialogs)
        tab.requests.feed.close()  # the program's browser forwards only what is wanted
        self._tabs[page] = tab
        self._count += 1
        page.on("close", self._remove_page)
        tab.on_change = self._changed
        self._active = tab
        self.observer.add(tab)
        self.observer.activated()

    def _remove_page(self, page: Page) -> None:
        if tab := self._tabs.pop(page, None):
            if tab is self._active:
                self._active = next(reversed(self._tabs.values()), None)
            self.observer.remove(tab)

    def _changed(self, what: str, tab: Tab) -> None:
        if what == "navigated" and tab is not self._active:
            self._active = tab
            self.observer.activated()

    def _disconnected(self, _: Browser) -> None:
        self._hold.abandon()
        self._tabs.clear()
        self.observer.ended("exited")
        self.on_end()

    def _report_hold(self, change: str, action: str) -> None:
        self.observer.publish(HoldEvent, change=change, action=action)

    def _hold_lost(self) -> None:
        reason = "the process that releases it had exited"
        self.observer.publish(HoldEvent, change="ended", reason=reason)
        self.on_release()
