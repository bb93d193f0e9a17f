"""Holds the actions of a program in its own browser, until a person releases them.

Playwright stops an action before it runs and waits for `resume`, also when the client that asked
for the stop has exited. So a guard in another process is connected before anything is held, and
releases everything when this process ends; when the guard ends, this process does.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from playwright.async_api import Browser, BrowserContext, Error, Page

from pwtui.browser.session.call_watch import shown_title
from pwtui.protocol.errors import SessionError

GUARD_MODULE = "pwtui.browser.session.hold_guard"
GUARD_SECONDS = 30.0
POKE_SECONDS = 2.0

Report = Callable[[str, str], None]
"""Called with `held` or `released`, and the title of the action."""


class ContextHold:
    """Holds the actions in one context, one at a time; Playwright holds no second one."""

    def __init__(
        self, context: BrowserContext, report: Report = lambda change, title: None
    ) -> None:
        self._context = context
        self._debugger = context.debugger
        self._report = report
        self._is_holding = False
        self._steps = 0
        self._held: str | None = None
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_clear = asyncio.Event()
        self._debugger.on("pausedstatechanged", self._changed)

    async def begin(self) -> None:
        self._is_holding = True
        await self._request()

    async def step(self) -> None:
        """Let the held action run, or else the next one, and hold the one after it."""
        async with self._turn:
            if self._debugger.paused_details is None:
                self._steps += 1
                return
            with suppress(Error):
                await self._debugger.next()

    async def release(self) -> None:
        """Let everything run.

        A request to stop cannot be withdrawn. It stops the next action, so an action that changes
        nothing is made for it. In a context without a page that has to wait for one.
        """
        async with self._turn:
            self._is_holding, self._steps = False, 0
            self._is_clear.clear()
            if self._debugger.paused_details is not None:
                await self._resume()
        while not self._is_clear.is_set() and not self._context.is_closed():
            if pages := self._context.pages:
                await self._absorb(pages[0])
            else:
                with suppress(Error):
                    await self._context.wait_for_event("page", timeout=0)

    def close(self) -> None:
        with suppress(KeyError):
            self._debugger.remove_listener("pausedstatechanged", self._changed)

    async def _absorb(self, page: Page) -> None:
        """Let a request to stop, if there is one, stop an action that changes nothing."""
        count = asyncio.create_task(page.locator(":root").count())
        clear = asyncio.create_task(self._is_clear.wait())
        # It stops before the page is asked, so that no page delays it.
        await asyncio.wait({count, clear}, timeout=POKE_SECONDS, return_when="FIRST_COMPLETED")
        for task in (count, clear):
            task.cancel()
        await asyncio.gather(count, clear, return_exceptions=True)
        self._is_clear.set()

    def _changed(self, *_: object) -> None:
        details = self._debugger.paused_details
        if details is None:
            self._report_held(None)
            if self._is_holding:  # another client may have resumed it
                self._start(self._request)
        elif not self._is_holding:
            self._start(self._resume)
        elif self._steps:
            self._steps -= 1
            self._start(self.step)
        else:
            self._report_held(shown_title(details["title"]))

    def _report_held(self, title: str | None) -> None:
        before, self._held = self._held, title
        if before is not None:
            self._report("released", before)
        if title is not None:
            self._report("held", title)

    async def _request(self) -> None:
        async with self._turn:
            if self._is_holding:
                with suppress(Error):  # it is stopped already
                    await self._debugger.request_pause()

    async def _resume(self) -> None:
        with suppress(Error):  # another client was faster
            await self._debugger.resume()
            self._is_clear.set()

    def _start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = asyncio.create_task(work())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class Hold:
    """Holds the actions in all contexts of a bound browser."""

    def __init__(
        self, browser: Browser, endpoint: str, report: Report, on_lost: Callable[[], None]
    ) -> None:
        self._browser = browser
        self._endpoint = endpoint
        self._report = report
        self._on_lost = on_lost
        self._guard: Process | None = None
        self._contexts: dict[BrowserContext, ContextHold] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_active(self) -> bool:
        return self._guard is not None

    async def begin(self) -> None:
        """Hold from now on; raises SessionError if there is no guard."""
        self._guard = await _start_guard(self._endpoint)
        self._start(self._watch(self._guard))
        self._browser.on("context", self._add)
        await asyncio.gather(*(self._hold(each) for each in self._browser.contexts))

    async def step(self) -> None:
        await asyncio.gather(*(each.step() for each in self._contexts.values()))

    async def end(self) -> None:
        """Release everything, then let the guard exit."""
        guard, self._guard = self._guard, None
        self._browser.remove_listener("context", self._add)
        held, self._contexts = self._contexts, {}
        with suppress(TimeoutError):
            async with asyncio.timeout(POKE_SECONDS):
                await asyncio.gather(*(each.release() for each in held.values()))
                if guard is not None and guard.stdin is not None:
                    with suppress(OSError):
                        guard.stdin.write(b"done\n")
        for each in held.values():
            each.close()
        self.abandon(guard)

    def abandon(self, guard: Process | None = None) -> None:
        """Leave what is held to the guard."""
        guard = guard or self._guard
        if guard is not None and guard.stdin is not None:
            guard.stdin.close()

    def _add(self, context: BrowserContext) -> None:
        self._start(self._hold(context))

    async def _hold(self, context: BrowserContext) -> None:
        held = self._contexts[context] = ContextHold(context, self._report)
        context.on("close", self._remove)
        await held.begin()

    def _remove(self, context: BrowserContext) -> None:
        self._contexts.pop(context, None)

    async def _watch(self, guard: Process) -> None:
        """Until the guard exits: nothing is held without one."""
        assert guard.stdout is not None
        await guard.stdout.read()
        if self._guard is guard:
            await self.end()
            self._on_lost()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _start_guard(endpoint: str) -> Process:
    """A guard that is connected to the browser."""
    guard = await asyncio.create_subprocess_exec(
        sys.executable, "-m", GUARD_MODULE, endpoint, stdin=PIPE, stdout=PIPE
    )
    assert guard.stdout is not None
    with suppress(TimeoutError):
        async with asyncio.timeout(GUARD_SECONDS):
            if await guard.stdout.readline() == b"ready\n":
                return guard
    if guard.stdin is not None:
        guard.stdin.close()
    raise SessionError(
        "the session cannot be paused: the process that would release it did not start",
        details={"cause": "noGuard"},
    )
