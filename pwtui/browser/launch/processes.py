"""Processes: identity, memory use, and how to end them."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import psutil

# The start time differs slightly between sources.
SAME_START_SECONDS = 2.0
END_SECONDS = 3.0
RELEASE_SECONDS, QUIET_SECONDS, RELEASE_WITHIN_SECONDS = 1.0, 0.1, 20.0
YOUNG_COLLECTIONS = 3
"""After more of them, what survived is collected, too; the collector itself waits much longer."""
LARGE_BYTES = 4 * 1024 * 1024
LARGE_BLOCK_BYTES = 1024 * 1024  # asyncio allocates 256 KiB for each read
M_MMAP_THRESHOLD = -3  # of malloc.h; macOS has no mallopt
# The automation flags of Chromium, Firefox and WebKit.
_DRIVEN = ("--remote-debugging-", "-juggler", "--inspector-pipe")
# The processes that it starts for pages and devices.
_CHILD = ("--type=", "-contentproc")


def chromium_command(executable: Path, user_data_dir: Path, *, headless: bool) -> list[str]:
    """The command that starts a Chromium with this profile folder, without the first-run page."""
    command = [
        str(executable),
        f"--user-data-dir={user_data_dir}",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-sync",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-quic",
    ]
    command += ["--headless=new"] * headless
    return command + ["--no-sandbox"] * (os.geteuid() == 0)


def start_detached(
    command: Sequence[str],
    *,
    stdout: int = subprocess.DEVNULL,
    stderr: int | IO[bytes] = subprocess.DEVNULL,
    cwd: str | None = None,
) -> subprocess.Popen[bytes]:
    """Start a process that outlives this one."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
        cwd=cwd,
    )
    # Waited for, or it stays a zombie if it exits first.
    threading.Thread(target=process.wait, daemon=True, name="reaper").start()
    return process


def started_at(pid: int) -> float | None:
    """The start time of a process; None if it does not exist."""
    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return None


def is_running(pid: int) -> bool:
    """Whether a process with this id is running."""
    with suppress(psutil.Error):
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    return False


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped by a signal; it does not continue by itself."""
    with suppress(psutil.Error):
        return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)
    return False


def is_same_process(pid: int, began: float) -> bool:
    """Whether the pid still belongs to the process with this start time."""
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        is_same = abs(process.create_time() - began) < SAME_START_SECONDS
        return bool(is_same and process.status() != psutil.STATUS_ZOMBIE)
    return False


def is_browser(pid: int) -> bool:
    """Whether the process is a browser that was started for automation."""
    try:
        return is_driven(psutil.Process(pid).cmdline())
    except psutil.Error:
        return False


def is_driven(arguments: Sequence[str]) -> bool:
    """Whether these are the arguments of such a browser's main process."""
    driven = any(argument.startswith(_DRIVEN) for argument in arguments)
    return driven and not any(each.startswith(_CHILD) for each in arguments)


def child_processes() -> set[psutil.Process]:
    """The direct children of this process."""
    return set(psutil.Process().children())


def child_is_running(process: psutil.Process) -> bool:
    """Whether a child process is running. Every request calls this: one system call if possible."""
    if hasattr(os, "waitid"):
        try:
            ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return False
        return ended is None
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


class ProcessTable:
    """All processes of the machine, read once: psutil reads all to find the children of one."""

    def __init__(self) -> None:
        self.processes: dict[int, psutil.Process] = {}
        self._children: dict[int, list[int]] = {}
        self._commands: dict[int, list[str]] = {}
        for process in psutil.process_iter(["ppid"]):
            self.processes[process.pid] = process
            self._children.setdefault(self.parent(process), []).append(process.pid)

    @staticmethod
    def parent(process: psutil.Process) -> int:
        return int(process.info["ppid"] or 0)

    def command(self, pid: int) -> list[str]:
        """The program and the arguments of a process; empty if they cannot be read."""
        if pid not in self._commands:
            self._commands[pid] = []
            with suppress(psutil.Error, OSError, KeyError):
                self._commands[pid] = self.processes[pid].cmdline()
        return self._commands[pid]

    def ancestors(self, pid: int) -> list[int]:
        """The parent of a process, its parent, and so on, without the first process."""
        found: list[int] = []
        while (process := self.processes.get(pid)) is not None:
            pid = self.parent(process)
            if pid <= 1 or pid in found:
                break
            found.append(pid)
        return found

    def tree(self, pid: int) -> list[psutil.Process]:
        """A process and its descendants."""
        members = [pid] if pid in self.processes else []
        for each in members:
            members += self._children.get(each, ())
        return [self.processes[each] for each in members]

    def memory(self, pid: int) -> int | None:
        """The private memory of a process and its children, in bytes."""
        members = self.tree(pid)
        total = 0
        for each in members:
            with suppress(psutil.Error):
                info = each.memory_info()
                total += info.rss - getattr(info, "shared", 0)
        return total if members else None

    def processor_seconds(self, pid: int) -> float:
        """The processor time that a process and its children have used."""
        total = 0.0
        for each in self.tree(pid):
            with suppress(psutil.Error):
                used = each.cpu_times()
                total += used.user + used.system
        return total

    def age(self, pid: int) -> float | None:
        began = self.started_at(pid)
        return None if began is None else round(time.time() - began, 1)

    def started_at(self, pid: int) -> float | None:
        with suppress(psutil.Error, KeyError):
            return float(self.processes[pid].create_time())
        return None


async def end_process(pid: int, *, grace: float = END_SECONDS) -> None:
    """Terminate a process and its children, then kill those that did not exit."""
    members = _tree(pid)
    for root in members[:1]:
        with suppress(psutil.NoSuchProcess):
            root.terminate()
    _, alive = await asyncio.to_thread(psutil.wait_procs, members, timeout=grace)
    for survivor in alive:
        kill_tree(survivor.pid)


def kill_tree(pid: int) -> None:
    """Kill a process and its children, including stopped processes."""
    for process in _tree(pid):
        with suppress(psutil.NoSuchProcess, ProcessLookupError, PermissionError):
            if os.getsid(process.pid) == process.pid:
                # With all that it has forked since we looked.
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()


def return_large_blocks() -> None:
    """Let the C library return each large block to the system as soon as it is freed.

    It does so at first, but keeps blocks of a size that was freed once, in a heap with gaps.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES)


def release_memory() -> None:
    """Return free memory to the system: the C library may keep it otherwise."""
    gc.collect()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


class MemoryRelease:
    """Releases memory when no reply was sent for a moment; several calls are combined."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._used = 0
        self._latest = 0.0
        self._last_reply = 0.0

    def after_reply(self, size: int) -> None:
        """Release what replies used, if that is worth the time; this one had so many bytes."""
        self._used += size
        self._last_reply = time.monotonic()
        if self._used > LARGE_BYTES or gc.get_count()[1] > YOUNG_COLLECTIONS:
            self.soon()

    def soon(self) -> None:
        if self._timer is None:
            self._latest = time.monotonic() + RELEASE_WITHIN_SECONDS
            self._wait(RELEASE_SECONDS)

    def _wait(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._release)

    def _release(self) -> None:
        now = time.monotonic()
        if now - self._last_reply < QUIET_SECONDS and now < self._latest:
            self._wait(QUIET_SECONDS)
            return
        self._timer, self._used = None, 0
        release_memory()


def _tree(pid: int) -> list[psutil.Process]:
    """The process, then its children; empty if it does not exist."""
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []
