"""Runs the `pw` command as a process, as a shell or another program does."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pwtui.state.files import write_json
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace
from tests.cli import forked

MODULE = [sys.executable, "-m", "pwtui.cli.main"]
INSTALLED = [
    sys.executable,
    "-c",
    "import sys; from pwtui.cli.fast_path import main; sys.exit(main())",
]


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The only response on stdout."""
        value: dict[str, Any] = json.loads(self.out)
        return value

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


class Pw:
    """Runs `pw` in a workspace, which also has its logs; without `daemon`, it finds no daemon."""

    def __init__(self, root: Path, daemon: Path | None = None) -> None:
        self.root = root.resolve()
        self.runtime_folder = daemon or self.root / "run"
        self.state_folder = self.root / "state"
        self.command = INSTALLED if daemon else MODULE

    def environment(self, **more: str) -> dict[str, str]:
        own = {
            "PW_WORKSPACE_ROOT": str(self.root),
            "XDG_STATE_HOME": str(self.state_folder),
            "PWTUI_RUNTIME_DIR": str(self.runtime_folder),
        }
        return {**os.environ, **own, **more}

    def without_daemon(self) -> Self:
        """Set `useDaemon: false` in the default profile."""
        folder = Profiles(Workspace(self.root)).folder("default")
        write_json(folder / "config.json", {"defaults": {"useDaemon": False}})
        return self

    def __call__(
        self,
        *arguments: str | bytes | Path,
        input: bytes = b"",
        environment: Mapping[str, str] | None = None,
        command: list[str] | None = None,
    ) -> Result:
        command = command or self.command
        env = self.environment(**(environment or {}))
        if command in (MODULE, INSTALLED):
            entry = "whole" if command == MODULE else "thin"
            code, out, err = forked.run(
                entry, arguments, input=input, cwd=self.root, env=env, timeout=90
            )
            return Result(code, out.decode(), err.decode())
        done = subprocess.run(
            [*command, *arguments],
            input=input,
            capture_output=True,
            cwd=self.root,
            env=env,
            timeout=90,
            check=False,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def each(self, commands: Iterable[Sequence[str | bytes | Path]]) -> list[Result]:
        """Run independent commands in parallel."""
        with ThreadPoolExecutor(max_workers=4) as pool:
            return list(pool.map(lambda arguments: self(*arguments), commands))

    def batch(self, *requests: dict[str, Any] | bytes, arguments: tuple[str, ...] = ()) -> Result:
        lines = [
            each if isinstance(each, bytes) else json.dumps(each).encode() for each in requests
        ]
        return self("batch", *arguments, input=b"".join(line + b"\n" for line in lines))

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self.command, *arguments],
            cwd=self.root,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=hear_interrupts,
        )


def at_a_terminal(
    pw: Pw, *arguments: str, columns: int = 80, environment: Mapping[str, str] | None = None
) -> tuple[int, bytes]:
    """Run `pw` at a terminal of 24 rows; its exit code and output."""
    terminal, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [*pw.command, *arguments],
        stdin=side,
        stdout=side,
        stderr=side,
        env=pw.environment(**(environment or {})),
        cwd=pw.root,
    ) as process:
        os.close(side)
        shown = b""
        try:
            while chunk := os.read(terminal, 4096):
                shown += chunk
        except OSError:
            pass  # how the end of a terminal reads on Linux
        os.close(terminal)
    return process.returncode, shown


def hear_interrupts() -> None:
    """Handle SIGINT as in a terminal; tests in the background ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
