"""A separate user for a test: folders, environment, and all processes in it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import psutil

from pwtui.state.workspace import Workspace
from tests.cli import forked
from tests.cli.pw import INSTALLED, Pw, Result, hear_interrupts
from tests.daemon.wire import Wire
from tests.waiting import eventually as eventually

T = TypeVar("T")

LONG = 60.0

# How far the clock of processes may be from the wall clock.
CLOCK_SECONDS = 5.0


class SessionProcesses(NamedTuple):
    browser: psutil.Process
    driver: psutil.Process
    worker: psutil.Process


class House(Pw):
    """Runs `pw` with a separate daemon. Its paths are short, as sockets require."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pwt-", dir="/tmp")).resolve()
        self._oldest = time.time() - CLOCK_SECONDS
        super().__init__(self.new_workspace("w"), self.folder / "run")
        self.more_environment: dict[str, str] = {}
        self.children: list[subprocess.Popen[bytes]] = []
        self._forked: set[int] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End whatever runs here, however it was left, and remove the folders."""
        for process in self.processes():
            with suppress(psutil.Error):
                process.terminate()
        psutil.wait_procs(self.processes(), timeout=5)
        for process in self.processes():
            with suppress(psutil.Error):
                process.kill()
        for child in self.children:
            for stream in (child.stdin, child.stdout, child.stderr):
                if stream is not None:
                    stream.close()
            child.wait(LONG)
        shutil.rmtree(self.folder, ignore_errors=True)

    def new_workspace(self, name: str) -> Path:
        root = self.folder / name
        root.mkdir()
        return root

    @property
    def workspace(self) -> Workspace:
        return Workspace(self.root)

    @property
    def socket(self) -> Path:
        return self.runtime_folder / "daemon.sock"

    @property
    def log(self) -> str:
        path = self.folder / "state" / "pwtui" / "daemon.log"
        return path.read_text() if path.exists() else ""

    def sessions_folder(self, profile: str = "default") -> Path:
        return self.workspace.profiles_dir / profile / "sessions"

    def environment(self, **more: str) -> dict[str, str]:
        own = {
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
        }
        return super().environment(**{**own, **self.more_environment, **more})

    def thin(
        self,
        *arguments: str | bytes | Path,
        input: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> Result:
        """The entry point, which hands over to the daemon when it can."""
        return self(*arguments, input=input, environment=environment, command=INSTALLED)

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        process = super().start(*arguments, **options)
        self.children.append(process)
        return process

    def spawn(self, *command: str | Path, **options: Any) -> subprocess.Popen[bytes]:
        """Any other program, in this environment."""
        pipe = subprocess.PIPE
        streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": pipe, "stderr": pipe}
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=self.root,
            env=self.environment(),
            preexec_fn=hear_interrupts,
            **(streams | options),
        )
        self.children.append(process)
        return process

    def start_daemon(self, idle: float = 300, *, first: str = "") -> psutil.Process:
        """The daemon's own process, without the `pw` around it; `first` runs before all else."""
        options = [f"--idle-timeout={idle:g}"]
        if first:
            return self._new_daemon(options, first)
        pid = forked.start_daemon(options, cwd=self.root, env=self.environment())
        self._forked.add(pid)
        return psutil.Process(pid)

    def _new_daemon(self, options: list[str], first: str) -> psutil.Process:
        code = f"{first}\nimport sys\nfrom pwtui.daemon_process import main\nsys.exit(main())"
        read_end, write_end = os.pipe()
        with os.fdopen(read_end, "rb") as ready:
            process = self.spawn(
                *(sys.executable, "-c", code, *options, f"--ready-fd={write_end}"),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(write_end,),
                start_new_session=True,
            )
            os.close(write_end)
            assert ready.read() == b"ready\n"
        return psutil.Process(process.pid)

    def daemon(self) -> psutil.Process | None:
        """The daemon that runs now."""
        try:
            with Wire(self.socket) as wire:
                return psutil.Process(wire.ask("status")["pid"])
        except OSError:
            return None

    def stop_daemon(self) -> None:
        daemon = self.daemon()
        assert daemon is not None
        with Wire(self.socket) as wire:
            assert wire.ask("shutdown")["ok"]
        assert has_ended(daemon)

    def wire(self, **hello: Any) -> Wire:
        """A connection that has said hello."""
        wire = Wire(self.socket)
        reply = wire.ask("hello", workspace=str(self.root), cwd=str(self.root), **hello)
        assert reply["ok"], reply
        return wire

    def processes(self) -> list[psutil.Process]:
        """Everything that runs in this environment, the processes of ended parents included."""
        found: dict[int, psutil.Process] = {}
        # In the order of their start, so that parents come before their children.
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.create_time() < self._oldest:
                    continue  # older than this house, and there are hundreds of them
                if process.ppid() in found or self._lives_here(process):
                    found[process.pid] = process
        return [each for each in found.values() if is_running(each)]

    def browsers(self) -> list[psutil.Process]:
        """The browsers that run here, without the processes that serve their pages."""
        found = [each for each in self.processes() if is_browser(each)]
        parents = {each.pid for each in found}
        # What a browser forks has its command line until it has become another program.
        return [each for each in found if _parent(each) not in parents]

    def drivers(self) -> list[psutil.Process]:
        """Playwright's own processes."""
        return [each for each in self.processes() if "run-driver" in cmdline(each)]

    def session_processes(self, profile: str = "default") -> SessionProcesses:
        """The processes of a profile's session, which has an open browser."""
        path = self.sessions_folder(profile) / "session.json"
        browser = psutil.Process(json.loads(path.read_bytes())["pid"])
        driver, worker = browser.parents()[:2]
        return SessionProcesses(browser, driver, worker)

    def nothing_is_left(self) -> bool:
        """Whether all processes have ended, given a moment to do so."""
        eventually(lambda: not self.processes(), "all processes have ended")
        return True

    def _lives_here(self, process: psutil.Process) -> bool:
        if process.pid in self._forked:
            return True
        folder = str(self.folder)
        if any(folder in argument for argument in process.cmdline()):
            return True
        if process.cwd().startswith(f"{folder}/"):  # a worker, which has its parent's command
            return True
        return process.environ().get("PWTUI_RUNTIME_DIR") == str(self.runtime_folder)


def cmdline(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):
        return process.cmdline()
    return []


def _parent(process: psutil.Process) -> int | None:
    with suppress(psutil.Error):
        return process.ppid()
    return None


def is_browser(process: psutil.Process) -> bool:
    command = cmdline(process)
    has_data = any(argument.startswith("--user-data-dir=") for argument in command)
    return has_data and not any(argument.startswith("--type=") for argument in command)


def is_running(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def has_ended(process: psutil.Process) -> bool:
    eventually(lambda: not is_running(process), f"process {process.pid} has ended")
    return True


def kill(process: psutil.Process) -> None:
    process.send_signal(signal.SIGKILL)
    has_ended(process)


def lower_priority(browser: psutil.Process) -> None:
    """Let a browser whose page never rests have a third of what other processes have."""
    for each in (browser, *browser.children(recursive=True)):
        with suppress(psutil.Error):
            each.nice(5)
    # Linux compares these values within a process session, and each browser has one for itself.
    session = Path(f"/proc/{browser.pid}/autogroup")
    if session.exists():
        session.write_text("5")


def processor_seconds(process: psutil.Process) -> float:
    """What a process and its children have used."""
    seconds = 0.0
    for each in (process, *process.children(recursive=True)):
        with suppress(psutil.Error):
            seconds += sum(each.cpu_times()[:2])
    return seconds
