"""Starts worker processes: forks them from a warm process, or spawns them."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Mapping

from pwtui.state.files import private_opener
from pwtui.state.paths import daemon_log_file

WORKER_MODULE = "pwtui.worker_process"
CAN_FORK = sys.platform == "linux"


class Launcher:
    """Starts workers; the process that forks them starts with the first, unless one is given."""

    def __init__(self, forker: socket.socket | None = None) -> None:
        self._forker = forker

    def start(self) -> socket.socket:
        """Start a worker; the daemon's end of the socket to it.

        One that cannot be started closes its end.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            if not CAN_FORK:
                spawn(theirs)
                return ours
            try:
                self._send(theirs)
            except OSError:  # it has exited
                self.close()
                self._send(theirs)
        return ours

    def close(self) -> None:
        """Stop the process that forks workers."""
        if self._forker is not None:
            self._forker.close()
            self._forker = None

    def _send(self, end: socket.socket) -> None:
        if self._forker is None:
            self._forker, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
            with theirs:
                spawn(theirs, "--fork")
        socket.send_fds(self._forker, [b"\n"], [end.fileno()])


def spawn(end: socket.socket, *options: str, environment: Mapping[str, str] | None = None) -> None:
    """Start a worker, or with `--fork` the process that forks workers, with its end of a socket."""
    log_path = daemon_log_file()
    with open(log_path, "ab", opener=private_opener) as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", WORKER_MODULE, str(end.fileno()), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=(end.fileno(),),
            start_new_session=True,
            cwd="/",
            env=environment,
        )
    # It must be waited for when it exits, or it stays as a zombie.
    threading.Thread(target=process.wait, daemon=True, name="worker").start()
