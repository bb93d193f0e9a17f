"""Processes: whether they are still the ones we mean, what they use, how they end."""

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

# Clocks differ a little between ways of asking when a process began.
SAME_START_SECONDS = 2.0
END_SECONDS = 3.0
# How Chromium, Firefox and WebKit are asked to be driven.
_DRIVEN = ("--remote-debugging-", "-juggler", "--inspector-pipe")


def chromium_command(executable: Path, user_data_dir: Path, *, headless: bool) -> list[str]:
    """The command that starts a Chromium with a profile in this folder, without its first steps."""
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
    stderr: int | IO[bytes] = subprocess.DEVNULL,
    cwd: str | None = None,
) -> subprocess.Popen[bytes]:
    """Start a process that outlives this one."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        start_new_session=True,
        cwd=cwd,
    )
    # Reaped when it ends before us, or it stays as a zombie.
    threading.Thread(target=process.wait, daemon=True, name="reaper").start()
    return process


def started_at(pid: int) -> float | None:
    """When the process began; None when there is none."""
    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return None


def is_running(pid: int) -> bool:
    """Whether there is a process with this id that has not exited."""
    with suppress(psutil.Error):
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    return False


def is_same_process(pid: int, began: float) -> bool:
    """Whether the pid still belongs to the process that began then, and not to a later one."""
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        is_same = abs(process.create_time() - began) < SAME_START_SECONDS
        return bool(is_same and process.status() != psutil.STATUS_ZOMBIE)
    return False


def is_browser(pid: int) -> bool:
    """Whether the process was started as a browser that is driven by another program."""
    try:
        arguments = psutil.Process(pid).cmdline()
    except psutil.Error:
        return False
    return any(argument.startswith(_DRIVEN) for argument in arguments)


def child_processes() -> set[psutil.Process]:
    """The processes that this one started itself."""
    return set(psutil.Process().children())


def child_is_running(process: psutil.Process) -> bool:
    """Whether a child process runs; with one system call if possible, as each request asks."""
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
    """All processes of the machine, read in one pass: asking for the children of one reads all."""

    def __init__(self) -> None:
        self.processes: dict[int, psutil.Process] = {}
        self._children: dict[int, list[int]] = {}
        for process in psutil.process_iter(["ppid"]):
            self.processes[process.pid] = process
            self._children.setdefault(self.parent(process), []).append(process.pid)

    @staticmethod
    def parent(process: psutil.Process) -> int:
        return int(process.info["ppid"] or 0)

    def memory(self, pid: int) -> int | None:
        """Bytes of memory that the process and its children have to themselves."""
        if pid not in self.processes:
            return None
        total, members = 0, [pid]
        for each in members:
            members += self._children.get(each, ())
            with suppress(psutil.Error):
                info = self.processes[each].memory_info()
                total += info.rss - getattr(info, "shared", 0)
        return total

    def age(self, pid: int) -> float | None:
        with suppress(psutil.Error, KeyError):
            return round(time.time() - self.processes[pid].create_time(), 1)
        return None


async def end_process(pid: int, *, grace: float = END_SECONDS) -> None:
    """End a process and its children: first politely, then by force."""
    members = _tree(pid)
    for root in members[:1]:
        with suppress(psutil.NoSuchProcess):
            root.terminate()
    _, alive = await asyncio.to_thread(psutil.wait_procs, members, timeout=grace)
    for survivor in alive:
        kill_tree(survivor.pid)


def kill_tree(pid: int) -> None:
    """End a process and its children by force, a stopped process included."""
    for process in _tree(pid):
        with suppress(psutil.NoSuchProcess, ProcessLookupError, PermissionError):
            if os.getsid(process.pid) == process.pid:
                # With all that it has forked since we looked.
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()


def release_memory() -> None:
    """Hand free memory back to the system, which the C library may keep for good."""
    gc.collect()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def _tree(pid: int) -> list[psutil.Process]:
    """The process, then its children; nothing when there is none."""
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []
