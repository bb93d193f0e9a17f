"""Running browsers: launched by this process, or attached to."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from playwright.async_api import Browser, BrowserType, Error, Playwright, ViewportSize
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pwtui.browser.first_line import first_line
from pwtui.browser.launch.cdp import serves_playwright, wait_for_port, why_no_browser
from pwtui.browser.launch.driver_process import Driver
from pwtui.browser.launch.find_browser import (
    CHROMIUM_FLAGS,
    checked_executable,
    find_chromium,
    how_to_install,
)
from pwtui.browser.launch.firefox import find_firefox
from pwtui.browser.launch.processes import (
    is_browser,
    is_same_process,
    is_stopped,
    kill_tree,
    started_at,
)
from pwtui.browser.launch.registry import make_private
from pwtui.browser.launch.relay_endpoint import relay_address
from pwtui.browser.spec import BrowserSpec
from pwtui.protocol.envelope import BrowserName
from pwtui.protocol.errors import BrowserLaunchFailed
from pwtui.protocol.extras import install_command
from pwtui.state.descriptor import SessionDescriptor, write_descriptor

LAUNCH_TIMEOUT_MS = 30_000
TOUCH_EVERY_SECONDS = 60
PING_SECONDS = 3.0
PORT_SECONDS = 5.0
DEFAULT_VIEWPORT: ViewportSize = {"width": 1280, "height": 720}


@dataclass
class RunningBrowser:
    """A browser that this process drives, and its endpoints."""

    browser: Browser
    attached: bool
    pid: int | None = None
    started_at: float | None = None
    cdp_endpoint: str | None = None
    ws_endpoint: str | None = None
    # Through a relay there is one context, the user's own; no other can be made.
    relay: bool = False
    # The size of pages where the context is the browser's own; others' pages keep their size.
    viewport: ViewportSize | None = None
    created_at: float = field(default_factory=time.time)
    driver: Driver | None = None
    hung: bool = False
    descriptor: tuple[Path, SessionDescriptor] | None = None
    _bound: str | None = None

    @property
    def fault(self) -> str | None:
        """Why the browser is not usable; None if it is."""
        if self.driver is not None and self.driver.hung:
            return "Playwright's driver hung and was killed, with its browsers"
        if self.hung:
            return "the browser was stopped, and was killed"
        if not self.browser.is_connected() or (self.driver and not self.driver.lives):
            return "the browser has exited: it crashed or was closed"
        return None

    @property
    def alive(self) -> bool:
        return self.fault is None

    async def hung_part(self) -> str | None:
        """Which process does not respond: the driver, the browser or the page.

        A stopped browser is killed: unlike a slow one, it does not continue by itself.
        """
        if self.driver is not None and not await self.driver.answers():
            return "driver"
        if await self._answers():
            return None
        if self._is_own and self.pid is not None and is_stopped(self.pid):
            self.hung = True
            await asyncio.to_thread(self.kill)
            return "stopped browser"
        return "browser"

    def kill(self) -> None:
        """Kill the browser if this process launched it and it is still running."""
        if self._is_own and self.pid is not None:
            kill_tree(self.pid)

    @property
    def _is_own(self) -> bool:
        """Whether this process launched the browser, and it is still running."""
        if self.attached or self.pid is None or self.started_at is None:
            return False
        return is_same_process(self.pid, self.started_at)

    def touch(self, now: float) -> None:
        """Update the last use in the descriptor, at most once a minute."""
        if self.descriptor is None:
            return
        path, descriptor = self.descriptor
        if now - descriptor.last_used_at > TOUCH_EVERY_SECONDS:
            descriptor.last_used_at = now
            with suppress(OSError):
                write_descriptor(path, descriptor)

    async def _answers(self) -> bool:
        """Whether the browser responds; only Chromium can be asked."""
        if self.browser.browser_type.name != "chromium":
            return True
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(PING_SECONDS):
                session = await self.browser.new_browser_cdp_session()
                await session.send("Browser.getVersion")
                await session.detach()
                return True
        return False

    async def endpoint(self) -> str:
        """The endpoint for other Playwright clients on this machine."""
        if self.ws_endpoint is None and self._bound is None:
            self._bound = await bind(self.browser, f"pwtui-{os.getpid()}")
        return self.ws_endpoint or self._bound or ""


async def launch(
    driver: Playwright,
    spec: BrowserSpec,
    *,
    port: int | None = None,
    title: str | None = None,
    workspace: Path | None = None,
) -> RunningBrowser:
    """Start a browser.

    With a title it is bound, so that Playwright's tools can attach through a private socket. With
    a port, which every user of the machine can connect to, it has a CDP endpoint as well: this
    port when it is free, else (and for 0) any other.
    """
    options: dict[str, Any] = {
        "headless": spec.headless,
        "timeout": LAUNCH_TIMEOUT_MS,
        # This process handles signals itself.
        "handle_sigint": False,
        "handle_sigterm": False,
        "handle_sighup": False,
    }
    engine = getattr(driver, spec.browser)
    options |= await asyncio.to_thread(_which_browser, spec, Path(engine.executable_path))
    if spec.browser == "chromium":
        options["args"] = list(CHROMIUM_FLAGS)
        if port is not None:
            options["args"].append(f"--remote-debugging-port={port and free_port(port)}")
    children = _descendants()
    launching = asyncio.ensure_future(engine.launch(**options))
    try:
        browser: Browser = await asyncio.shield(launching)
    except Error as error:
        raise _launch_failure(spec, error) from error
    except asyncio.CancelledError:
        # The driver cannot be asked to stop launching.
        launching.add_done_callback(_close_unwanted)
        raise
    running = RunningBrowser(browser, attached=False)
    running.pid = await _browser_pid(browser, children)
    running.started_at = started_at(running.pid) if running.pid else None
    if port is not None and spec.browser == "chromium" and running.pid is not None:
        opened = await asyncio.to_thread(wait_for_port, running.pid, PORT_SECONDS)
        running.cdp_endpoint = f"http://127.0.0.1:{opened}" if opened else None
    if title is not None or spec.launch_server:
        # As a server, over a WebSocket.
        place: dict[str, Any] = {"host": "127.0.0.1", "port": 0} if spec.launch_server else {}
        if workspace is not None:
            place["workspace_dir"] = str(workspace)
        running.ws_endpoint = await bind(browser, title or str(spec.key), **place)
    return running


def _which_browser(spec: BrowserSpec, playwrights: Path) -> dict[str, Any]:
    """The options that say which browser to launch: the one that is named, else one found."""
    named, channel = spec.executable, spec.channel
    if named is not None:
        named = checked_executable(str(named), "executablePath")
    if spec.browser == "firefox":
        firefox = find_firefox(playwrights, named, channel)
        return firefox.options if firefox else {}
    if spec.browser == "chromium" and named is None and channel is None:
        named = find_chromium(headless=spec.headless)
    if named is None and channel is None and not playwrights.exists():
        raise no_browser(spec.browser)
    return {"executable_path": named, "channel": channel}


async def attach(
    driver: Playwright,
    endpoint: str,
    *,
    browser: BrowserName = "chromium",
    headers: Mapping[str, str] | None = None,
) -> RunningBrowser:
    """Connect to another program's browser, over CDP or Playwright's own protocol."""
    options: dict[str, Any] = {"timeout": LAUNCH_TIMEOUT_MS, "headers": dict(headers or {})}
    engine = getattr(driver, browser)
    try:
        relay = await asyncio.to_thread(relay_address, endpoint)
    except OSError as error:
        raise BrowserLaunchFailed(
            f"could not attach to the relay at {endpoint}: {error}",
            hint="start one with `pw relay start`",
            details={"cdpEndpoint": endpoint},
        ) from error
    try:
        if relay is not None:
            connected = await driver.chromium.connect_over_cdp(relay, **options)
        else:
            connected = await _connect(engine, endpoint, options)
    except Error as error:
        if relay is not None:
            raise _no_tabs(endpoint) from error
        cause = await asyncio.to_thread(why_no_browser, endpoint, dict(headers or {}))
        raise BrowserLaunchFailed(
            f"could not attach to {endpoint}: {cause or first_line(error).rstrip('.')}",
            hint="find a browser with `connect` and discover, or clear this endpoint with "
            "`connect` and clear",
            details={"cdpEndpoint": endpoint, "reason": _first_lines(error)},
        ) from error
    return RunningBrowser(connected, attached=True, cdp_endpoint=endpoint, relay=relay is not None)


async def _connect(engine: BrowserType, endpoint: str, options: dict[str, Any]) -> Browser:
    """Connect over the protocol of the endpoint; where it does not say which, try both."""
    playwright = await serves_playwright(endpoint, options["headers"])
    if playwright or (playwright is None and engine.name != "chromium"):
        return await engine.connect(endpoint, **options)
    if engine.name != "chromium":
        raise BrowserLaunchFailed(
            f"{endpoint} is a CDP endpoint, which only Chromium has, not {engine.name}",
            details={"browser": engine.name, "cdpEndpoint": endpoint},
        )
    try:
        return await engine.connect_over_cdp(endpoint, **options)
    except Error as error:
        if playwright is None and not isinstance(error, PlaywrightTimeout):
            with suppress(Error):
                return await engine.connect(endpoint, **options)
        raise


def free_port(preferred: int) -> int:
    """The preferred loopback port if it is free, else another one."""
    for port in (preferred, 0):
        with socket.socket() as listener, suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return int(listener.getsockname()[1])
    raise BrowserLaunchFailed("no port is free on this machine")


def no_browser(browser: str) -> BrowserLaunchFailed:
    if browser == "chromium":
        missing = "no chromium was found on this machine"
    else:
        missing = f"Playwright's build of {browser} is not installed, and no other works"
    return BrowserLaunchFailed(missing, hint=how_to_install(browser), details={"browser": browser})


def _no_tabs(endpoint: str) -> BrowserLaunchFailed:
    """The error without Playwright's message, which contains the URL with the token."""
    return BrowserLaunchFailed(
        f"no browser is connected to the relay at {endpoint}",
        hint="click the pwtui button on a tab, or start one with `pw relay open`; "
        "`pw relay trace` shows the missing step",
        details={"cdpEndpoint": endpoint},
    )


