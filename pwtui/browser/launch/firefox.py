"""Firefox: finds one that Playwright can drive, and the options to launch it with."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pwtui.browser.launch.find_browser import executable_in, how_to_install
from pwtui.protocol.errors import BrowserLaunchFailed, InvalidInput
from pwtui.state.files import write_atomic
from pwtui.state.paths import user_state_dir

FIREFOX_VARIABLE = "PWTUI_FIREFOX"
STOCK = "moz-firefox"
OLDEST = 153
"""The oldest version that Playwright can drive, and the oldest that needs no proxy for it."""
OLDEST_WITHOUT_PROXY = 159
VERSION_SECONDS = 10.0
# With a page in the back/forward cache, Playwright waits in vain for the navigation.
PREFERENCES: Mapping[str, Any] = {"browser.sessionhistory.max_total_viewers": 0}

# Playwright's channels, and where to find them: names on PATH, files, and apps of macOS.
_CHANNELS = {
    STOCK: ("firefox", "firefox-esr", "/snap/bin/firefox", "Firefox.app"),
    "moz-firefox-beta": ("firefox-beta", "/opt/firefox-beta/firefox"),
    "moz-firefox-nightly": (
        "firefox-nightly",
        "/opt/firefox-nightly/firefox",
        "Firefox Nightly.app",
    ),
}
_VERSION = re.compile(r"Firefox (\d+)[\d.]*(?:esr|[ab]\d*)?")


class StockFirefox(NamedTuple):
    """A Firefox as Mozilla and distributions publish it, which is driven over WebDriver BiDi."""

    path: Path
    version: str
    major: int

    @classmethod
    def at(cls, path: Path) -> StockFirefox | None:
        """The Firefox at this path; None if it is none, or does not run."""
        try:
            asked = subprocess.run(
                [path, "--version"], capture_output=True, text=True, timeout=VERSION_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        found = _VERSION.search(asked.stdout)
        return cls(path, found[0], int(found[1])) if found else None

    @property
    def needs_proxy(self) -> bool:
        return self.major < OLDEST_WITHOUT_PROXY

    @property
    def options(self) -> dict[str, Any]:
        """The options of Playwright's `launch`."""
        path = behind_proxy(self.path) if self.needs_proxy else self.path
        return {"channel": STOCK, "executable_path": path, "firefox_user_prefs": dict(PREFERENCES)}


def find_firefox(
    playwrights: Path, named: Path | None = None, channel: str | None = None
) -> StockFirefox | None:
    """The Firefox that is named, else one that is found; None for Playwright's own build.

    That comes first, then a stock one. Raises BrowserLaunchFailed.
    """
    if named is None and channel is None:
        named = executable_in(FIREFOX_VARIABLE)
    if named is not None:
        if named.resolve() == playwrights.resolve():
            return None
        firefox = StockFirefox.at(named)
        if firefox is None:
            raise BrowserLaunchFailed(
                f"{named} is not a Firefox, or does not run: it reports no version",
                details={"path": str(named)},
            )
        found = [firefox]
    elif channel is None and playwrights.exists():
        return None
    else:
        found = [each for path in on_system(channel or STOCK) if (each := StockFirefox.at(path))]
    if not found:
        raise _missing(channel)
    usable = next((each for each in found if each.major >= OLDEST), None)
    if usable is None:
        raise BrowserLaunchFailed(
            f"{found[0].version} ({found[0].path}) is too old: Firefox {OLDEST} or later is needed",
            hint=f"update it, or {how_to_install('firefox')}",
            details={"path": str(found[0].path), "version": found[0].version, "oldest": OLDEST},
        )
    return usable


def behind_proxy(firefox: Path) -> Path:
    """A program that runs this Firefox behind our proxy: Playwright can only start one file."""
    words = [sys.executable, "-P", "-m", "pwtui.browser.launch.firefox_proxy", str(firefox)]
    text = f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n'.encode()
    path = user_state_dir() / f"firefox-{hashlib.sha256(text).hexdigest()[:16]}"
    if not os.access(path, os.X_OK):
        write_atomic(path, text, private=True)
        path.chmod(0o700)
    return path


def on_system(channel: str) -> Iterator[Path]:
    if channel not in _CHANNELS:
        known = ", ".join(_CHANNELS)
        raise InvalidInput(
            f"channel: {channel!r} is no channel of Firefox",
            hint=f"use one of {known}",
            details={"channel": channel},
        )
    for name in _CHANNELS[channel]:
        places = [name]
        if name.endswith(".app"):
            folders = (Path("/Applications"), Path.home() / "Applications")
            places = [str(folder / name / "Contents/MacOS/firefox") for folder in folders]
        for place in places:
            if path := shutil.which(place):
                yield Path(path)


def _missing(channel: str | None) -> BrowserLaunchFailed:
    what = f"the channel {channel}" if channel else "firefox"
    return BrowserLaunchFailed(
        f"{what} was not found on this machine",
        hint=f"{how_to_install('firefox')} or your system's package manager (for example "
        f"`apt-get install firefox-esr`), or name an executable in {FIREFOX_VARIABLE}",
        details={"browser": "firefox"},
    )
