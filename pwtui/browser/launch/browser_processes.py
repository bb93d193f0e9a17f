"""The browsers in the process table: how each was started, by whom, and whether it is in use."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pwtui.browser.launch.processes import ProcessTable, is_driven

BUSY_SHARE = 0.03
"""A browser that uses less of a processor is idle; one without a page uses about a hundredth."""
MOST_PROGRAMS = 4
# The first process of a container may be the program itself.
_INTERPRETERS = ("node", "python", "java", "ruby", "dotnet", "deno", "bun", "go")
_ENGINES = {"firefox": "firefox", "pw_run": "webkit", "minibrowser": "webkit", "webkit": "webkit"}


class BrowserProcess(NamedTuple):
    """A browser that was started for automation."""

    pid: int
    engine: str
    has_pipe: bool
    """Only the program that started it can reach it."""
    is_headless: bool


def browser_processes(processes: ProcessTable) -> dict[int, BrowserProcess]:
    """The main processes of browsers by their ids."""
    found = {
        pid: _described(pid, arguments)
        for pid in processes.processes
        if is_driven(arguments := processes.command(pid))
    }
    # A wrapper (xvfb-run) has the same arguments.
    wrappers = {parent for pid in found for parent in processes.ancestors(pid) if parent in found}
    return {pid: each for pid, each in found.items() if pid not in wrappers}


def programs_of(pid: int, processes: ProcessTable) -> list[str]:
    """The names of the programs that started a process, the nearest first."""
    names: list[str] = []
    for each in processes.ancestors(pid):
        command = processes.command(each)
        name = None if "run-driver" in command else command_name(command)
        if name is not None and name not in names:
            names.append(name)
    return names[:MOST_PROGRAMS]


def is_orphan(browser: BrowserProcess, processes: ProcessTable) -> bool:
    """Whether the program that started a browser without a window has exited.

    One with a window may have been started by a person, from a menu that has exited as well.
    """
    if not browser.is_headless or (process := processes.processes.get(browser.pid)) is None:
        return False
    parent = processes.parent(process)
    command = processes.command(parent)
    name = Path(command[0]).name if command else ""
    if parent > 1:
        return name in ("systemd", "launchd") and "--user" in command
    return not name.startswith(_INTERPRETERS)


def command_name(command: Sequence[str]) -> str | None:
    """The names of a program and its script, without arguments, which may hold secrets."""
    if not command or not command[0]:
        return None
    names = [Path(command[0]).name]
    if command[1:2] == ["-m"] and len(command) > 2:
        names += ["-m", command[2]]
    elif "-c" not in command[1:3]:
        names += [Path(part).name for part in command[1:] if not part.startswith("-")][:1]
    return "pwtui" if "pwtui.worker_process" in names else " ".join(names)


class IdleTimes:
    """How long browsers have hardly used the processor, by comparing each look with the last."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, float], tuple[float, float, float]] = {}
        """By process id and start time: when, the seconds used until then, and when it was busy."""

    def update(self, pids: Sequence[int], processes: ProcessTable) -> dict[int, float]:
        """The seconds since each process was busy, 0 at the first look."""
        now = time.monotonic()
        seen, idle = {}, {}
        for pid in pids:
            began = processes.started_at(pid)
            if began is None:
                continue
            key = (pid, began)
            used = processes.processor_seconds(pid)
            at, before, busy_at = self._seen.get(key, (now, used, now))
            if used - before > BUSY_SHARE * (now - at):
                busy_at = now
            # Looks in quick succession would see too little of it.
            if now - at >= 1.0 or key not in self._seen:
                at, before = now, used
            seen[key] = (at, before, busy_at)
            idle[pid] = round(now - busy_at, 1)
        self._seen = seen
        return idle


def _described(pid: int, arguments: Sequence[str]) -> BrowserProcess:
    name = Path(arguments[0]).name.lower()
    engine = next((engine for part, engine in _ENGINES.items() if part in name), "chromium")
    return BrowserProcess(
        pid=pid,
        engine=engine,
        has_pipe=any(each.endswith(("-pipe", "-juggler-pipe")) for each in arguments)
        and not any(each.startswith("--remote-debugging-port") for each in arguments),
        is_headless="headless" in name.replace("_", "-")
        or any(each.lstrip("-").partition("=")[0] == "headless" for each in arguments),
    )
