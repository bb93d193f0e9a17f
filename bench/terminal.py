"""Runs a program in a pseudo terminal and measures the time from a key to its paint."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Sequence
from pathlib import Path

SIZE = (120, 40)


class Terminal:
    """A program in a pseudo terminal, and its output."""

    def __init__(self, command: Sequence[str]) -> None:
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
            os.execvpe(command[0], list(command), environment)
        size = struct.pack("HHHH", SIZE[1], SIZE[0], 0, 0)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, size)
        self.written = bytearray()

    def read(self, seconds: float) -> None:
        ready, _, _ = select.select([self.descriptor], [], [], seconds)
        if ready:
            data = os.read(self.descriptor, 1 << 16)
            if b"\x1b[?2026$p" in data:
                os.write(self.descriptor, b"\x1b[?2026;2$y")
            self.written += data

    def wait_for(self, pattern: bytes, start: int, seconds: float = 30) -> re.Match[bytes]:
        end = time.perf_counter() + seconds
        while (found := re.search(pattern, self.written[start:])) is None:
            if time.perf_counter() > end:
                raise TimeoutError(f"{pattern!r} was not painted: {bytes(self.written[-300:])!r}")
            self.read(0.5)
        return found

    def press(self, key: bytes, pattern: bytes) -> float:
        """Milliseconds from the key to its effect on the screen."""
        start, started = len(self.written), time.perf_counter()
        os.write(self.descriptor, key)
        self.wait_for(pattern, start)
        return (time.perf_counter() - started) * 1000

    def rest(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.read(0.02)

    def soak(self, what: str, key: bytes, pattern: bytes, seconds: float) -> str:
        """Press a key repeatedly; returns the times to the paint, CPU use and output rate."""
        cpu, started, written = self.cpu_seconds(), time.perf_counter(), len(self.written)
        times = []
        while time.perf_counter() - started < seconds:
            times.append(self.press(key, pattern))
            self.rest(0.07)
        took = time.perf_counter() - started
        times.sort()
        return (
            f"{what:28} p50 {times[len(times) // 2]:5.0f} ms  "
            f"p95 {times[int(len(times) * 0.95)]:5.0f} ms  max {times[-1]:5.0f} ms  "
            f"cpu {(self.cpu_seconds() - cpu) / took:4.0%}  "
            f"{(len(self.written) - written) / took / 1000:4.0f} kB/s"
        )

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)
        os.close(self.descriptor)
