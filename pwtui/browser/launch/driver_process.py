"""The process of Playwright's driver: starts it, monitors it, and kills it if it hangs."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import psutil
from playwright.async_api import Error, Playwright, async_playwright

from pwtui.browser.launch.driver import driver_failed, driver_problem
from pwtui.browser.launch.processes import child_is_running, child_processes, kill_tree
from pwtui.browser.launch.registry import remove_dead_bindings

log = logging.getLogger(__name__)

START_SECONDS = 3.0
STOP_SECONDS = 2.0
WATCH_SECONDS = 5.0
LOOK_SECONDS = 0.5
STOPPED_LOOKS = 4
# A driver that is not stopped may only be slow, on a busy machine.
IDLE_LOOKS = 10
LIMITS = Path(__file__).with_name("driver_limits.cjs")
IDLE_STATES = (psutil.STATUS_SLEEPING, psutil.STATUS_IDLE)


def node_options() -> str:
    """The value of NODE_OPTIONS with which drivers keep fewer requests of pages."""
    return f"{os.environ.get('NODE_OPTIONS', '')} --require {json.dumps(str(LIMITS))}".lstrip()


class DriverSlot:
    """The driver of this process: started on demand, replaced if it hangs or exits.

    `temporary` is a folder that only these drivers write to; `on_loss` is awaited before a lost
    driver is replaced; `starting` is the first driver.
    """

    def __init__(
        self,
        on_loss: Callable[[], Awaitable[None]],
        temporary: Path | None,
        starting: asyncio.Task[Driver] | None = None,
    ) -> None:
        self.current: Driver | None = None
        self.on_start: Callable[[int], None] = lambda pid: None
        self._on_loss = on_loss
        self._temporary = temporary
        self._starting = starting
        self._lock = asyncio.Lock()

    async def get(self) -> Playwright:
        async with self._lock:
            if self.current is not None and not await self.current.answers():
                await self.current.stop()
                self.current = None
                await self._on_loss()
                await asyncio.to_thread(self._clean_up)
            if self.current is None:
                # A task: a caller that is cancelled must not leave half a driver behind.
                self._starting = self._starting or asyncio.create_task(Driver.start())
                await asyncio.wait({self._starting})
                starting, self._starting = self._starting, None
                self.current = starting.result()
                if self.current.pid is not None:
                    self.on_start(self.current.pid)
            return self.current.playwright

    async def stop(self) -> bool:
        """Stop the driver; returns False if there was none."""
        starting, driver = self._starting, self.current
        self._starting = self.current = None
        if starting is not None:
            done, _ = await asyncio.wait({starting}, timeout=START_SECONDS)
            if done and starting.exception() is None:
                driver = starting.result()
        if driver is not None:
            await driver.stop()
        return driver is not None

    def _clean_up(self) -> None:
        """Remove the temporary files of a driver that was killed."""
        remove_dead_bindings()
        if self._temporary is not None:
            for leftover in self._temporary.glob("playwright*"):
                shutil.rmtree(leftover, ignore_errors=True)


class Driver:
    """The driver, which serves all sessions of this process."""

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
        # A request that runs at the same time may have started a browser.
        started = child_processes() - before
        return cls(playwright, next(filter(_is_driver, started), None))

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    @property
    def lives(self) -> bool:
        return not self.hung and (self._process is None or child_is_running(self._process))

    async def answers(self) -> bool:
        """Whether it runs and does not hang; a stopped one is killed, with its browsers.

        One that is silent for another reason counts as slow: only the watch waits long enough.
        """
        return await self._asked(STOPPED_LOOKS)

    async def _asked(self, looks: int) -> bool:
        """Ask it, and look at its process until it answers; a stopped one is looked at longer."""
        if not self.lives:
            return False
        ping = asyncio.create_task(self._ping())
        stopped = idle = 0
        try:
            while stopped < STOPPED_LOOKS and idle < IDLE_LOOKS:
                before, began = self._cpu_seconds(), time.monotonic()
                done, _ = await asyncio.wait({ping}, timeout=LOOK_SECONDS)
                if done:
                    return ping.result()
                looks -= 1
                state = self._state()
                # If this process did not get the CPU, the driver did not either.
                if time.monotonic() - began < 2 * LOOK_SECONDS:
                    is_idle = state in IDLE_STATES and self._cpu_seconds() == before
                    stopped += state == psutil.STATUS_STOPPED
                    idle = idle + 1 if is_idle else 0
                else:
                    idle = 0
                if looks <= 0 and state != psutil.STATUS_STOPPED:
                    return True
        finally:
            ping.cancel()
        if self.lives:  # still: it may have died meanwhile
            log.error("the driver (process %s) hangs and is killed", self._process)
            self.hung = True
            await self.kill()
        return False

    async def stop(self) -> None:
        """Terminate the process, and kill it if it does not exit."""
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
        except Error as error:
            # Any other error is a response too, such as that of a full disk.
            return self.lives and "closed" not in error.message
        return True

    async def _watch(self) -> None:
        while await self._asked(2 * IDLE_LOOKS):  # noqa: ASYNC110 - a process sends no event when it hangs
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


def _is_driver(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return "run-driver" in process.cmdline()
    return False
