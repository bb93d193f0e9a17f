"""The browsers of one process: launched or attached on demand, kept, and all ended with it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, Error, Playwright, async_playwright

from pwtui.browser.discover import find_chromium, how_to_install
from pwtui.browser.session import Session
from pwtui.protocol.envelope import BrowserName, Diagnostic
from pwtui.protocol.errors import BrowserLaunchFailed
from pwtui.runtime.resolve import Runtime
from pwtui.state.auth import StorageState, read_auth_folder, read_storage_state

log = logging.getLogger(__name__)

LAUNCH_TIMEOUT_MS = 30_000
_CHROMIUM_ARGS = ("--disable-sync", "--disable-quic", "--no-first-run")


@dataclass(frozen=True)
class SessionSpec:
    """What makes two requests share a session: all of it must be equal."""

    key: str
    browser: BrowserName
    headless: bool
    cdp_endpoint: str | None = None
    auth_file: Path | None = None
    launch_server: bool = False


@dataclass(frozen=True)
class Lease:
    """A session for one request, and what the request should tell about how it came to be."""

    session: Session
    notices: tuple[Diagnostic, ...] = ()


class BrowserPool:
    """Sessions by what was asked for. One per process; close it at the end."""

    def __init__(self) -> None:
        self._playwright: Playwright | None = None
        self._sessions: dict[SessionSpec, Session] = {}
        self._browsers: dict[tuple[object, ...], Browser] = {}
        self._lock = asyncio.Lock()

    @property
    def sessions(self) -> list[Session]:
        return [session for session in self._sessions.values() if session.alive]

    def find(self, spec: SessionSpec) -> Session | None:
        """The live session for this spec; starts nothing."""
        session = self._sessions.get(spec)
        return session if session is not None and session.alive else None

    async def acquire(
        self, spec: SessionSpec, runtime: Runtime, *, auth_folder: Path, preferred_url: str | None
    ) -> Lease:
        """The session for this spec: the live one, else a new one."""
        if session := self.find(spec):
            return Lease(session)
        async with self._lock:
            if session := self.find(spec):
                return Lease(session)
            notices: list[Diagnostic] = []
            if self._sessions.pop(spec, None) is not None:
                notices.append(
                    Diagnostic(
                        level="warning",
                        source="browser",
                        message="the browser was gone; a new one was started, and the state of its "
                        "pages is lost",
                    )
                )
            auth = _stored_auth(spec, auth_folder, notices)
            browser = await self._browser(spec)
            session = await _open_session(browser, spec, auth)
            if session.attached:
                await session.adopt_existing(runtime, preferred_url)
            elif spec.launch_server:
                bound = await browser.bind(spec.key)
                session.bind_endpoint = bound["endpoint"]
            self._sessions[spec] = session
            return Lease(session, tuple(notices))

    async def chromium_executable(self) -> Path:
        """The Chromium that would be launched."""
        executable = find_chromium() or Path((await self._driver()).chromium.executable_path)
        if not executable.exists():
            raise _no_browser("chromium")
        return executable

    async def add_cookies(self, cdp_endpoint: str, auth: StorageState) -> None:
        """Give a browser that somebody else runs the cookies of a saved login."""
        browser = await (await self._driver()).chromium.connect_over_cdp(cdp_endpoint)
        try:
            await _add_cookies(browser.contexts[0], auth)
        finally:
            await browser.close()

    async def close_session(self, spec: SessionSpec) -> bool:
        """End one session, and its browser when we launched it and nothing else uses it."""
        session = self._sessions.pop(spec, None)
        if session is None:
            return False
        await session.close()
        if all(other.browser is not session.browser for other in self._sessions.values()):
            self._browsers = {k: b for k, b in self._browsers.items() if b is not session.browser}
            await _quietly(session.browser.close())
        return True

    async def close(self) -> None:
        """End everything that this process started; leave what it attached to."""
        sessions, browsers = list(self._sessions.values()), list(self._browsers.values())
        playwright, self._playwright = self._playwright, None
        self._sessions.clear()
        self._browsers.clear()
        for session in sessions:
            await _quietly(session.close())
        for browser in browsers:
            await _quietly(browser.close())
        if playwright is not None:
            await _quietly(playwright.stop())

    async def _browser(self, spec: SessionSpec) -> Browser:
        """Sessions that differ only in their context share the browser process."""
        key = (spec.key, spec.browser, spec.headless, spec.cdp_endpoint, spec.launch_server)
        known = self._browsers.get(key)
        if known is not None and known.is_connected():
            return known
        fresh_driver = self._playwright is None
        try:
            browser = await self._start(spec)
        except Error as error:
            if fresh_driver:
                raise _launch_failure(spec, error) from error
            # The driver may have died since the last launch: once more with a new one.
            self._playwright = None
            try:
                browser = await self._start(spec)
            except Error as again:
                raise _launch_failure(spec, again) from again
        self._browsers[key] = browser
        return browser

    async def _driver(self) -> Playwright:
        if self._playwright is None:
            self._playwright = await async_playwright().start()
        return self._playwright

    async def _start(self, spec: SessionSpec) -> Browser:
        playwright = await self._driver()
        if spec.cdp_endpoint is not None:
            if spec.browser != "chromium":
                raise BrowserLaunchFailed(
                    f"only Chromium can be attached to over CDP, not {spec.browser}",
                    details={"browser": spec.browser, "cdpEndpoint": spec.cdp_endpoint},
                )
            return await playwright.chromium.connect_over_cdp(
                spec.cdp_endpoint, timeout=LAUNCH_TIMEOUT_MS
            )
        options: dict[str, Any] = {
            "headless": spec.headless,
            "timeout": LAUNCH_TIMEOUT_MS,
            # Our own handlers decide what a signal ends.
            "handle_sigint": False,
            "handle_sigterm": False,
            "handle_sighup": False,
        }
        engine = getattr(playwright, spec.browser)
        if spec.browser == "chromium":
            options["args"] = list(_CHROMIUM_ARGS)
            options["executable_path"] = find_chromium()
        if options.get("executable_path") is None and not Path(engine.executable_path).exists():
            raise _no_browser(spec.browser)
        browser: Browser = await engine.launch(**options)
        return browser


async def _quietly(ending: Awaitable[object]) -> None:
    """Nothing that goes wrong while ending may keep the rest from ending."""
    try:
        await ending
    except Exception:
        log.warning("while closing a browser", exc_info=True)


def _stored_auth(
    spec: SessionSpec, auth_folder: Path, notices: list[Diagnostic]
) -> StorageState | None:
    if spec.auth_file is not None:
        return read_storage_state(spec.auth_file)
    state, problems = read_auth_folder(auth_folder)
    notices += problems
    return state if state.cookies or state.origins else None


async def _open_session(browser: Browser, spec: SessionSpec, auth: StorageState | None) -> Session:
    """A context of its own, except where the point is to be in the browser's own one."""
    if spec.cdp_endpoint is not None and spec.auth_file is None and browser.contexts:
        context = browser.contexts[0]
        if auth is not None:
            await _add_cookies(context, auth)
        return Session(browser, context, attached=True)
    state: Any = auth.to_playwright() if auth is not None else None
    context = await browser.new_context(storage_state=state, accept_downloads=True)
    return Session(browser, context, attached=False)


async def _add_cookies(context: BrowserContext, auth: StorageState) -> None:
    cookies: Any = auth.to_playwright()["cookies"]
    with suppress(Error):
        await context.add_cookies(cookies)


def _no_browser(browser: str) -> BrowserLaunchFailed:
    return BrowserLaunchFailed(
        f"no {browser} was found on this machine; {how_to_install(browser)}",
        details={"browser": browser},
    )


def _launch_failure(spec: SessionSpec, error: Error) -> BrowserLaunchFailed:
    first_lines = "\n".join(error.message.splitlines()[:12])
    if spec.cdp_endpoint is not None:
        return BrowserLaunchFailed(
            f"could not attach to {spec.cdp_endpoint}; is a browser listening there? See `connect` "
            "with discover, or clear the endpoint with `connect` and clear",
            details={"cdpEndpoint": spec.cdp_endpoint, "reason": first_lines},
        )
    window = "" if spec.headless else " with a window (is there a display?)"
    return BrowserLaunchFailed(
        f"{spec.browser} did not start{window}; {how_to_install(spec.browser)}",
        details={"browser": spec.browser, "headless": spec.headless, "reason": first_lines},
    )
