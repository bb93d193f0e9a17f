"""Playwright's driver: a Node program in its package, which needs libraries of the system."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

from pwtui.protocol.errors import BrowserLaunchFailed

DRIVER_VERSION = version("playwright")
# What Node needs and small images of Debian and Ubuntu do not have.
DEBIAN_PACKAGES = ("libatomic1", "libstdc++6")


def driver_problem() -> str | None:
    """Why the driver does not run on this machine, in its own words; None when it does."""
    asked = subprocess.run(
        [sys.executable, "-m", "playwright", "--version"], capture_output=True, text=True
    )
    if asked.returncode == 0:
        return None
    *_, said = ["it said nothing", *asked.stderr.strip().splitlines()]
    return said


def driver_failed(problem: str) -> BrowserLaunchFailed:
    return BrowserLaunchFailed(
        f"Playwright's driver does not run on this machine: {problem}",
        hint="if a library is missing, install it (on Debian and Ubuntu: "
        f"`apt-get install {' '.join(DEBIAN_PACKAGES)}`)",
        details={"reason": problem},
    )
