"""Finds a browser: the user's choice, one of the system, or Playwright's build."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from pwtui.protocol.errors import BrowserLaunchFailed
from pwtui.protocol.extras import install_command

BROWSER_VARIABLE = "PWTUI_BROWSER"
CHROMIUM_FLAGS = ("--disable-sync", "--disable-quic", "--no-first-run")

_LINUX_NAMES = (
    "google-chrome-stable",
    "google-chrome",
    "chromium",
    "chromium-browser",
    "microsoft-edge-stable",
    "microsoft-edge",
    "brave-browser",
    "brave",
)
# Starts in a third of the time. Debian's first, without the script around it, which keeps running.
_SHELLS = (
    "/usr/lib/chromium/chromium-headless-shell",
    "chromium-headless-shell",
    "chrome-headless-shell",
)
_MAC_APPS = ("Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser")


def find_chromium(*, headless: bool = False) -> Path | None:
    """The Chromium from $PWTUI_BROWSER, else one of the system.

    Without a window, a headless shell is preferred.
    """
    if chosen := executable_in(BROWSER_VARIABLE):
        return chosen
    shells = (shutil.which(name) for name in _SHELLS) if headless else ()
    shell = next((Path(path) for path in shells if path), None)
    return shell or next(iter(system_chromiums()), None)


def executable_in(variable: str) -> Path | None:
    """The executable that an environment variable names."""
    chosen = os.environ.get(variable)
    return checked_executable(chosen, variable) if chosen else None


def checked_executable(named: str, where: str) -> Path:
    path = shutil.which(named)
    if path is None:
        raise BrowserLaunchFailed(
            f"{where} names {named!r}, which is not an executable file", details={"path": named}
        )
    return Path(path)


def system_chromiums() -> list[Path]:
    """All Chromium-based browsers on this machine, the preferred one first."""
    if sys.platform == "darwin":
        roots = (Path("/Applications"), Path.home() / "Applications")
        apps = (root / f"{app}.app/Contents/MacOS/{app}" for app in _MAC_APPS for root in roots)
        return [app for app in apps if os.access(app, os.X_OK)]
    found = (shutil.which(name) for name in _LINUX_NAMES)
    return [Path(path) for path in found if path and not _is_snap_placeholder(Path(path))]


def how_to_install(browser: str) -> str:
    command = f"`{install_command(browser)}`"
    if browser == "chromium":
        return (
            f"install one with {command} or your system's package manager (for example "
            f"`apt-get install chromium`), or name an executable in {BROWSER_VARIABLE}"
        )
    return f"install it with {command}"


def _is_snap_placeholder(path: Path) -> bool:
    """Whether it is Ubuntu's script that only asks to install the snap."""
    with path.open("rb") as file:
        head = file.read(4096)
    return head.startswith(b"#!") and b"snap install" in head and not shutil.which("snap")
