"""Checks that Playwright's driver runs: a Node program that needs system libraries."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

from pwtui.protocol.errors import BrowserLaunchFailed

DRIVER_VERSION = version("playwright")
# What Node needs and small images of Debian and Ubuntu do not have.
DEBIAN_PACKAGES = ("libatomic1", "libstdc++6")


def driver_problem() -> str | None:
    """The error output of a driver that does not run; None if it runs."""
    asked = subprocess.run(
        [sys.executable, "-m", "playwright", "--version"], capture_output=True, text=True
    )
    if asked.returncode == 0:
        return None
    *_, said = ["it printed nothing", *asked.stderr.strip().splitlines()]
    return said


def driver_failed(problem: str) -> BrowserLaunchFailed:
    return BrowserLaunchFailed(
        f"Playwright's driver does not run on this machine: {problem}",
        hint="if a library is missing, install it (on Debian and Ubuntu: "
        f"`apt-get install {' '.join(DEBIAN_PACKAGES)}`)",
        details={"reason": problem},
    )
