"""What a pool does with one browser or session: opens, describes and ends it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from playwright.async_api import BrowserContext, Error

from pwtui.browser.launch.start import RunningBrowser
from pwtui.browser.session.observer import Observer
from pwtui.browser.session.session import BrowserSession
from pwtui.browser.session.tab import Tab
from pwtui.browser.spec import SessionRequest, SessionSpec
from pwtui.protocol.envelope import Diagnostic
from pwtui.protocol.events import SessionState
from pwtui.protocol.models import TabData
from pwtui.protocol.secrets import mask_text
from pwtui.state.auth import StorageState, read_auth_folder, read_storage_state

log = logging.getLogger(__name__)

STOP_SECONDS = 3.0
# A HAR is only written when its recording stops, and may be large.
HAR_SECONDS = 10.0


def drop_descriptor(running: RunningBrowser) -> None:
    described, running.descriptor = running.descriptor, None
    if described is not None:
        with suppress(OSError):
            described[0].unlink()


def port_warning(endpoint: str) -> Diagnostic:
    return notice(
        f"the debugging port is open ({endpoint}): every user of this machine can connect to this "
        "browser, read its pages and cookies and your files; cdp: false opens none"
    )


async def end_browser(
    running: RunningBrowser, sessions: list[BrowserSession], *, close_browser: bool = True
) -> None:
    """Close sessions and their browser; kill the browser if it does not close in time."""
    writes_har = any(session.writes_har for session in sessions)
    try:
        async with asyncio.timeout(HAR_SECONDS if writes_har else STOP_SECONDS):
            for session in sessions:
                await session.close()
            if close_browser:
                await running.browser.close()
    except Exception:
        log.warning("while closing a browser", exc_info=True)
        if close_browser:
            await asyncio.to_thread(running.kill)


def state_of(spec: SessionSpec, session: BrowserSession) -> SessionState:
    tabs = [
        TabData(
            index=tab.index,
            title=tab.title,
            url=mask_text(tab.url),
            active=True if tab is session.active else None,
            dialog=True if tab.prompts.has_dialog else None,
            file_chooser=True if tab.prompts.chooser else None,
            crashed=True if tab.crashed else None,
        )
        for tab in session.tabs
    ]
    return SessionState(
        **spec.place,
        browser=spec.browser,
        headless=spec.headless,
        attached=session.attached,
        tabs=tabs,
    )


def notice(message: str) -> Diagnostic:
    return Diagnostic(level="warning", source="browser", message=message)


def stored_auth(
    spec: SessionSpec, request: SessionRequest, notices: list[Diagnostic]
) -> StorageState | None:
    if spec.auth_file is not None:
        return read_storage_state(spec.auth_file)
    state, problems = read_auth_folder(request.auth_folder)
    notices += problems
    return state if state.cookies or state.origins else None


async def open_session(
    running: RunningBrowser,
    spec: SessionSpec,
    auth: StorageState | None,
    observer: Observer,
    on_change: Callable[[str, Tab], None],
) -> BrowserSession:
    """A new context; in an attached browser its default one, unless another is asked for."""
    browser = running.browser
    own_context = running.relay or not (spec.auth_file or spec.isolated)
    if running.attached and own_context and browser.contexts:
        context = browser.contexts[0]
        if auth is not None and running.relay and not context.pages:
            await context.new_page()  # a relay reaches cookies through a page
        if auth is not None:
            await add_cookies_to(context, auth)
        return BrowserSession(
            running, context, owns_context=False, observer=observer, on_change=on_change
        )
    state: Any = auth.to_playwright() if auth is not None else None
    context = await browser.new_context(storage_state=state, accept_downloads=True)
    return BrowserSession(
        running, context, owns_context=True, observer=observer, on_change=on_change
    )


async def add_cookies_to(context: BrowserContext, auth: StorageState) -> None:
    cookies: Any = auth.to_playwright()["cookies"]
    with suppress(Error):
        await context.add_cookies(cookies)