async def bind(browser: Browser, title: str, **place: Any) -> str:
    """Bind the browser for other Playwright clients of this user; returns the endpoint."""
    endpoint = (await browser.bind(title, **place))["endpoint"]
    await asyncio.to_thread(make_private, endpoint)
    return endpoint


async def _browser_pid(browser: Browser, before: dict[int, int]) -> int | None:
    """The browser's process: Chromium reports it, others are found among our new descendants."""
    if browser.browser_type.name == "chromium":
        with suppress(Error):
            session = await browser.new_browser_cdp_session()
            info = await session.send("SystemInfo.getProcessInfo")
            await session.detach()
            return next(int(p["id"]) for p in info["processInfo"] if p["type"] == "browser")
    new = _descendants().items() - before.items()
    started = {pid for pid, _ in new if is_browser(pid)}
    return next((pid for pid, parent in new if pid in started and parent not in started), None)


def _close_unwanted(launching: asyncio.Future[Browser]) -> None:
    if not launching.cancelled() and launching.exception() is None:
        closing = asyncio.ensure_future(launching.result().close())
        closing.add_done_callback(lambda closed: closed.cancelled() or closed.exception())


def _descendants() -> dict[int, int]:
    """The processes below this one, with their parents."""
    with suppress(psutil.Error):
        return {each.pid: each.ppid() for each in psutil.Process().children(recursive=True)}
    return {}


def _launch_failure(spec: BrowserSpec, error: Error) -> BrowserLaunchFailed:
    window = "" if spec.headless else " with a window (is there a display?)"
    return BrowserLaunchFailed(
        f"{spec.browser} did not start{window}",
        hint="if libraries are missing, install them with "
        f"`{install_command(f'--with-deps {spec.browser}')}`",
        details={
            "browser": spec.browser,
            "headless": spec.headless,
            "reason": _first_lines(error),
        },
    )


def _first_lines(error: Error) -> str:
    return "\n".join(error.message.splitlines()[:12])
