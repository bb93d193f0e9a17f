"""A shell at a terminal, in which the commands of one page run one after the other."""

from __future__ import annotations

import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import tty
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path

from tests.waiting import LIMIT

MARK = "\x1e"
END = f"__end() {{ local code=$?; printf '{MARK}%s{MARK}' $code; return $code; }}\n"
SECONDS = 150.0
COLUMNS = 120


@dataclass(frozen=True)
class Result:
    output: str
    code: int


def run(
    commands: Sequence[str], folder: Path, environment: Mapping[str, str], mapped: Mapping[str, str]
) -> list[Result]:
    """What each command prints at a terminal; addresses of the docs stand for those in `mapped`."""
    script = END + "".join(f"{command}\n__end\n" for command in commands)
    for documented, real in mapped.items():
        script = script.replace(documented, real)
    terminal, side = pty.openpty()
    tty.setraw(side)
    ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {"PATH": path, "NO_COLOR": "1", "PAGER": "cat", "TERM": "xterm-256color"}
    process = subprocess.Popen(
        ["bash", "-c", script],
        stdin=subprocess.DEVNULL,
        stdout=side,
        stderr=side,
        cwd=folder,
        env={**environment, **settings},
        start_new_session=True,
    )
    os.close(side)
    limit = threading.Timer(SECONDS, os.killpg, (process.pid, signal.SIGKILL))
    limit.start()
    shown = _read_all(terminal)
    process.wait(LIMIT)
    limit.cancel()
    for documented, real in mapped.items():
        shown = shown.replace(real, documented)
    *parts, rest = re.split(f"{MARK}(\\d+){MARK}", shown)
    results = [Result(*each) for each in zip(parts[::2], map(int, parts[1::2]), strict=True)]
    if len(results) < len(commands):
        results.append(Result(f"{rest}\n(ended here)", process.returncode))
    return results


def _read_all(terminal: int) -> str:
    shown = b""
    try:
        while chunk := os.read(terminal, 65536):
            shown += chunk
    except OSError:
        pass  # how the end of a terminal reads on Linux
    os.close(terminal)
    return shown.decode()
