"""Helpers of the tests of the daemon."""

from __future__ import annotations

import json
import os
import socket
import time
from pathlib import Path
from typing import Any

import psutil

from pwtui.browser.launch.driver import DRIVER_VERSION
from tests.daemon.house import House


def write_stale(house: House, profile: str, **changes: Any) -> Path:
    """A descriptor such as a crash leaves it."""
    now = time.time()
    key = str(house.workspace.session_key(profile, "chromium", headless=True))
    descriptor = {
        "schema": 2,
        "sessionKey": key,
        "workspace": str(house.root),
        "workspaceId": house.workspace.id,
        "profile": profile,
        "browser": "chromium",
        "headless": True,
        "owner": "daemon",
        "pid": dead_pid(),
        "startedAt": now - 3600,
        "cdpEndpoint": f"http://127.0.0.1:{unused_port()}",
        "driverVersion": DRIVER_VERSION,
        "createdAt": now - 3600,
        "lastUsedAt": now - 3600,
    }
    path = house.sessions_folder(profile) / "session.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(descriptor | changes))
    return path


def dead_pid() -> int:
    return next(pid for pid in range(2**22 - 1, 0, -1) if not psutil.pid_exists(pid))


def unused_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def is_open(port: int) -> bool:
    with socket.socket() as attempt:
        return attempt.connect_ex(("127.0.0.1", port)) == 0


def sandbox_flags() -> list[str]:
    """The flags that Chromium needs when it runs as root."""
    return ["--no-sandbox"] if os.geteuid() == 0 else []
