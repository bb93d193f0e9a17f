"""Finding or installing a browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pwtui.browser.launch import install
from pwtui.browser.launch.driver import DEBIAN_PACKAGES


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
