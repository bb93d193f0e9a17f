"""The panel in a real terminal: keys and mouse as bytes, and the state after exit."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from tests.daemon.house import House, eventually, is_running
from tests.waiting import LIMIT

PANEL = [sys.executable, "-m", "pwtui.cli.panel"]


class Terminal:
    """A separate tmux server with one window."""

    def __init__(self, folder: Path, width: int = 120, height: int = 40) -> None:
        tmux = shutil.which("tmux")
        if not tmux:
            pytest.skip("tmux is not installed: no real terminal")
        self._tmux = [tmux, "-S", str(folder / "tmux"), "-f", os.devnull]
        self._size = (width, height)
        self._exit_file = folder / "exit"

    def start(self, command: list[str], environment: dict[str, str], folder: Path) -> None:
        # Not the user's own shell, and one that Ctrl+C does not end.
        line = f"trap : INT; {shlex.join(command)}; echo $? > {shlex.quote(str(self._exit_file))}"
        width, height = self._size
        size = ["-x", str(width), "-y", str(height)]
        shell = ["sh", "-c", f"{line}; sleep 600"]
        self._ask("new-session", "-d", *size, "-c", str(folder), *shell, env=environment)

    def end(self) -> None:
        with suppress(subprocess.CalledProcessError):
            self._ask("kill-server")

    def keys(self, *keys: str) -> None:
        self._ask("send-keys", *keys)

    def type(self, text: str) -> None:
        self._ask("send-keys", "-l", text)

    def paste(self, text: str) -> None:
        """As a terminal does that marks what is pasted."""
        self._ask("set-buffer", text)
        self._ask("paste-buffer", "-p")

    @property
    def screen(self) -> str:
        return self._ask("capture-pane", "-p")

    def _ask(self, *command: str, env: dict[str, str] | None = None) -> str:
        done = subprocess.run(
            [*self._tmux, *command],
            env=env,
            check=True,
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
        return done.stdout

    def until(self, text: str) -> None:
        self.until_match(re.escape(text))

    def until_match(self, pattern: str) -> None:
        try:
            eventually(lambda: re.search(pattern, self.screen), f"{pattern!r} on the screen")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.screen}") from None

    def exit_code(self) -> int:
        """Of the command, once it has ended."""

        def is_written() -> bool:
            return self._exit_file.exists() and self._exit_file.read_text().endswith("\n")

        eventually(is_written, "the command has ended")
        return int(self._exit_file.read_text())

    def click(self, x: int, y: int) -> None:
        """Press the left button at a cell, counted from zero."""
        for end in "Mm":
            self.type(f"\x1b[<0;{x + 1};{y + 1}{end}")

    def click_text(self, pattern: str) -> None:
        """Where the first match begins on the screen."""
        for y, line in enumerate(self.screen.splitlines()):
            if found := re.search(pattern, line):
                self.click(found.start(1), y)
                return
        raise AssertionError(f"no {pattern!r} on the screen:\n{self.screen}")


@pytest.fixture
def house() -> Iterator[House]:
    with House() as own:
        own.more_environment["XDG_CONFIG_HOME"] = str(own.folder / "config")
        own.more_environment["TERM"] = "xterm-256color"
        yield own


@contextmanager
def terminal(house: House, *arguments: str) -> Iterator[Terminal]:
    folder = Path(tempfile.mkdtemp(prefix="pwt-"))
    window = Terminal(folder)
    environment = house.environment()
    for name in ("TMUX", "TMUX_PANE", "PW_WORKSPACE_ROOT", "COLUMNS", "LINES"):
        environment.pop(name, None)
    try:
        window.start([*PANEL, *arguments], environment, house.root)
        yield window
    finally:
        window.end()
        shutil.rmtree(folder, ignore_errors=True)


def test_without_a_terminal_the_panel_is_wrong_usage_and_names_serve() -> None:
    done = subprocess.run(
        PANEL, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, check=False
    )

    assert done.returncode == 2
    assert "no terminal" in done.stderr
    assert "--serve" in done.stderr
    assert "\x1b" not in done.stderr + done.stdout


def test_the_demo_is_used_by_mouse_and_keys_and_leaves_nothing_behind(house: House) -> None:
    with terminal(house, "--demo") as window:
        window.until('link "Journal"')
        window.until("navigate")

        window.click_text(r'link "Journal".*  (e\d+)')
        window.until("How to keep a loaf")
        window.until_match(r"✓ +\S+ +pwtui +demo +click")

        # One burst, as from a paste or a slow line: all of it belongs to the prompt.
        home = re.search(r"http://127\.0\.0\.1:\d+/", window.screen)
        assert home is not None
        fixed = [
            "?wrong",
            *["BSpace"] * 5,
            "typo",
            *["BSpace"] * 4,
            "y=R/Q",
            *["Left"] * 5,
            "DC",
            "x",
        ]
        window.keys("u", "Home", "C-k", home[0], *fixed, "Enter")
        window.until_match(r"(?s)demo +click.*✓ +\S+ +pwtui +demo +navigate")

        window.keys("x")
        window.until("Export NDJSON")
        window.keys("r")
        window.until("session.ndjson")
        window.keys("Enter")
        exported = house.root / "session.ndjson"
        eventually(exported.exists, "the export")
        window.until("Exported 3 lines to")
        lines = [json.loads(line) for line in exported.read_text(encoding="utf-8").splitlines()]
        assert [each["op"] for each in lines] == ["navigate", "click", "navigate"]
        assert lines[2]["input"]["url"].endswith("?x=R/Q")
        assert "Journal" in lines[1]["input"]["selector"]
        assert len(house.browsers()) == 1

        window.keys("Q")

        assert window.exit_code() == 0
        eventually(lambda: not house.browsers(), "its browser has ended")


def test_a_recording_survives_the_panel_being_killed(house: House) -> None:
    with terminal(house) as window:
        window.until("● running")
        window.keys("R")
        window.until("rec 0")
        response = house.thin("exec", "profile.list")
        assert response.code == 0, response
        assert house.thin("exec", "profile.show", "--input", '{"name":"default"}').code == 0
        window.until("rec 2")
        panels = [each for each in house.processes() if "pwtui.cli.panel" in each.cmdline()]
        panel = max(panels, key=psutil.Process.create_time)

        panel.send_signal(signal.SIGKILL)

        eventually(lambda: not is_running(panel), "the panel has exited")
        recordings = list(house.root.rglob("session-*.ndjson"))
        assert len(recordings) == 1
        text = recordings[0].read_text(encoding="utf-8")
        assert text.endswith("\n")
        lines = [json.loads(line) for line in text.splitlines()]
        assert [each["request"]["op"] for each in lines] == ["profile.list", "profile.show"]
        assert all(each["response"]["ok"] for each in lines)
