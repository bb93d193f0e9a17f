"""Starts, checks and uses the relay of a port. Times are in milliseconds, as in Playwright."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from pwtui.browser.launch.processes import start_detached
from pwtui.browser.launch.relay_endpoint import (
    RelayRefused,
    UnknownRelay,
    ask_relay,
    client_url,
    relay_version,
    running_relays,
)
from pwtui.protocol.errors import with_hint
from pwtui.protocol.version import is_older
from pwtui.relay.client import CookieScope
from pwtui.relay.launch import refresh_extension
from pwtui.state.files import locked, private_opener
from pwtui.state.relay_records import DEFAULT_PORT, relay_folder, relay_log_file, relay_token

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

SEPARATE_WINDOW_VARIABLE = "PWTUI_SEPARATE_WINDOW"
POLL_SECONDS = 0.05
STOP_SECONDS = 5.0
ASK_SECONDS = 5.0


class RelayServerError(Exception):
    """An error of the relay on a port: `message` says what failed, `hint` what to do about it."""

    def __init__(self, message: str, port: int, hint: str | None = None) -> None:
        super().__init__(with_hint(f"{message} (port {port})", hint))
        self.message = message
        self.port = port
        self.hint = hint


class ExtensionNotConnectedError(RelayServerError):
    """The relay is running, but no tab is attached to it."""

    def __init__(self, port: int, *, connected: bool = False) -> None:
        problem = "connected, but no tab is attached" if connected else "not connected"
        hint = (
            "click the pwtui button on a tab of your browser (`pw relay extension` shows how to "
            "load the extension), or start a browser with `pw relay open`"
        )
        super().__init__(f"the extension is {problem}", port, hint)


class RelayServerStartError(RelayServerError):
    """The relay could not be started."""

    def __init__(self, port: int, reason: str = "it does not respond") -> None:
        super().__init__(f"the relay did not start: {reason}", port, f"see {relay_log_file()}")


@dataclass(frozen=True)
class RelayInfo:
    """A running relay; `started` is true if this call started it."""

    started: bool
    version: str
    port: int


@dataclass(frozen=True)
class ExtensionStatus:
    """Whether the extension is connected, and the number of attached tabs."""

    connected: bool
    page_count: int


def ensure_persistent_relay(
    *,
    port: int = DEFAULT_PORT,
    timeout: float = 10_000,
    separate_window: bool | None = None,
) -> RelayInfo:
    """Start a relay on this port, in a separate process, unless one is running.

    A relay of an older version is replaced. `separate_window` also changes a running relay; None
    uses PWTUI_SEPARATE_WINDOW for a new relay and does not change a running one.
    """
    # Locked, as a second process could take the port while an older relay is replaced.
    with locked(relay_folder() / f"start-{port}.lock"):
        version = running_version(port)
        if version is not None and is_older(version):
            stop_relay(port)
            version = None
        if version is None:
            return _start(port, timeout, separate_window=wants_separate_window(separate_window))
    if separate_window is not None:
        ask(port, "/window-mode", {"separateWindow": separate_window})
    return RelayInfo(started=False, version=version, port=port)


def wait_for_extension(
    *, port: int = DEFAULT_PORT, timeout: float = 30_000, poll_interval: float = 500
) -> ExtensionStatus:
    """Wait until the extension is connected and at least one tab is attached."""
    end = time.monotonic() + timeout / 1000
    while True:
        answer = ask(port, "/extension-status")
        status = ExtensionStatus(bool(answer["connected"]), int(answer["pageCount"]))
        if status.connected and status.page_count:
            return status
        left = end - time.monotonic()
        if left <= 0:
            raise ExtensionNotConnectedError(port, connected=status.connected)
        time.sleep(min(poll_interval / 1000, left))


def connect_to_relay(
    *,
    port: int = DEFAULT_PORT,
    timeout: float = 30_000,
    separate_window: bool | None = None,
    cookies: CookieScope = "page",
    playwright: Playwright | None = None,
) -> Browser:
    """Connect Playwright to the user's browser; `browser.close()` only disconnects.

    With `cookies="browser"` the context's cookie methods read and clear the cookies of all sites.
    Without `playwright`, one is started, which stops at the end of this process.
    """
    url = prepare(port, timeout, separate_window, cookies)
    driver = playwright or _own_playwright()
    return driver.chromium.connect_over_cdp(url, timeout=timeout)


def prepare(port: int, timeout: float, separate_window: bool | None, cookies: CookieScope) -> str:
    """Start the relay and wait for the extension; returns a URL for one connection."""
    ensure_persistent_relay(port=port, separate_window=separate_window)
    wait_for_extension(port=port, timeout=timeout)
    with _errors(port):
        return client_url(port, query={"cookies": cookies})


def cdp_url(port: int = DEFAULT_PORT, *, cookies: CookieScope = "page") -> str:
    """The URL for any CDP client; it contains the token."""
    query = {"token": relay_token()} | ({"cookies": cookies} if cookies != "page" else {})
    return f"ws://127.0.0.1:{port}/cdp?{urlencode(query)}"


def wants_separate_window(option: bool | None) -> bool:
    """The option, else PWTUI_SEPARATE_WINDOW."""
    if option is not None:
        return option
    return os.environ.get(SEPARATE_WINDOW_VARIABLE, "").lower() in ("1", "true", "yes", "on")


def running_version(port: int) -> str | None:
    """The version of this user's relay on this port; None if no program answers."""
    try:
        return relay_version(port)
    except UnknownRelay as error:
        raise _not_a_relay(port) from error
    except OSError:
        return None


