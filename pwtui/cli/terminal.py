"""The terminal of a command: that of this process, or one that captures the output."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from pwtui.cli.fast_path import terminal_columns
from pwtui.cli.stdin import read_stdin, wait_for_enter
from pwtui.protocol.errors import IoError
from pwtui.protocol.printable import printable
from pwtui.state.workspace import Workspace

Style = Literal["red", "green", "yellow"]
_STYLES: Mapping[Style, int] = {"red": 31, "green": 32, "yellow": 33}
_FIRST_WORD = re.compile(r"\w+")


class RunInClient(Exception):
    """The command must run in the process of the client."""


class Terminal(Protocol):
    """Results go to stdout, everything else to stderr; no text can control the terminal.

    A style colours the first word of a text, such as PASS or an error code.
    """

    columns: int
    """The width of the terminal; 0 when stdout is not a terminal."""
    errors_on_terminal: bool
    environment: Mapping[str, str]
    color: Literal["auto", "always", "never"]
    cwd: Path
    workspace: Workspace

    @property
    def is_tty(self) -> bool:
        return self.columns > 0

    def out(self, text: str, style: Style | None = None) -> None:
        """Print text, with control characters escaped."""
        self.write(self._painted(printable(text), style, on_terminal=self.is_tty))

    def page(self, text: str) -> None:
        """Print text that may be longer than the screen."""
        self.out(text)

    def data(self, text: str) -> None:
        """Print JSON or file content, unchanged unless to a terminal."""
        self.write(printable(text) if self.is_tty else text)

    def err(self, text: str, style: Style | None = None) -> None:
        painted = self._painted(printable(text), style, on_terminal=self.errors_on_terminal)
        self.write_error(painted)

    def show(self, text: str) -> None:
        self.err(text)

    def _painted(self, text: str, style: Style | None, *, on_terminal: bool) -> str:
        if style is None or self.color == "never":
            return text
        known = self.environment
        if self.color == "auto" and (
            not on_terminal or known.get("NO_COLOR") or known.get("TERM") == "dumb"
        ):
            return text
        return _FIRST_WORD.sub(lambda word: f"\x1b[{_STYLES[style]}m{word[0]}\x1b[0m", text, 1)

    def write(self, text: str) -> None: ...

    def write_error(self, text: str) -> None: ...

    async def wait_for_enter(self) -> None: ...

    async def read_stdin(self) -> bytes: ...

    def read_file(self, path: Path) -> bytes: ...


@dataclass(eq=False, repr=False)
class RealTerminal(Terminal):
    """Stdout and stderr of this process, flushed after each line."""

    columns: int = field(default_factory=terminal_columns)
    errors_on_terminal: bool = field(default_factory=lambda: os.isatty(2))
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    color: Literal["auto", "always", "never"] = "auto"
    pages: bool = True
    cwd: Path = field(default_factory=Path.cwd)
    workspace: Workspace = field(default_factory=Workspace.locate)

    def page(self, text: str) -> None:
        if self.is_tty and self.pages:
            from pwtui.cli.pager import page

            if page(f"{printable(text)}\n".encode()):
                return
        self.out(text)

    def write(self, text: str) -> None:
        try:
            # JSON strings may have lone surrogates, which UTF-8 cannot encode.
            sys.stdout.buffer.write((text + "\n").encode("utf-8", "replace"))
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            sys.stdout = None  # or the exit would fail to flush its buffer
            raise IoError.of("write to stdout", error) from None

    def write_error(self, text: str) -> None:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    async def wait_for_enter(self) -> None:
        await wait_for_enter()

    async def read_stdin(self) -> bytes:
        return await read_stdin()

    def read_file(self, path: Path) -> bytes:
        return path.read_bytes()


@dataclass(eq=False, repr=False)
class CapturedTerminal(Terminal):
    """Captures the output of a command for a client that prints it."""

    columns: int
    errors_on_terminal: bool
    environment: Mapping[str, str]
    cwd: Path
    workspace: Workspace
    color: Literal["auto", "always", "never"] = "auto"
    output: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def write(self, text: str) -> None:
        self.output.append(text)

    def write_error(self, text: str) -> None:
        self.errors.append(text)

    async def wait_for_enter(self) -> None:
        # Never called: commands that wait for a key run in the client.
        await asyncio.Event().wait()

    async def read_stdin(self) -> bytes:
        raise RunInClient

    def read_file(self, path: Path) -> bytes:
        """Read a regular file; /dev/stdin or a pipe is another one in the client."""
        is_own = str(path).startswith(("/dev/", "/proc/"))
        if is_own or not stat.S_ISREG(path.stat().st_mode):
            raise RunInClient
        return path.read_bytes()
