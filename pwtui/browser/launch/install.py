"""Installs a browser if there is none: `python -m pwtui.browser.launch.install`.

With the word `driver`, that Playwright's driver runs; once is enough, when Playwright is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from pwtui.browser.launch.driver import DEBIAN_PACKAGES, driver_failed, driver_problem
from pwtui.browser.launch.find_browser import find_chromium, how_to_install

APT_GET = ("apt-get", "-q", "-o", "DPkg::Lock::Timeout=120")
"""Waits while another apt-get runs."""


def install_driver() -> int:
    """Install the libraries that the driver needs, or report which are missing."""
    if driver_problem() is None:
        return 0
    _apt_install(*DEBIAN_PACKAGES)
    problem = driver_problem()
    if problem is None:
        return 0
    sys.stderr.write(f"{driver_failed(problem)}\n")
    return 1


def install_browser() -> int:
    """Find or install a Chromium; print its path, or how to install one."""
    found = find_chromium() or playwright_chromium()
    if found is None:
        sys.stderr.write("no browser was found; installing one\n")
        found = _install()
    if found is None:
        sys.stderr.write(f"no browser could be installed; {how_to_install('chromium')}\n")
        return 1
    sys.stderr.write(f"browser: {found}\n")
    return 0


def playwright_chromium() -> Path | None:
    """Playwright's Chromium, if it is installed."""
    from playwright.sync_api import sync_playwright  # where the system has one, not needed at all

    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return path if path.exists() else None


def playwright_install(browser: str, *, with_deps: bool) -> list[str]:
    """Playwright's own installer, run by this Python: the user's may have no Playwright."""
    options = ["--with-deps"] if with_deps else []
    return [sys.executable, "-m", "playwright", "install", *options, browser]


def _install() -> Path | None:
    with_deps = os.geteuid() == 0 and sys.platform == "linux"
    own = playwright_install("chromium", with_deps=with_deps)
    if subprocess.run(own, stdout=sys.stderr).returncode == 0 and (found := playwright_chromium()):
        return found
    _apt_install("chromium")
    return find_chromium()


def _apt_install(*packages: str) -> None:
    """Where root can have them for the asking."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        sys.stderr.write(f"installing system packages: {' '.join(packages)} (apt-get)\n")
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
            subprocess.run([*APT_GET, *command], stdout=sys.stderr, env=environment)


if __name__ == "__main__":
    sys.exit(install_driver() if sys.argv[1:] == ["driver"] else install_browser())
