"""The browsers of a process: launched or attached on demand, closed at its end."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from weakref import WeakValueDictionary

import psutil
from playwright.async_api import Error, Playwright

from pwtui.browser.first_line import first_line
from pwtui.browser.launch.driver_process import Driver, DriverSlot
from pwtui.browser.launch.find_browser import checked_executable, find_chromium
from pwtui.browser.launch.processes import end_process
from pwtui.browser.launch.registry import remove_dead_bindings
from pwtui.browser.launch.start import (
    DEFAULT_VIEWPORT,
    RunningBrowser,
    attach,
    launch,
    no_browser,
)
from pwtui.browser.session.observers import Observers
from pwtui.browser.session.pooled import (
    STOP_SECONDS,
    add_cookies_to,
    drop_descriptor,
    end_browser,
    notice,
    open_session,
    port_warning,
    state_of,
    stored_auth,
)
from pwtui.browser.session.session import BrowserSession
from pwtui.browser.session.tab import Tab
from pwtui.browser.spec import BrowserSpec, SessionRequest, SessionSpec, is_alive
from pwtui.protocol.addresses import SessionKey
from pwtui.protocol.envelope import Diagnostic
from pwtui.protocol.errors import BrowserLaunchFailed, PwError, UnsupportedMode
from pwtui.protocol.events import SessionState
from pwtui.protocol.models import SessionData
from pwtui.state.auth import StorageState, read_cdp_headers
from pwtui.state.descriptor import SessionDescriptor, read_descriptor, write_descriptor

log = logging.getLogger(__name__)

OPEN_SECONDS = 60.0

How = Literal["reused", "launched", "attached", "reattached", "relaunched"]


@dataclass(frozen=True)
class AcquiredSession:
    """A session for one request, and whether it was launched, attached or reused."""

    session: BrowserSession
    how: How
    notices: tuple[Diagnostic, ...] = ()


class BrowserPool:
    """The browsers and sessions of one process; close it at the end.

    `reachable` browsers can be found and used by others while this process lives: they are bound
    for Playwright clients of the same user, and leave a descriptor in their profile, which names
    the daemon's process as their owner. `starting` is a driver that starts already.
    """

    def __init__(
        self,
        *,
        reachable: bool = False,
        temporary: Path | None = None,
        starting: asyncio.Task[Driver] | None = None,
    ) -> None:
        self.reachable = reachable
        self.owner_pid = os.getpid()
        """The process that ends the browsers: the daemon, for a worker."""
        self.lost_session: str | None = None
        """Why the last session of the profile was lost; the next session reports it once."""
        self._driver = DriverSlot(self._end_orphans, temporary, starting)
        self._sessions: dict[SessionSpec, BrowserSession] = {}
        self._opening: dict[SessionSpec, asyncio.Task[AcquiredSession]] = {}
        self._running: dict[BrowserSpec, RunningBrowser] = {}
        # The process of sessions whose browser or driver died: the next session reports it, once.
        self._lost: dict[SessionSpec, int | None] = {}
        self._locks: WeakValueDictionary[BrowserSpec, asyncio.Lock] = WeakValueDictionary()
        self.on_change: Callable[[str, dict[str, Any]], None] = lambda what, details: None
        self.observers = Observers()
        self.on_driver: Callable[[int], None] = lambda pid: None
        self.on_browser: Callable[[int], None] = lambda pid: None
        """Called with the process of each driver, and each browser, that was started."""
        self._driver.on_start = lambda pid: self.on_driver(pid)

    @property
    def sessions(self) -> dict[SessionSpec, BrowserSession]:
        """The open sessions."""
        return {spec: each for spec, each in self._sessions.items() if each.alive}

    @property
    def opening(self) -> list[SessionSpec]:
        """The keys of sessions that are being opened."""
        return list(self._opening)

    def find(self, spec: SessionSpec) -> BrowserSession | None:
        """The open session for this spec, if there is one."""
        session = self._sessions.get(spec)
        return session if session is not None and session.alive else None

    def would_launch(self, spec: SessionSpec, request: SessionRequest) -> bool:
        """Whether this spec needs a new browser, which has no page."""
        if spec.cdp_endpoint is not None or spec in self._opening:
            return False
        described = read_descriptor(request.profiles.descriptor_path(spec.key))
        return described is None or not is_alive(described)

    async def acquire(self, spec: SessionSpec, request: SessionRequest) -> AcquiredSession:
        """The open session for this spec, else a new one."""
        if session := self.find(spec):
            return AcquiredSession(session, "reused")
        task = self._opening.get(spec)
        if task is None:
            # A task: a caller that is cancelled must not leave half a browser behind.
            task = self._opening[spec] = asyncio.create_task(self._open_in_time(spec, request))
            task.add_done_callback(lambda done: self._opened(spec, done))
        return await asyncio.shield(task)

    async def warm_up(self) -> None:
        """Start the driver before the first session needs it."""
        with suppress(PwError):
            await self._driver.get()

    async def playwright(self) -> Playwright:
        """The driver of this process."""
        return await self._driver.get()

    async def chromium_executable(
        self, spec: BrowserSpec | None = None, *, headless: bool = False
    ) -> Path:
        """The Chromium to start without Playwright."""
        if spec is not None and spec.executable is not None:
            return checked_executable(str(spec.executable), "executablePath")
        if spec is not None and spec.channel is not None:
            raise UnsupportedMode(
                f"only Playwright knows where the channel {spec.channel!r} is installed",
                hint="set executablePath instead",
            )
        executable = find_chromium(headless=headless) or Path(
            (await self._driver.get()).chromium.executable_path
        )
        if not executable.exists():
            raise no_browser("chromium")
        return executable

    async def devices(self) -> dict[str, dict[str, Any]]:
        """The devices that Playwright knows, by their names."""
        return (await self._driver.get()).devices

    async def add_cookies(self, cdp_endpoint: str, auth: StorageState) -> None:
        """Add the cookies of a saved login to another program's browser."""
        running = await attach(await self._driver.get(), cdp_endpoint)
        try:
            await add_cookies_to(running.browser.contexts[0], auth)
        finally:
            await running.browser.close()

    async def described(self) -> list[SessionData]:
        """The open sessions, with the titles of their pages."""
        live = self.sessions
        tabs = [tab for session in live.values() for tab in session.tabs]
        await asyncio.gather(*(tab.known_title() for tab in tabs))
        return [self.describe(spec, session) for spec, session in live.items()]

    def describe(self, spec: SessionSpec, session: BrowserSession) -> SessionData:
        """The description of a session, without queries to its browser."""
        running, profile = session.running, spec.key.profile
        return SessionData(
            origin="pwtui",
            owner="detached" if running.attached else "daemon" if self.reachable else "process",
            title=profile,
            profile=profile,
            namespace=profile,
            workspace=spec.workspace,
            workspace_id=spec.key.workspace_id,
            session_key=str(spec.key),
            browser=spec.browser,
            headless=spec.headless,
            attached=running.attached,
            pid=running.pid,
            cdp_endpoint=running.cdp_endpoint,
            ws_endpoint=running.ws_endpoint,
            version=running.browser.version,
            pages=[tab.described() for tab in session.tabs],
            created_at=running.created_at,
            last_used_at=session.last_used_at,
            age_seconds=round(time.time() - running.created_at, 1),
        )

    async def states(self) -> list[SessionState]:
        """The open sessions with their tabs."""
        live = self.sessions
        tabs = [tab for session in live.values() for tab in session.tabs]
        await asyncio.gather(*(tab.known_title() for tab in tabs))
        return [state_of(spec, session) for spec, session in live.items()]

    async def stop(self, keys: Collection[SessionKey], pid: int | None) -> bool:
        """Close sessions with these keys, only those of a browser process if one is given."""
        specs = [spec for spec in self.opening if pid is None]
        specs += [spec for spec, each in self._sessions.items() if pid in (None, each.running.pid)]
        wanted = [spec for spec in specs if spec.key in keys]
        return any(await asyncio.gather(*map(self.close_session, wanted)))

    async def close_session(self, spec: SessionSpec) -> bool:
        """Close a session, and its browser if this process launched it and nothing else uses it."""
        opening = self._opening.get(spec)
        if opening is not None:
            await asyncio.wait({opening}, timeout=STOP_SECONDS)
            opening.cancel()
        self._lost.pop(spec, None)
        session = self._sessions.pop(spec, None)
        if session is None:
            return opening is not None
        self._session_changed("closed", spec, unexpected=False)
        running = session.running
        is_last = all(other.running is not running for other in self._sessions.values())
        if is_last:
            self._running.pop(spec.of_browser, None)
            drop_descriptor(running)
        await end_browser(running, [session], close_browser=is_last)
        session.observer.ended("closed")
        return True

    async def close(self, *, leaves_descriptors: bool = False) -> None:
        """Close everything that this process started; attached browsers stay open.

        With `leaves_descriptors` the next session of a profile reports that this one was lost.
        """
        for task in list(self._opening.values()):
            task.cancel()
        sessions, running = list(self._sessions.values()), list(self._running.values())
        self._sessions.clear()
        self._running.clear()
        for each in running:
            if not leaves_descriptors:
                drop_descriptor(each)
        await asyncio.gather(
            *(
                end_browser(each, [session for session in sessions if session.running is each])
                for each in running
            )
        )
        for session in sessions:
            session.observer.ended("closed")
        if await self._driver.stop() and self.reachable:
            await asyncio.to_thread(remove_dead_bindings)

    async def _open_in_time(self, spec: SessionSpec, request: SessionRequest) -> AcquiredSession:
        """Open a session. Raises BrowserLaunchFailed if it exits or hangs during start-up."""
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                return await self._open(spec, request)
        except TimeoutError:
            reason = f"it was not ready after {OPEN_SECONDS:g} s"
        except Error as error:
            reason = first_line(error)
        raise BrowserLaunchFailed(
            f"{spec.browser} exited or hung during start-up: {reason}",
            hint="try again",
            details={"browser": spec.browser},
        )

    async def _open(self, spec: SessionSpec, request: SessionRequest) -> AcquiredSession:
        notices: list[Diagnostic] = []
        self._forget_dead()
        auth = stored_auth(spec, request, notices)
        running, how, gone = await self._browser(spec.of_browser, request)
        observer = self.observers.new(spec.place)
        session = await open_session(running, spec, auth, observer, self._tab_listener(spec))
        if session.attached:
            await session.adopt_existing(request.runtime, request.preferred_url)
        self._sessions[spec] = session
        running.browser.on("disconnected", lambda _: self._forget_dead())
        self._session_changed("opened", spec)
        lost, self.lost_session = self.lost_session, None
        was_open = spec in self._lost
        pid = self._lost.pop(spec, None) or gone
        if lost is None and (was_open or gone is not None):
            process = f" (process {pid})" if pid else ""
            lost = f"the browser of the last session had exited{process}"
        if how == "launched" and lost is not None:
            how = "relaunched"
            notices.append(notice(f"{lost}: started a new one (page state was lost)"))
        if how in ("launched", "relaunched") and running.cdp_endpoint is not None:
            notices.append(port_warning(running.cdp_endpoint))
        return AcquiredSession(session, how, tuple(notices))

    def _forget_dead(self) -> None:
        """Remove the sessions of browsers that exited; the next ones report it."""
        for spec in [spec for spec, each in self._sessions.items() if not each.alive]:
            session = self._sessions.pop(spec)
            self._lost[spec] = session.running.pid
            session.observer.ended("exited")
            self._session_changed("closed", spec, unexpected=True)
        for each in [each for each, running in self._running.items() if not running.alive]:
            running = self._running.pop(each)
            if running.descriptor is not None and not is_alive(running.descriptor[1]):
                drop_descriptor(running)

    def _opened(self, spec: SessionSpec, task: asyncio.Task[AcquiredSession]) -> None:
        self._opening.pop(spec, None)
        if not task.cancelled() and task.exception() is not None:
            log.info("no session for %s: %s", spec.key, task.exception())

    async def _browser(
        self, spec: BrowserSpec, request: SessionRequest
    ) -> tuple[RunningBrowser, How, int | None]:
        """Sessions that differ only in their context share the browser process.

        The last value is the process of a described browser that has exited.
        """
        async with self._locks.setdefault(spec, asyncio.Lock()):
            known = self._running.get(spec)
            if known is not None and known.alive:
                return known, "reused", None
            how: How = "launched"
            gone = None
            if spec.cdp_endpoint is not None:
                headers = read_cdp_headers(request.auth_folder)
                running = await attach(
                    await self._driver.get(),
                    spec.cdp_endpoint,
                    browser=spec.browser,
                    headers=headers,
                )
                how = "attached"
            elif (described := await self._described(spec, request)) and is_alive(described):
                running, how = await self._reattach(described), "reattached"
            else:
                gone = described.pid if described else None
                running = await self._launch(spec, request)
            running.driver = self._driver.current
            self._running[spec] = running
            return running, how, gone

    async def _described(
        self, spec: BrowserSpec, request: SessionRequest
    ) -> SessionDescriptor | None:
        """The profile's descriptor. A browser without a driver is killed."""
        descriptor = read_descriptor(request.profiles.descriptor_path(spec.key))
        if descriptor is not None and descriptor.owner == "daemon" and is_alive(descriptor):
            owner = descriptor.owner_pid
            if owner in (None, self.owner_pid) or not psutil.pid_exists(owner):
                await end_process(descriptor.pid)
        return descriptor

    async def _reattach(self, descriptor: SessionDescriptor) -> RunningBrowser:
        """The browser that the profile's descriptor names: it keeps its pages.

        One that runs and does not respond is not replaced: it would never be found again.
        """
        endpoint = descriptor.ws_endpoint or descriptor.cdp_endpoint
        try:
            if endpoint is None:
                raise BrowserLaunchFailed("it has no endpoint")
            running = await attach(await self._driver.get(), endpoint, browser=descriptor.browser)
        except BrowserLaunchFailed as error:
            raise BrowserLaunchFailed(
                f"could not attach to the browser of this profile (process {descriptor.pid}): "
                f"{error.message}",
                hint="try again, or close it with `session.stop`",
                details={"pid": descriptor.pid, **(error.details or {})},
            ) from error
        running.pid, running.started_at = descriptor.pid, descriptor.started_at
        running.cdp_endpoint = descriptor.cdp_endpoint
        running.ws_endpoint = descriptor.ws_endpoint
        if descriptor.owner == "detached":
            running.viewport = DEFAULT_VIEWPORT
        return running

    async def _launch(self, spec: BrowserSpec, request: SessionRequest) -> RunningBrowser:
        workspace, profile = request.profiles.workspace, request.runtime.profile
        place: dict[str, Any] = {"port": request.port, "workspace": workspace.root}
        if self.reachable:
            place["title"] = f"{workspace.root.name}:{profile}"
        try:
            running = await launch(await self._driver.get(), spec, **place)
        except BrowserLaunchFailed:
            if self._driver.current is not None and await self._driver.current.answers():
                raise
            running = await launch(await self._driver.get(), spec, **place)
        if running.pid is not None:
            self.on_browser(running.pid)
        if self.reachable:
            self._leave_descriptor(spec, running, request)
        return running

    def _session_changed(self, what: str, spec: SessionSpec, **more: bool) -> None:
        self.on_change("session", {"change": what, **spec.place, **more})

    def _tab_listener(self, spec: SessionSpec) -> Callable[[str, Tab], None]:
        def changed(what: str, tab: Tab) -> None:
            event = {"change": what, **spec.place, "tab": tab.index, "url": tab.url}
            if dialog := tab.prompts.dialog:
                event["dialog"] = dialog.to_wire()
            self.on_change("page", event)

        return changed

    async def _end_orphans(self) -> None:
        """Kill the browsers of a lost driver."""
        orphans = [each for each in self._running.values() if not each.attached and each.pid]
        self._forget_dead()
        await asyncio.gather(*(end_process(each.pid) for each in orphans if each.pid))

    def _leave_descriptor(
        self, spec: BrowserSpec, running: RunningBrowser, request: SessionRequest
    ) -> None:
        if running.pid is None or running.started_at is None:
            return
        descriptor = spec.descriptor(
            "daemon",
            owner_pid=self.owner_pid,
            pid=running.pid,
            started_at=running.started_at,
            cdp_endpoint=running.cdp_endpoint,
            ws_endpoint=running.ws_endpoint,
            created_at=running.created_at,
        )
        path = request.profiles.descriptor_path(spec.key)
        try:
            write_descriptor(path, descriptor)
        except OSError:
            # Other processes cannot find it, but it works.
            log.warning("no descriptor for %s", spec.key, exc_info=True)
            return
        running.descriptor = (path, descriptor)
