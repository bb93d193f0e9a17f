"""The terminal of a command: this process's own, or one whose output is captured."""

from __future__ import annotations

import asyncio
import stat
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pwtui.cli.fast_path import terminal_columns
from pwtui.cli.stdin import read_stdin, wait_for_enter
from pwtui.protocol.errors import IoError
from pwtui.protocol.printable import printable
from pwtui.state.workspace import Workspace


class RunInClient(Exception):
    """The command must run in the client's own process."""


class Terminal(Protocol):
    """Results go to stdout, everything else to stderr; no text can steer the terminal."""

    columns: int
    """The width of the terminal that stdout is; 0 when it is none."""
    cwd: Path
    workspace: Workspace

    @property
    def is_tty(self) -> bool:
        return self.columns > 0

    def out(self, text: str) -> None:
        """Print text for people."""
        self.write(printable(text))

    def data(self, text: str) -> None:
        """Print JSON or a file's content: programs get it as it is."""
        self.write(printable(text) if self.is_tty else text)

    def err(self, text: str) -> None:
        self.write_error(printable(text))

    def show(self, text: str) -> None:
        self.err(text)

    def write(self, text: str) -> None: ...

    def write_error(self, text: str) -> None: ...

    async def wait_for_enter(self) -> None: ...

    async def read_stdin(self) -> bytes: ...

    def read_file(self, path: Path) -> bytes: ...


@dataclass
class RealTerminal(Terminal):
    """This process's own stdout and stderr, flushed line by line."""

    columns: int = field(default_factory=terminal_columns)
    cwd: Path = field(default_factory=Path.cwd)
    workspace: Workspace = field(default_factory=Workspace.locate)

    def write(self, text: str) -> None:
        try:
            # Lone surrogates are legal in JSON strings, and no reason to lose an answer.
            sys.stdout.buffer.write((text + "\n").encode("utf-8", "replace"))
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            sys.stdout = None  # what is in its buffer cannot be written at the end either
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


@dataclass
class CapturedTerminal(Terminal):
    """Captures the output of a command for a client that prints it."""

    columns: int
    cwd: Path
    workspace: Workspace
    output: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def write(self, text: str) -> None:
        self.output.append(text)

    def write_error(self, text: str) -> None:
        self.errors.append(text)

    async def wait_for_enter(self) -> None:
        # No key can be pressed here: commands that ask for one run in the client.
        await asyncio.Event().wait()

    async def read_stdin(self) -> bytes:
        raise RunInClient

    def read_file(self, path: Path) -> bytes:
        """Only regular files, which are the same for every process: no pipes, no /dev/stdin."""
        is_own = str(path).startswith(("/dev/", "/proc/"))
        if is_own or not stat.S_ISREG(path.stat().st_mode):
            raise RunInClient
        return path.read_bytes()
