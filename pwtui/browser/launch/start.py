"""Running browsers: launched by us, or attached to."""

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
from playwright.async_api import Browser, Error, Playwright, ViewportSize

from pwtui.browser.first_line import first_line
from pwtui.browser.launch.cdp import serves_playwright, wait_for_port, why_no_browser
from pwtui.browser.launch.driver_process import Driver
from pwtui.browser.launch.find_browser import CHROMIUM_FLAGS, find_chromium, how_to_install
from pwtui.browser.launch.processes import is_same_process, kill_tree, started_at
from pwtui.browser.launch.registry import make_private
from pwtui.browser.launch.relay_endpoint import relay_address
from pwtui.browser.spec import BrowserSpec
from pwtui.protocol.envelope import BrowserName
from pwtui.protocol.errors import BrowserLaunchFailed
from pwtui.state.descriptor import SessionDescriptor, write_descriptor

LAUNCH_TIMEOUT_MS = 30_000
TOUCH_EVERY_SECONDS = 60
PING_SECONDS = 3.0
PORT_SECONDS = 5.0


@dataclass
class RunningBrowser:
    """A browser that we drive, and how others can reach it."""

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
    descriptor: tuple[Path, SessionDescriptor] | None = None
    _bound: str | None = None

    @property
    def fault(self) -> str | None:
        """Why it cannot be used any more; None while it can."""
        if self.driver is not None and self.driver.hung:
            return "Playwright's driver hung and was killed, with its browsers"
        if not self.browser.is_connected() or (self.driver and not self.driver.lives):
            return "the browser has exited: it crashed or was closed"
        return None

    @property
    def alive(self) -> bool:
        return self.fault is None

    async def hung_part(self) -> str | None:
        """Which of the processes between us and the page does not answer."""
        if self.driver is not None and not await self.driver.answers():
            return "driver"
        if not await self._answers():
            return "browser"
        return None

    def kill(self) -> None:
        """End a browser that we launched by force, if it still runs."""
        if self.attached or self.pid is None or self.started_at is None:
            return
        if is_same_process(self.pid, self.started_at):
            kill_tree(self.pid)

    def touch(self, now: float) -> None:
        """Keep the descriptor's last use true to the minute, without a write for each request."""
        if self.descriptor is None:
            return
        path, descriptor = self.descriptor
        if now - descriptor.last_used_at > TOUCH_EVERY_SECONDS:
            descriptor.last_used_at = now
            with suppress(OSError):
                write_descriptor(path, descriptor)

    async def _answers(self) -> bool:
        """Whether the browser itself reacts; only Chromium can be asked."""
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
        """Where another Playwright client of this machine can connect, with all that is open."""
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
        # Our own handlers decide what a signal ends.
        "handle_sigint": False,
        "handle_sigterm": False,
        "handle_sighup": False,
    }
    engine = getattr(driver, spec.browser)
    if spec.browser == "chromium":
        options["args"] = list(CHROMIUM_FLAGS)
        options["executable_path"] = find_chromium(headless=spec.headless)
        if port is not None:
            options["args"].append(f"--remote-debugging-port={port and free_port(port)}")
    if options.get("executable_path") is None and not Path(engine.executable_path).exists():
        raise no_browser(spec.browser)
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
        elif await serves_playwright(endpoint):
            connected = await engine.connect(endpoint, **options)
        elif browser == "chromium":
            connected = await engine.connect_over_cdp(endpoint, **options)
        else:
            raise BrowserLaunchFailed(
                f"{endpoint} is a CDP endpoint, which only Chromium has, not {browser}",
                details={"browser": browser, "cdpEndpoint": endpoint},
            )
    except Error as error:
        if relay is not None:
            raise _no_tabs(endpoint) from error
        cause = await asyncio.to_thread(why_no_browser, endpoint, dict(headers or {}))
        raise BrowserLaunchFailed(
            f"could not attach to {endpoint}: {cause or first_line(error).rstrip('.')}",
            hint="find a browser with `connect` and discover, or forget this endpoint with "
            "`connect` and clear",
            details={"cdpEndpoint": endpoint, "reason": _first_lines(error)},
        ) from error
    return RunningBrowser(connected, attached=True, cdp_endpoint=endpoint, relay=relay is not None)


def free_port(preferred: int) -> int:
    """The preferred loopback port when it is free, else another one."""
    for port in (preferred, 0):
        with socket.socket() as listener, suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return int(listener.getsockname()[1])
    raise BrowserLaunchFailed("no port is free on this machine")


def no_browser(browser: str) -> BrowserLaunchFailed:
    if browser == "chromium":
        missing = "no chromium was found on this machine"
    else:
        missing = f"Playwright's build of {browser} is not installed, and no other can be driven"
    return BrowserLaunchFailed(missing, hint=how_to_install(browser), details={"browser": browser})


def _no_tabs(endpoint: str) -> BrowserLaunchFailed:
    """Without the reason, which quotes the URL with the token."""
    return BrowserLaunchFailed(
        f"no browser is connected to the relay at {endpoint}",
        hint="click the pwtui button on a tab, or start one with `pw relay open`; "
        "`pw relay trace` shows how far it came",
        details={"cdpEndpoint": endpoint},
    )


async def bind(browser: Browser, title: str, **place: Any) -> str:
    """Make the browser known to other Playwright clients of this user; the endpoint."""
    endpoint = (await browser.bind(title, **place))["endpoint"]
    await asyncio.to_thread(make_private, endpoint)
    return endpoint


async def _browser_pid(browser: Browser, before: set[int]) -> int | None:
    """The browser's process: Chromium reports it, of others it is our newest descendant."""
    if browser.browser_type.name == "chromium":
        with suppress(Error):
            session = await browser.new_browser_cdp_session()
            info = await session.send("SystemInfo.getProcessInfo")
            await session.detach()
            return next(int(p["id"]) for p in info["processInfo"] if p["type"] == "browser")
    return min(_descendants() - before, default=None)


def _close_unwanted(launching: asyncio.Future[Browser]) -> None:
    if not launching.cancelled() and launching.exception() is None:
        closing = asyncio.ensure_future(launching.result().close())
        closing.add_done_callback(lambda closed: closed.cancelled() or closed.exception())


def _descendants() -> set[int]:
    with suppress(psutil.Error):
        return {child.pid for child in psutil.Process().children(recursive=True)}
    return set()


def _launch_failure(spec: BrowserSpec, error: Error) -> BrowserLaunchFailed:
    window = "" if spec.headless else " with a window (is there a display?)"
    return BrowserLaunchFailed(
        f"{spec.browser} did not start{window}",
        hint=f"if libraries are missing, install them with `pw install --with-deps {spec.browser}`",
        details={
            "browser": spec.browser,
            "headless": spec.headless,
            "reason": _first_lines(error),
        },
    )


def _first_lines(error: Error) -> str:
    return "\n".join(error.message.splitlines()[:12])
