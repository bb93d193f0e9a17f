"""Finding or installing a browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pwtui.browser.launch import install
from pwtui.browser.launch.driver import DEBIAN_PACKAGES, driver_problem


def test_an_installed_browser_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PWTUI_BROWSER", sys.executable)

    assert install.install_browser() == 0
    assert capsys.readouterr().err == f"browser: {sys.executable}\n"


def test_without_a_browser_the_hint_shows_how_to_install_one(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(install, "find_chromium", lambda: None)
    monkeypatch.setattr(install, "playwright_chromium", lambda: None)
    monkeypatch.setattr(
        install, "playwright_install", lambda *_, **__: [sys.executable, "-c", "exit(1)"]
    )
    monkeypatch.setenv("PATH", str(tmp_path))

    assert install.install_browser() == 1
    shown = capfd.readouterr().err
    assert shown.startswith("no browser was found; installing one\n")
    assert "no browser could be installed; " in shown
    assert "PWTUI_BROWSER" in shown


def test_system_packages_are_installed_for_root(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "apt-get").write_text("#!/bin/sh\necho apt-get $@\n")
    (tmp_path / "apt-get").chmod(0o755)
    problems = iter(["libatomic.so.1 is missing", None])
    monkeypatch.setattr(install, "driver_problem", lambda: next(problems))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert install.install_driver() == 0
    shown = capfd.readouterr().err
    assert "apt-get -q -o DPkg::Lock::Timeout=120 update" in shown
    assert f"install -y --no-install-recommends {' '.join(DEBIAN_PACKAGES)}" in shown


def test_a_driver_that_runs_needs_no_packages(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(install, "driver_problem", lambda: None)

    assert install.install_driver() == 0
    assert capfd.readouterr().err == ""


def test_a_driver_that_no_package_helps_is_reported(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(install, "driver_problem", lambda: "no such file: libc.so")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    assert install.install_driver() == 1
    shown = capfd.readouterr().err
    assert "does not run on this machine: no such file: libc.so" in shown
    assert "apt-get)" not in shown  # only root can install packages


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("echo Version 1.60", None),
        (
            "echo first >&2; echo 'libatomic.so.1: not found' >&2; exit 127",
            "libatomic.so.1: not found",
        ),
        ("exit 1", "it printed nothing"),
    ],
)
def test_the_last_line_of_a_driver_says_why_it_does_not_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, problem: str | None
) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\n[ "$*" = "-m playwright --version" ] || exit 2\n{script}\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))

    assert driver_problem() == problem


def test_what_playwright_installs_is_used_before_a_system_package(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho ran $*\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(install, "find_chromium", lambda: None)
    found = iter([None, tmp_path / "chrome"])
    monkeypatch.setattr(install, "playwright_chromium", lambda: next(found))

    assert install.install_browser() == 0
    shown = capfd.readouterr().err
    assert "ran -m playwright install chromium\n" in shown
    assert shown.endswith(f"browser: {tmp_path / 'chrome'}\n")
