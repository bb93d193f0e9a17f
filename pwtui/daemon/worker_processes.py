"""The processes and files of one worker: how to measure, slow down and remove them."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

import psutil

from pwtui.browser.launch.processes import is_running, kill_tree
from pwtui.browser.spec import is_alive
from pwtui.daemon.worker_link import WorkerLink
from pwtui.protocol.addresses import SessionKey
from pwtui.protocol.models import SessionData
from pwtui.state.descriptor import read_descriptor
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace

EXIT_SECONDS = 2.0
LOW_PRIORITY = 15


def end_leftovers(worker: WorkerLink) -> None:
    """Wait for a driver to close its browsers after its worker has exited, then kill the rest."""
    processes = {*filter(None, (worker.process, worker.driver)), *worker.browsers}
    _, alive = psutil.wait_procs(processes, timeout=EXIT_SECONDS)
    for process in alive:
        kill_tree(process.pid)


def remove_leftovers(temporary: Path) -> None:
    """Remove the temporary files of workers that have exited."""
    with suppress(FileNotFoundError):
        for leftover in temporary.iterdir():
            if not (leftover.name.isdecimal() and is_running(int(leftover.name))):
                shutil.rmtree(leftover, ignore_errors=True)


def remove_descriptor(session: SessionData) -> None:
    """Remove the session descriptor: the next session reports the loss."""
    if session.session_key is None or session.workspace is None or session.origin != "pwtui":
        return
    profiles = Profiles(Workspace(Path(session.workspace)))
    path = profiles.descriptor_path(SessionKey.parse(session.session_key))
    descriptor = read_descriptor(path)
    if descriptor and descriptor.owner_pid == os.getpid() and not is_alive(descriptor):
        with suppress(OSError):
            path.unlink()


def memory_of(worker: WorkerLink) -> int:
    """Bytes of memory that the worker and its driver use; browsers have limits themselves."""
    total = 0
    for process in filter(None, (worker.process, worker.driver)):
        with suppress(psutil.Error):
            total += process.memory_info().rss
    return total


def lower_priority(process: psutil.Process) -> None:
    """Lower the priority of a worker whose page keeps it busy."""
    with suppress(psutil.Error):
        for each in (process, *process.children(recursive=True)):
            with suppress(psutil.Error, OSError):
                os.setpriority(os.PRIO_PROCESS, each.pid, LOW_PRIORITY)
