"""The panel in a real terminal: a separate tmux server, and what it shows."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.daemon.house import House, eventually
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

    def resize(self, width: int, height: int) -> None:
        self._ask("resize-window", "-x", str(width), "-y", str(height))

    @property
    def has_exited(self) -> bool:
        return self._exit_file.exists()

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


@contextmanager
def terminal(house: House, *arguments: str, command: Sequence[str] = PANEL) -> Iterator[Terminal]:
    folder = Path(tempfile.mkdtemp(prefix="pwt-"))
    window = Terminal(folder)
    environment = house.environment()
    for name in ("TMUX", "TMUX_PANE", "PW_WORKSPACE_ROOT", "COLUMNS", "LINES"):
        environment.pop(name, None)
    try:
        window.start([*command, *arguments], environment, house.root)
        yield window
    finally:
        window.end()
        shutil.rmtree(folder, ignore_errors=True)
