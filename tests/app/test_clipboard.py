"""Where a copied text goes."""

from __future__ import annotations

from pathlib import Path

import pyperclip
import pytest

from pwtui.app.clipboard import LONGEST_OSC52, copy


@pytest.fixture(autouse=True)
def bare_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither tmux nor a display."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for name in ("TMUX", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")


def fake_tmux(folder: Path, code: int) -> Path:
    received = folder / "received"
    (folder / "tmux").write_text(
        f'#!/bin/sh\necho "$@" > {received}\ncat >> {received}\nexit {code}\n'
    )
    (folder / "tmux").chmod(0o755)
    return received


def test_a_terminal_alone_gets_a_sequence_up_to_its_limit() -> None:
    written: list[str] = []

    assert copy("Grüße", written.append) == "the terminal (OSC 52)"
    assert written == ["Grüße"]
    with pytest.raises(ValueError, match=r"60,001 characters\); use export"):
        copy("x" * (LONGEST_OSC52 + 1), written.append)
    assert len(written) == 1


@pytest.mark.parametrize(("code", "place"), [(0, "the tmux buffer"), (1, "the terminal (OSC 52)")])
def test_tmux_gets_the_text_in_its_buffer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int, place: str
) -> None:
    received = fake_tmux(tmp_path, code)
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")
    written: list[str] = []

    assert copy("Grüße \ud800", written.append) == place
    assert received.read_text() == "load-buffer -w -\nGrüße ?"
    assert written == (["Grüße \ud800"] if code else [])


@pytest.mark.parametrize("display", ["DISPLAY", "WAYLAND_DISPLAY"])
def test_a_display_has_a_clipboard_if_a_program_for_it_is_installed(
    monkeypatch: pytest.MonkeyPatch, display: str
) -> None:
    monkeypatch.setenv(display, ":0")
    kept: list[str] = []
    written: list[str] = []
    monkeypatch.setattr(pyperclip, "copy", kept.append)

    assert copy("x" * (LONGEST_OSC52 + 1), written.append) == "the clipboard"
    assert (len(kept), written) == (1, [])

    def fails(text: str) -> None:
        raise pyperclip.PyperclipException

    monkeypatch.setattr(pyperclip, "copy", fails)
    assert copy("short", written.append) == "the terminal (OSC 52)"
    assert written == ["short"]
