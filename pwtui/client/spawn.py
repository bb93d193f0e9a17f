"""The daemon's process, started with few imports: a command that starts it waits for it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress

from pwtui.daemon.address import RUNTIME_VARIABLE
from pwtui.daemon.instance import idle_seconds, private_folder
from pwtui.daemon.launcher import spawn as spawn_worker
from pwtui.protocol.errors import SessionError
from pwtui.state.paths import daemon_log_file

DAEMON_MODULE = "pwtui.daemon_process"


def spawn(idle: float | None = None, *, folder: str | None = None, warm: bool = False) -> int:
    """Start the daemon's process; the descriptor from which it can be read once it listens.

    A `warm` one has a worker at once, which starts beside the daemon.
    """
    log_path = daemon_log_file()
    try:
        log_path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SessionError(
            f"cannot use {log_path.parent} for the daemon's log: {error.strerror}",
            hint="see HOME and XDG_STATE_HOME",
        ) from None
    idle = idle_seconds() if idle is None else idle
    environment = os.environ | ({RUNTIME_VARIABLE: folder} if folder else {})
    read_end, write_end = os.pipe()
    command = [sys.executable, "-m", DAEMON_MODULE]
    command += [f"--idle-timeout={idle:g}", f"--ready-fd={write_end}"]
    descriptors = [write_end]
    try:
        if warm:
            daemons, workers = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
            descriptors.append(daemons.detach())
            command.append(f"--worker-fd={descriptors[-1]}")
            with workers:
                spawn_worker(workers, environment=environment)
        with log_path.open("ab") as errors:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                pass_fds=descriptors,
                start_new_session=True,
                cwd="/",
                env=environment,
            )
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    # When it exits before this process, it must be waited for, or it stays as a zombie.
    threading.Thread(target=process.wait, daemon=True, name="daemon").start()
    return read_end


def leave_starting() -> None:
    """Start the daemon for later commands, and do not wait for it."""
    with suppress(SessionError, OSError):
        private_folder()
        os.close(spawn())


def read_word(descriptor: int) -> bytes:
    """Wait until the daemon listens, or another one does; empty when it could not start."""
    try:
        return os.read(descriptor, 64)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
