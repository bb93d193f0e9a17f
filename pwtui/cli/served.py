"""What a panel does that `pwtui --serve` shows: it ends with its server, however that ends."""

from __future__ import annotations

import os
import signal
import threading
import time

SERVER_VARIABLE = "PWTUI_SERVER_PID"
POLL_SECONDS = 1.0


def end_with_server() -> None:
    """Keep watch, if there is a server. textual's driver does not notice when it is gone."""
    server = os.environ.pop(SERVER_VARIABLE, "")
    if server.isdecimal():
        threading.Thread(target=_watch, args=(int(server),), name="server", daemon=True).start()


def _watch(server: int) -> None:
    while os.getppid() == server:
        time.sleep(POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
