"""Runs `pw` and daemons in forks of a process that has imported everything.

Importing takes ten times longer than most commands. Tests of imports, of the start or of signals
use new processes instead.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.waiting import LIMIT

READY = 3
"""The descriptor to which a daemon writes when it listens."""
_served: str | None = None
"""The socket of the process that forks, in that process and in its forks."""
ENTRIES = {
    "whole": "pwtui.cli.main",
    "thin": "pwtui.cli.fast_path",
    "daemon": "pwtui.daemon_process",
    "workers": "pwtui.worker_process",
}


@cache
def _server() -> str:
    """Start the process that forks, which exits with this one; its socket."""
    folder = tempfile.mkdtemp(prefix="pwt-", dir="/tmp")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = f"{folder}/fork.sock"
    ours, theirs = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.cli.forked", path, str(theirs)],
        pass_fds=(theirs,),
        stdin=subprocess.PIPE,  # closed when this process ends, however it ends
    )
    os.close(theirs)
    assert os.read(ours, 1) == b"r", "the process that forks did not start"
    os.close(ours)
    atexit.register(process.kill)
    return path


def run(
    entry: str,
    arguments: Sequence[str | bytes | Path],
    *,
    input: bytes,
    cwd: Path,
    env: Mapping[str, str],
    timeout: float,
) -> tuple[int, bytes, bytes]:
    """Run a command; its exit code, stdout and stderr."""
    pipes = [os.pipe() for _ in range(3)]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout)
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        _ask(connection, theirs, entry=entry, argv=arguments, cwd=cwd, env=env)
        for descriptor in theirs:
            os.close(descriptor)
        printed: dict[int, bytes] = {}

        def write() -> None:
            with os.fdopen(pipes[0][1], "wb") as file:
                try:
                    file.write(input)
                    file.flush()
                except BrokenPipeError:
                    pass

        def read(number: int) -> None:
            with os.fdopen(pipes[number][0], "rb") as file:
                printed[number] = file.read()

        threads = [
            threading.Thread(target=write),
            *(threading.Thread(target=read, args=(number,)) for number in (1, 2)),
        ]
        for thread in threads:
            thread.start()
        code = int.from_bytes(connection.recv(4), "big", signed=True)
        for thread in threads:
            thread.join(timeout)
    return code, printed.get(1, b""), printed.get(2, b"")


def start_daemon(arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> int:
    """Start a daemon and wait until it listens; its process id."""
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as ready, tempfile.TemporaryFile() as errors:
        pid = _fork_daemon(arguments, write_end, errors.fileno(), cwd, env)
        os.close(write_end)
        said = ready.read()
        errors.seek(0)
        assert said == b"ready\n", (said, errors.read().decode())
    return pid


def _fork_daemon(
    arguments: Sequence[str], ready: int, errors: int, cwd: Path, env: Mapping[str, str]
) -> int:
    """A daemon that writes to `ready` when it listens; its process id."""
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection,
        Path(os.devnull).open("r+b") as nothing,
    ):
        connection.settimeout(LIMIT)
        descriptors = [nothing.fileno(), nothing.fileno(), errors, ready]
        arguments = [*arguments, f"--ready-fd={READY}"]
        _ask(connection, descriptors, entry="daemon", argv=arguments, cwd=cwd, env=env)
        return int.from_bytes(connection.recv(4), "big")


class ForkedDaemon:
    """What a forked `pw` gets instead of the new process of a daemon."""

    def __init__(self, command: list[str], **options: Any) -> None:
        arguments = [each for each in command[3:] if "-fd=" not in each]
        ready, errors = options["pass_fds"][0], options["stderr"].fileno()
        # Tests find its processes by their folder.
        _fork_daemon(arguments, ready, errors, Path.cwd(), options["env"])

    def wait(self) -> None:
        """It is the child of another process, which waits for it."""


def _ask(
    connection: socket.socket,
    descriptors: list[int],
    *,
    entry: str,
    argv: Sequence[str | bytes | Path],
    cwd: Path,
    env: Mapping[str, str],
) -> None:
    job = {
        "entry": entry,
        "argv": [os.fsdecode(each) for each in argv],
        "cwd": str(cwd),
        "env": dict(env),
    }
    connection.connect(_served or _server())
    data = json.dumps(job).encode()
    socket.send_fds(connection, [len(data).to_bytes(8, "big")], descriptors)
    connection.sendall(data)


def serve(path: str, ready: int) -> None:
    start: Any = importlib.import_module("pwtui.client.spawn")
    from pwtui.worker_process import load_all

    for module in ENTRIES.values():
        __import__(module)
    load_all()
    # A collection in a fork copies the memory of everything that was imported.
    gc.collect()
    gc.freeze()
    global _served
    _served = path
    start.subprocess = SimpleNamespace(DEVNULL=subprocess.DEVNULL, Popen=ForkedDaemon)
    start.spawn_worker = lambda *_, **__: None  # see _fork_workers
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(path)
        listener.listen(64)
        os.write(ready, b"r")
        os.close(ready)
        while True:
            asked, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in asked:
                return
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                os._exit(_handle(connection))
            connection.close()


def _handle(connection: socket.socket) -> int:
    """Run a job in a child process and send its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, descriptors, _, _ = socket.recv_fds(connection, 8, 4)
    missing, data = int.from_bytes(size, "big"), b""
    while len(data) < missing:
        part = connection.recv(missing - len(data))
        if not part:
            return 1  # the test has exited
        data += part
    job = json.loads(data)
    pid = os.fork()
    if pid == 0:
        connection.close()
        _become(job, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    if job["entry"] == "daemon":
        connection.sendall(pid.to_bytes(4, "big"))
        connection.close()
        os.waitpid(pid, 0)
        return 0
    _, status = os.waitpid(pid, 0)
    connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))
    return 0


def _fork_workers(job: dict[str, Any]) -> None:
    """Give the daemon a process that forks workers, which need not import anything either."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    if os.fork() == 0:
        ours.close()
        os.close(READY)
        os.setsid()
        job["entry"], sys.argv = "workers", ["pw", str(theirs.detach()), "--fork"]
    else:
        theirs.close()
        sys.argv.append(f"--forker-fd={ours.detach()}")


def _become(job: dict[str, Any], descriptors: Sequence[int]) -> None:
    code: object = 1
    try:
        for number, descriptor in enumerate(descriptors):
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
        if job["entry"] == "daemon":
            os.setsid()
        os.environ.clear()
        os.environ.update(job["env"])
        os.chdir(job["cwd"])
        sys.argv = ["pw", *job["argv"]]
        if job["entry"] == "daemon":
            _fork_workers(job)
        try:
            code = sys.modules[ENTRIES[job["entry"]]].main()
        except SystemExit as error:
            code = error.code
        except Exception:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
