"""The process of a worker, and the one that forks workers: `python -m pwtui.worker_process`.

What it imports here is what a driver needs to start: the rest is loaded while it does.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path

from pwtui.browser.launch.driver_process import Driver, node_options
from pwtui.browser.launch.processes import is_running, kill_tree, return_large_blocks
from pwtui.browser.launch.registry import remove_dead_bindings
from pwtui.daemon.address import instance
from pwtui.state.json_logging import log_beside_daemon
from pwtui.state.paths import (
    daemon_log_file,
    driver_cache,
    is_private,
    make_private,
    temporary_folder,
)

# Longer than a worker takes to close a browser that hangs.
CLOSE_SECONDS = 12.0
GARBAGE_AFTER = 10_000
"""The threshold of the youngest generation of the garbage collector."""


def main() -> int:
    """Run as a worker of the daemon at the other end of a socket, or fork workers."""
    arguments = argparse.ArgumentParser(prog="pwtui.worker_process")
    arguments.add_argument("socket", type=int, help="descriptor of a socket of the daemon")
    arguments.add_argument("--fork", action="store_true", help="fork a worker for each socket sent")
    given = arguments.parse_args()
    # Ctrl+C in the daemon's terminal is handled by the daemon.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    log_beside_daemon(daemon_log_file())
    end = socket.socket(fileno=given.socket)
    if given.fork:
        fork_workers(end)
    else:
        work(end)
    return 0


def fork_workers(daemon: socket.socket) -> None:
    """Fork a worker for each socket that the daemon sends, until it has exited.

    This process has no threads and no event loop, so that it can be forked safely.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children are reaped by the system
    workers: set[int] = set()
    is_loaded = False
    wanted = select.poll()
    wanted.register(daemon, select.POLLIN)
    while True:
        if not is_loaded and not wanted.poll(0):
            # A worker that is waited for loads what it needs while its driver starts.
            load_all()
            gc.collect()
            gc.freeze()
            is_loaded = True
        message, descriptors, _, _ = socket.recv_fds(daemon, 1, 1)
        if not message:
            break
        pid = os.fork()
        if pid == 0:
            daemon.close()
            os.setsid()
            work(socket.socket(fileno=descriptors[0]))
        os.close(descriptors[0])
        workers = {each for each in workers if is_running(each)} | {pid}
    _end(workers)


def load_all() -> None:
    """Import what requests need."""
    from pwtui.operations.framework.declare import operations
    from pwtui.worker import worker  # noqa: F401

    operations()


def work(daemon: socket.socket) -> None:
    """Run as a worker; does not return."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    return_large_blocks()
    make_private(temporary_folder(instance()))
    folder = worker_folder(os.getpid())
    if folder is not None:
        make_private(folder)
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    if cache := driver_cache():
        os.environ.setdefault("NODE_COMPILE_CACHE", str(cache))
    os.environ["NODE_OPTIONS"] = node_options()
    gc.set_threshold(GARBAGE_AFTER)
    code = 1
    try:
        asyncio.run(_serve(daemon, folder))
        code = 0
    finally:
        clean_up(os.getpid())
        os._exit(code)


async def _serve(daemon: socket.socket, folder: Path | None) -> None:
    driver = asyncio.create_task(Driver.start())
    await asyncio.to_thread(load_all)
    gc.freeze()  # what was imported is never garbage
    from pwtui.worker.worker import Worker

    await Worker.serve(daemon, folder, driver)


def worker_folder(pid: int) -> Path | None:
    """The folder for temporary files of a worker, its driver and its browsers.

    None if another user has made the folder of the daemon.
    """
    folder = temporary_folder(instance())
    return folder / str(pid) if is_private(folder) else None


def clean_up(pid: int) -> None:
    """Remove the temporary files of a worker and its driver."""
    if (folder := worker_folder(pid)) is not None:
        shutil.rmtree(folder, ignore_errors=True)
    remove_dead_bindings()


def _end(workers: set[int]) -> None:
    """The daemon has exited: workers close their sessions, and those that hang are killed."""
    end = time.monotonic() + CLOSE_SECONDS
    while time.monotonic() < end and any(map(is_running, workers)):
        time.sleep(0.1)
    for pid in filter(is_running, workers):
        kill_tree(pid)
        clean_up(pid)


if __name__ == "__main__":
    sys.exit(main())
