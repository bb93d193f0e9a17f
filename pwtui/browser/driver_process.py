"""Playwright's driver as a process: started, watched, and killed when it hangs."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

import psutil
from playwright.async_api import Error, Playwright, async_playwright

from pwtui.browser.driver import driver_failed, driver_problem
from pwtui.browser.process import child_is_running, child_processes, kill_tree

log = logging.getLogger(__name__)

STOP_SECONDS = 2.0
WATCH_SECONDS = 5.0
PING_SECONDS = 2.0
# One that is not stopped may only be short of processor time, on a busy machine.
PATIENT_SECONDS = 10.0
IDLE_CPU_SECONDS = 0.02


class Driver:
    """One driver serves all sessions of a process, so one that hangs must not stay."""

    def __init__(self, playwright: Playwright, process: psutil.Process | None) -> None:
        self.playwright = playwright
        self.hung = False
        self._process = process
        self._watching = asyncio.create_task(self._watch())

    @classmethod
    async def start(cls) -> Driver:
        before = child_processes()
        try:
            playwright = await async_playwright().start()
        except Exception as error:  # Playwright has no type for it
            problem = await asyncio.to_thread(driver_problem)
            raise driver_failed(problem or str(error)) from error
        return cls(playwright, next(iter(child_processes() - before), None))

    @property
    def lives(self) -> bool:
        return not self.hung and (self._process is None or child_is_running(self._process))

    async def answers(self) -> bool:
        """Whether it is there and not hung; one that hangs is killed, with its browsers.

        A busy driver may take long to answer, but it uses the processor meanwhile.
        """
        if not self.lives:
            return False
        before = self._cpu_seconds()
        for seconds in (PING_SECONDS, PATIENT_SECONDS):
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    return await self._ping()
            if self._state() == psutil.STATUS_STOPPED:
                break
        is_busy = self._state() == psutil.STATUS_RUNNING
        if is_busy or self._cpu_seconds() - before > IDLE_CPU_SECONDS:
            return True
        if self.lives:  # still: it may have died meanwhile
            log.error("the driver (process %s) hangs and is killed", self._process)
            self.hung = True
            await self.kill()
        return False

    async def stop(self) -> None:
        """End it: ask first, then kill what is left."""
        self._watching.cancel()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self.playwright.stop()
        except Exception:
            log.warning("while the driver was stopped", exc_info=True)
        await self.kill()

    async def kill(self) -> None:
        if self._process is not None and self._process.is_running():
            await asyncio.to_thread(kill_tree, self._process.pid)

    async def _ping(self) -> bool:
        try:
            context = await self.playwright.request.new_context()
            await context.dispose()
        except Error:
            return False
        return True

    async def _watch(self) -> None:
        while await self.answers():  # noqa: ASYNC110 - a process sends no event when it hangs
            await asyncio.sleep(WATCH_SECONDS)

    def _state(self) -> str | None:
        if self._process is not None:
            with suppress(psutil.Error):
                return str(self._process.status())
        return None

    def _cpu_seconds(self) -> float:
        if self._process is not None:
            with suppress(psutil.Error):
                used = self._process.cpu_times()
                return float(used.user + used.system)
        return 0.0
