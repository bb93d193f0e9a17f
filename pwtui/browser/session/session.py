"""A browser session: one context, its tabs in a stable order, and the settings of its profile."""

from __future__ import annotations

import asyncio
import os
import re
import time
import zipfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import BrowserContext, Download, Error, Page, Route
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pwtui.browser.first_line import first_line
from pwtui.browser.launch.start import RunningBrowser
from pwtui.browser.session.emulation import Emulation
from pwtui.browser.session.observer import Observer
from pwtui.browser.session.routes import Routes
from pwtui.browser.session.tab import Tab, is_error_page
from pwtui.browser.session.tab_errors import becomes_true
from pwtui.protocol.errors import InvalidInput, SessionError
from pwtui.runtime.resolve import Runtime
from pwtui.runtime.target import same_page
from pwtui.state.config import Har
from pwtui.state.files import keep_private

BLANK = "about:blank"
NEW_TAB_SECONDS = 15.0
LONGEST_NAME = 200
NEXT_STARTS_ONE = "the next request starts a new one"


@dataclass(frozen=True)
class Video:
    """A running video recording of a tab; its file is renamed at the end."""

    tab: Tab
    unfinished: Path
    path: Path


class BrowserSession:
    """The tabs that one profile works in; another program owns an `attached` browser."""

    def __init__(
        self,
        running: RunningBrowser,
        context: BrowserContext,
        *,
        owns_context: bool,
        observer: Observer,
        on_change: Callable[[str, Tab], None] = lambda what, tab: None,
    ) -> None:
        self.running = running
        self.context = context
        self.observer = observer
        self.created_at = time.time()
        self.last_used_at = self.created_at
        self._owns_context = owns_context
        self._on_change = on_change
        self._tabs: dict[Page, Tab] = {}
        self.next_index = 0
        self._active: Tab | None = None
        self._blocked: set[str] = set()
        self._har: Har | None = None
        self.routes = Routes(context)
        self.emulation = Emulation(context, running.viewport)
        self.is_traced = False
        self.video: Video | None = None
        self._bringing_up: set[asyncio.Task[None]] = set()
        observer.attach(context, lambda: self.active)
        context.on("page", self._on_page)
        for page in context.pages:
            self._adopt(page)

    @property
    def attached(self) -> bool:
        return self.running.attached

    @property
    def alive(self) -> bool:
        return self.running.alive

    @property
    def is_chromium(self) -> bool:
        return self.emulation.is_chromium

    def touch(self) -> None:
        """Update the time of the last use."""
        self.last_used_at = time.time()
        self.running.touch(self.last_used_at)

    @property
    def tabs(self) -> list[Tab]:
        return list(self._tabs.values())

    @property
    def active(self) -> Tab | None:
        """The tab that operations act on; if it closes, the one that was active before."""
        if self._active is None and self._tabs:
            self._active = max(self._tabs.values(), key=lambda tab: tab.last_active)
        return self._active

    def activate(self, tab: Tab) -> None:
        tab.last_active = time.monotonic()
        self._active = tab
        self.observer.activated()

    @property
    def has_open_page(self) -> bool:
        """Whether there is a current page; a new browser has none."""
        url = self.active.url if self.active else BLANK
        return not is_error_page(url) and (url != BLANK or (self.attached and bool(self._tabs)))

    async def new_tab(self) -> Tab:
        try:
            # A browser that was killed a moment ago may never answer.
            async with asyncio.timeout(NEW_TAB_SECONDS):
                page = await self.context.new_page()
        except TimeoutError:
            raise SessionError(
                f"the browser opened no tab within {NEW_TAB_SECONDS:g} s: it may have exited",
                details={"cause": "browserGone"},
            ) from None
        except Error as error:
            raise SessionError(
                "the browser has exited: it crashed or was closed",
                hint=NEXT_STARTS_ONE,
                details={"cause": "browserGone"},
            ) from error
        tab = self._adopt(page)
        await self.emulation.apply_to(page)
        self.activate(tab)
        return tab

    async def wait_for_tab(self, seconds: float) -> None:
        """Wait for another tab, up to this time."""
        with suppress(PlaywrightTimeout):
            await self.context.wait_for_event("page", timeout=seconds * 1000)

    async def tab_for(self, runtime: Runtime, url: str | None) -> Tab:
        """The tab to act in; never a protected one.

        A request with a URL gets a new tab instead of a protected one; a request for the current
        page fails.
        """
        if url is not None:
            check_unprotected(url, runtime)
        active = self.active
        if active is not None and active.crashed and url is not None:
            with suppress(Error, TimeoutError):
                async with asyncio.timeout(NEW_TAB_SECONDS):
                    await active.page.close()
            active = self.active
        if active is None:
            return await self.new_tab()
        if not runtime.protected_urls:
            return active
        pattern = protecting_pattern(active.url, runtime)
        if pattern is None:
            return active
        if url is not None:
            return await self.new_tab()
        raise InvalidInput(
            f"tab {active.index} ({active.url}) is protected by {pattern!r}",
            hint="choose another one with `tabs.switch` or open one with `tabs.new`",
            details={"tab": active.index, "url": active.url, "pattern": pattern},
        )

    async def adopt_existing(self, runtime: Runtime, preferred_url: str | None) -> None:
        """Make a tab of an attached browser current, if there is one."""
        free = [tab for tab in self.tabs if protecting_pattern(tab.url, runtime) is None]
        fitting = [tab for tab in free if preferred_url and same_page(tab.url, preferred_url)]
        if chosen := next(iter([*fitting, *free]), None):
            self.activate(chosen)
        for tab in free:
            with suppress(Error):
                await self.emulation.apply_to(tab.page)
                await tab.console.recall()

    def differs_from(self, runtime: Runtime) -> bool:
        """Whether `apply` has something to do."""
        return runtime.har != self._har or self._blocked != set(runtime.block_patterns)

    async def apply(self, runtime: Runtime) -> None:
        """Apply the blocked patterns and the HAR recording of this request's runtime."""
        if runtime.har != self._har:
            await self.stop_har()
            if runtime.har is not None:
                await self._start_har(runtime.har)
        wanted = set(runtime.block_patterns)
        for pattern in self._blocked - wanted:
            self._blocked.remove(pattern)
            await self.context.unroute(pattern, _abort)
        for pattern in wanted - self._blocked:
            try:
                await self.context.route(pattern, _abort)
            except Error as error:
                if not self.alive:
                    raise
                raise InvalidInput(
                    f"blockPatterns: {pattern!r} cannot be used: {first_line(error)}",
                    details={"pattern": pattern},
                ) from error
            self._blocked.add(pattern)

    @property
    def writes_har(self) -> bool:
        return self._har is not None

    async def stop_har(self) -> Path | None:
        """Stop the recording and write its HAR file; None when there was none."""
        har, self._har = self._har, None
        if har is None:
            return None
        # It holds cookies and whatever else was sent.
        with suppress(OSError):
            keep_private(Path(har.path))
        await self.context.tracing.stop_har()
        return Path(har.path)

    async def close(self) -> None:
        """Close the context if it is ours; an attached browser keeps running."""
        if not self.alive:
            return
        await self.stop_har()
        if self._owns_context:
            await self.context.close()

    async def _start_har(self, har: Har) -> None:
        content = "omit" if har.omit_content else har.content_policy
        path = Path(har.path)
        if not _may_replace(path):
            raise SessionError(
                f"HAR recording to {har.path} could not start: the file exists and is not a HAR",
                hint="choose another path with `har.set`, or end the recording with `har.clear`",
                details={"path": har.path},
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            await self.context.tracing.start_har(
                path, content=content, mode=har.mode, url_filter=har.url_filter
            )
        except (OSError, Error) as error:
            raise SessionError(
                f"HAR recording to {har.path} could not start: {error}",
                hint="see `har.show` and `har.clear`",
                details={"path": har.path},
            ) from error
        self._har = har

    def _on_page(self, page: Page) -> None:
        self._adopt(page)
        task = asyncio.ensure_future(self.emulation.apply_to(page))
        self._bringing_up.add(task)
        task.add_done_callback(self._bringing_up.discard)

    def _adopt(self, page: Page) -> Tab:
        if page in self._tabs:
            return self._tabs[page]
        tab = self._tabs[page] = Tab(self.next_index, page, is_ours=not self.attached)
        self.next_index += 1
        tab.on_change = self._on_change
        tab.browser_fault = lambda: self.running.fault
        tab.hung_part = self.running.hung_part
        page.on("close", self._forget)
        self._on_change("opened", tab)
        self.observer.add(tab)
        return tab

    def _forget(self, page: Page) -> None:
        self.emulation.forget(page)
        tab = self._tabs.pop(page, None)
        if tab is self._active:
            self._active = None
        if tab is not None:
            self._on_change("closed", tab)
            self.observer.remove(tab)


@asynccontextmanager
async def explained(doing: str, session: BrowserSession | None) -> AsyncIterator[None]:
    """Turn a Playwright error of an operation without a page into a SessionError."""
    try:
        yield
    except Error as error:
        # The end of a browser is noticed a moment after its effects.
        if session and await becomes_true(lambda: not session.alive):
            raise SessionError(
                f"{session.running.fault} while {doing} ran",
                hint=NEXT_STARTS_ONE,
                details={"cause": "browserGone"},
            ) from error
        raise SessionError(f"{doing} failed: {first_line(error)}") from error


def protecting_pattern(url: str, runtime: Runtime) -> str | None:
    """The profile's pattern that protects this URL, if one does."""
    folded = url.lower()
    return next((p for p in runtime.protected_urls if p.lower() in folded), None)


def check_unprotected(url: str, runtime: Runtime) -> None:
    if pattern := protecting_pattern(url, runtime):
        raise InvalidInput(
            f"{url} is protected by {pattern!r}",
            hint="remove it with `protect.remove` to go there",
            details={"url": url, "pattern": pattern},
        )


async def save_download(download: Download, folder: Path) -> Path:
    """Save a finished download under its name, or the next free name."""
    folder.mkdir(parents=True, exist_ok=True)
    name = _short(Path(Path(download.suggested_filename).name or "download"))
    path, copy = folder / name, 1
    while path.exists() or path.is_symlink():
        path = folder / f"{name.stem} ({copy}){name.suffix}"
        copy += 1
    await download.save_as(path)
    return path


def _may_replace(path: Path) -> bool:
    """Whether a HAR may be written there: to a new file, an empty one, or in place of a HAR."""
    try:
        if not path.exists():
            return True
        if not path.is_file():  # a device has no size
            return False
        if path.stat().st_size == 0:
            return True
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return "har.har" in archive.namelist()
        with path.open("rb") as file:
            return re.match(rb'\s*\{\s*"log"\s*:', file.read(1000)) is not None
    except (OSError, zipfile.BadZipFile):
        return False


def _short(name: Path) -> Path:
    """The name shortened so that a number fits: file systems allow 255 bytes."""
    suffix = os.fsencode(name.suffix)[: LONGEST_NAME // 2]
    stem = os.fsencode(name.stem)[: LONGEST_NAME - len(suffix)]
    return Path((stem + suffix).decode("utf-8", "ignore"))


async def _abort(route: Route) -> None:
    with suppress(Error):
        await route.abort()
