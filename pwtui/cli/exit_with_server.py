"""Ends the panel of `pwtui --serve` when its server exits or is killed."""

from __future__ import annotations

import os
import signal
import threading
import time

SERVER_VARIABLE = "PWTUI_SERVER_PID"
POLL_SECONDS = 1.0


def end_with_server() -> bool:
    """Exit with the server, which textual's driver does not notice; False without a server."""
    server = os.environ.pop(SERVER_VARIABLE, "")
    if not server.isdecimal():
        return False
    threading.Thread(target=_watch, args=(int(server),), name="server", daemon=True).start()
    return True


def _watch(server: int) -> None:
    while os.getppid() == server:
        time.sleep(POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
