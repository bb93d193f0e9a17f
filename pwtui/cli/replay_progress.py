"""The progress bar of a replay, on a terminal only."""

from __future__ import annotations

import shutil
import sys

from pwtui.cli.terminal import Terminal
from pwtui.protocol.printable import one_line
from pwtui.recordings.replay import StepResult

BAR = 20


class ReplayProgress:
    """Shows the next step; with --step, waits for Enter before it."""

    def __init__(self, terminal: Terminal, name: str, *, stepping: bool, quiet: bool) -> None:
        self._terminal = terminal
        self._name = name
        self._stepping = stepping
        self._drawn = False
        self._draws = terminal.errors_on_terminal and not stepping and not quiet

    async def before(self, number: int, count: int, line: str) -> None:
        if self._stepping:
            self._terminal.err(f"[{number}/{count}] {line}    (Enter: run it, Ctrl+C: stop)")
            await self._terminal.wait_for_enter()
        elif self._draws:
            self._draw(number - 1, count, line)

    def after(self, result: StepResult) -> None:
        if self._stepping:
            self._terminal.err(f"  {result.outcome} {result.reason}".rstrip())

    def end(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _draw(self, done: int, count: int, line: str) -> None:
        filled = BAR * done // max(1, count)
        bar = "█" * filled + "░" * (BAR - filled)
        text = f"{bar} {done}/{count} {self._name}: {line}"
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r\x1b[K{one_line(text)[:width]}")
        sys.stderr.flush()
        self._drawn = True
