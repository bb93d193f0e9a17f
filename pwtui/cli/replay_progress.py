"""The progress of a replay, on a terminal only: a line for each worker."""

from __future__ import annotations

import shutil
import sys

from pwtui.cli.terminal import Terminal
from pwtui.protocol.printable import one_line
from pwtui.recordings.replay import StepResult

BAR = 20


class ProgressLines:
    """Lines at the bottom of the terminal that are replaced, and removed at the end."""

    def __init__(self, terminal: Terminal, count: int, *, drawn: bool) -> None:
        self._lines = [""] * count
        self._draws = drawn and terminal.errors_on_terminal
        self._shown = 0
        """How many lines are on the screen now."""

    def show(self, line: int, text: str) -> None:
        if self._draws:
            self._lines[line] = one_line(text)
            self.clear()
            width, height = shutil.get_terminal_size()
            shown = [each[: width - 1] for each in self._lines if each][: height - 1]
            sys.stderr.write("\n".join(shown))
            sys.stderr.flush()
            self._shown = len(shown)

    def clear(self) -> None:
        """Remove the lines, before something else is printed."""
        if self._shown:
            sys.stderr.write("\r\x1b[K" + "\x1b[A\x1b[K" * (self._shown - 1))
            sys.stderr.flush()
            self._shown = 0


class ReplayProgress:
    """Shows the next step of a recording; with --step, waits for Enter before it."""

    def __init__(
        self, terminal: Terminal, name: str, lines: ProgressLines, line: int = 0, *, stepping: bool
    ) -> None:
        self._terminal = terminal
        self._name = name
        self._lines = lines
        self._line = line
        self._stepping = stepping

    async def before(self, number: int, count: int, line: str) -> None:
        if self._stepping:
            self._terminal.err(f"[{number}/{count}] {line}    (Enter: run it, Ctrl+C: stop)")
            await self._terminal.wait_for_enter()
        else:
            done = number - 1
            filled = BAR * done // max(1, count)
            bar = "█" * filled + "░" * (BAR - filled)
            self._lines.show(self._line, f"{bar} {done}/{count} {self._name}: {line}")

    def after(self, result: StepResult) -> None:
        if self._stepping:
            self._terminal.err(f"  {result.outcome} {result.reason}".rstrip())

    def end(self) -> None:
        self._lines.show(self._line, "")
