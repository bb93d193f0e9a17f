"""The daemon's process: `python -m pwtui.daemon_process`, or `pw daemon start --foreground`."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

from pwtui.browser.launch.processes import return_large_blocks
from pwtui.browser.launch.registry import remove_dead_bindings
from pwtui.cli.argument_parser import Stop
from pwtui.cli.context import Context
from pwtui.cli.parser import parse
from pwtui.cli.terminal import CapturedTerminal, RunInClient
from pwtui.client.routing import place_of
from pwtui.daemon.address import instance, socket_path
from pwtui.daemon.control_messages import Argv
from pwtui.daemon.instance import DaemonLock, idle_seconds
from pwtui.daemon.launcher import Launcher
from pwtui.daemon.server import CommandResult, DaemonServer, Perform, listen
from pwtui.daemon.worker_processes import remove_leftovers
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import PwError
from pwtui.protocol.printable import printable
from pwtui.runtime.caller import Caller
from pwtui.state.json_logging import log_to
from pwtui.state.paths import daemon_log_file, make_private, temporary_folder
from pwtui.state.workspace import Workspace

log = logging.getLogger(__name__)

GARBAGE_AFTER = 10_000
"""The threshold of the youngest generation of the garbage collector."""


def main() -> int:
    """Run the daemon, unless one is already running."""
    arguments = argparse.ArgumentParser(prog="pwtui.daemon_process")
    arguments.add_argument("--idle-timeout", type=float)
    arguments.add_argument("--ready-fd", type=int)
    arguments.add_argument("--forker-fd", type=int, help="socket of a process that forks workers")
    arguments.add_argument("--worker-fd", type=int, help="socket of the first worker")
    arguments.add_argument("--foreground", action="store_true")
    given = arguments.parse_args()
    ready_fd: int | None = given.ready_fd
    try:
        idle = idle_seconds() if given.idle_timeout is None else given.idle_timeout
        lock = DaemonLock.acquire()
    except PwError as error:
        sys.stderr.write(f"pw: {error}\n")
        return 1
    if lock is None:
        _report(ready_fd, b"another\n")
        if given.foreground:
            sys.stderr.write("a daemon is already running; see `pw daemon status`\n")
        return int(given.foreground)
    return_large_blocks()
    log_to(daemon_log_file(), to_terminal=ready_fd is None)
    remove_dead_bindings()
    folder = _own_temporary_folder()
    try:
        asyncio.run(_serve(idle, folder, given))
    finally:
        with suppress(OSError):
            Path(socket_path()).unlink()
        if folder is not None:
            remove_leftovers(folder)
            with suppress(OSError):  # a worker of the next daemon uses it already
                folder.rmdir()
    return 0


async def _serve(idle: float, temporary: Path | None, given: argparse.Namespace) -> None:
    forker = socket.socket(fileno=given.forker_fd) if given.forker_fd is not None else None
    server = DaemonServer(
        idle_seconds=idle,
        run_command=run_command,
        launcher=Launcher(forker),
        temporary=temporary,
    )
    if given.worker_fd is not None:
        server.workers.warm_up(socket.socket(fileno=given.worker_fd))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.end)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # The objects of the start are never garbage, and a request leaves little of it.
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE_AFTER)
    await server.serve(listen(), ready=lambda: _report(given.ready_fd, b"ready\n"))


async def run_command(run: Argv, perform: Perform) -> CommandResult | None:
    """Run a command line of the fast path; None if the client has to run it."""
    cwd = Path(run.cwd)
    given = run.environment.get("PW_WORKSPACE_ROOT")
    root = (cwd / given).resolve() if given else cwd
    terminal = CapturedTerminal(
        run.columns, run.errors_on_terminal, run.environment, cwd, Workspace(root)
    )

    async def checked(request: Request, caller: Caller) -> Response:
        info = catalog().get(request.op)
        is_interactive = info is not None and info.interactive
        if is_interactive or place_of(request, caller) in ("client", "private"):
            raise RunInClient
        return await perform(request, caller)

    try:
        arguments = parse(run.argv, run.environment)
        context = Context.of(arguments, terminal, checked)
        code = await arguments.command(arguments, context)
    except Stop as stop:
        text = printable(stop.text).encode()
        return CommandResult(stop.code, b"" if stop.code else text, text if stop.code else b"")
    except RunInClient:
        return None
    return CommandResult(code, _bytes(terminal.output), _bytes(terminal.errors))


def _own_temporary_folder() -> Path | None:
    """The folder for temporary files of workers; files of a killed daemon are removed."""
    folder = temporary_folder(instance())
    if not make_private(folder):
        log.warning("%s is not private: workers use the system's temporary folder", folder)
        return None
    remove_leftovers(folder)
    return folder


def _report(ready_fd: int | None, word: bytes) -> None:
    if ready_fd is not None:
        with suppress(OSError):
            os.write(ready_fd, word)
            os.close(ready_fd)


def _bytes(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
