"""Which Firefox is launched, and how: programs that only report a version are enough here."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pwtui.browser.launch.firefox import OLDEST, OLDEST_WITHOUT_PROXY, STOCK, find_firefox
from pwtui.protocol.errors import BrowserLaunchFailed, InvalidInput
from pwtui.protocol.extras import install_command

Install = Callable[[str, object], Path]
NONE = Path("/nonexistent/firefox")


def firefox_options(
    playwrights: Path, named: Path | None = None, channel: str | None = None
) -> dict[str, Any]:
    """The options to launch what is found; none for Playwright's own build."""
    found = find_firefox(playwrights, named, channel)
    return found.options if found else {}


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts programs on PATH, which has nothing else, that report a version as Firefox does."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("PWTUI_FIREFOX", raising=False)

    def put(name: str, version: object) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\necho 'Mozilla Firefox {version}'\n")
        path.chmod(0o755)
        return path

    return put


def test_playwrights_own_firefox_comes_first(install: Install) -> None:
    own = install("own/firefox", "159.0")
    install("firefox", "159.0")

    assert firefox_options(own) == {}


def test_a_stock_firefox_is_driven_without_a_back_forward_cache(install: Install) -> None:
    stock = install("firefox", f"{OLDEST_WITHOUT_PROXY}.0.1")

    assert firefox_options(NONE) == {
        "channel": STOCK,
        "executable_path": stock,
        "firefox_user_prefs": {"browser.sessionhistory.max_total_viewers": 0},
    }


def test_the_channel_chooses_a_stock_firefox_beside_playwrights(install: Install) -> None:
    own = install("own/firefox", "159.0")
    beta = install("firefox-beta", "160.0b3")
    install("firefox", "159.0")

    assert firefox_options(own, channel="moz-firefox-beta")["executable_path"] == beta
    with pytest.raises(BrowserLaunchFailed, match="moz-firefox-nightly was not found"):
        firefox_options(own, channel="moz-firefox-nightly")
    with pytest.raises(InvalidInput, match="'chrome' is no channel of Firefox"):
        firefox_options(own, channel="chrome")


def test_the_setting_wins_over_the_variable_and_the_variable_over_what_is_found(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = install("own/firefox", "159.0")
    install("firefox", "159.0")
    variable, setting = install("variable", "160.0"), install("setting", "161.0")
    monkeypatch.setenv("PWTUI_FIREFOX", str(variable))

    assert firefox_options(own)["executable_path"] == variable
    assert firefox_options(own, setting)["executable_path"] == setting
    assert firefox_options(own, own) == {}


def test_a_variable_that_names_no_program_is_reported(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PWTUI_FIREFOX", "/nonexistent/ff")

    with pytest.raises(BrowserLaunchFailed, match="PWTUI_FIREFOX names '/nonexistent/ff'"):
        firefox_options(NONE)


def test_another_program_is_reported() -> None:
    with pytest.raises(BrowserLaunchFailed, match="is not a Firefox"):
        firefox_options(NONE, Path(sys.executable))


def test_an_old_firefox_is_reported_with_what_to_do(install: Install) -> None:
    old = install("firefox", f"{OLDEST - 13}.2.0esr")

    with pytest.raises(BrowserLaunchFailed) as caught:
        firefox_options(NONE)

    assert caught.value.message == (
        f"Firefox {OLDEST - 13}.2.0esr ({old}) is too old: Firefox {OLDEST} or later is needed"
    )
    assert f"`{install_command('firefox')}`" in (caught.value.hint or "")


def test_an_old_firefox_beside_a_newer_one_is_passed_over(install: Install) -> None:
    install("firefox", OLDEST - 1)
    newer = install("firefox-esr", OLDEST_WITHOUT_PROXY)

    assert firefox_options(NONE)["executable_path"] == newer


@pytest.mark.parametrize("version", [f"{OLDEST}.7.0esr", f"{OLDEST_WITHOUT_PROXY - 1}.0"])
def test_a_firefox_without_media_features_runs_behind_the_proxy(
    install: Install, version: str
) -> None:
    stock = install("firefox", version)

    program = firefox_options(NONE)["executable_path"]

    assert program != stock
    assert program.stat().st_mode & 0o777 == 0o700
    assert f"firefox_proxy {stock} " in program.read_text()
    assert firefox_options(NONE)["executable_path"] == program


def test_without_any_firefox_the_remedy_is_shown(install: Install) -> None:
    if os.access("/snap/bin/firefox", os.X_OK):
        pytest.skip("this machine has the snap")

    with pytest.raises(BrowserLaunchFailed, match="firefox was not found") as caught:
        firefox_options(NONE)

    assert "PWTUI_FIREFOX" in (caught.value.hint or "")