def stop_relay(port: int = DEFAULT_PORT) -> bool:
    """Stop the relay on this port and wait for its end; returns whether there was one."""
    if running_version(port) is None:
        return False
    ask(port, "/shutdown", {})
    end = time.monotonic() + STOP_SECONDS
    while time.monotonic() < end:
        is_listed = any(relay.port == port for relay in running_relays())
        if not is_listed and running_version(port) is None:
            return True
        time.sleep(POLL_SECONDS)
    raise RelayServerError(f"the relay did not stop within {STOP_SECONDS:g} s", port)


def ask(
    port: int, path: str, body: dict[str, Any] | None = None, *, seconds: float = ASK_SECONDS
) -> dict[str, Any]:
    """Send one request to the relay on this port. Raises RelayServerError."""
    with _errors(port):
        answer: dict[str, Any] = ask_relay(port, path, body, seconds=seconds)
        return answer


@contextmanager
def _errors(port: int) -> Iterator[None]:
    try:
        yield
    except UnknownRelay as error:
        raise _not_a_relay(port) from error
    except RelayRefused as error:
        raise RelayServerError(f"the relay refused the request: {error}", port) from error
    except OSError as error:
        hint = "start it with `pw relay start`"
        raise RelayServerError(f"no relay responds: {error}", port, hint) from error


def _not_a_relay(port: int) -> RelayServerError:
    problem = "another program listens here, or a relay of another user or state folder"
    hint = "choose another port, or stop that program"
    return RelayServerError(f"{problem}: it did not prove that it has your token", port, hint)


def _start(port: int, timeout: float, *, separate_window: bool) -> RelayInfo:
    end = time.monotonic() + timeout / 1000
    refresh_extension(port)
    process = _spawn(port, separate_window=separate_window)
    while time.monotonic() < end:
        if (version := running_version(port)) is not None:
            return RelayInfo(started=True, version=version, port=port)
        if (code := process.poll()) is not None:
            raise RelayServerStartError(port, f"its process exited with code {code}")
        time.sleep(POLL_SECONDS)
    process.terminate()
    raise RelayServerStartError(port)


def _spawn(port: int, *, separate_window: bool) -> subprocess.Popen[bytes]:
    log = relay_log_file()
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    command = [sys.executable, "-m", "pwtui.relay.serve", f"--port={port}"]
    with open(log, "ab", opener=private_opener) as errors:
        options = ["--separate-window"] * separate_window
        return start_detached(command + options, stderr=errors, cwd="/")


_playwrights = threading.local()


def _own_playwright() -> Playwright:
    """One per thread, as Playwright's sync API requires."""
    from playwright.sync_api import sync_playwright

    if not hasattr(_playwrights, "driver"):
        _playwrights.driver = sync_playwright().start()
        atexit.register(_stop, _playwrights.driver)
    driver: Playwright = _playwrights.driver
    return driver


def _stop(driver: Playwright) -> None:
    with suppress(Exception):
        driver.stop()
