"""Where pwtui keeps files that belong to the user and to no workspace."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def user_state_dir() -> Path:
    """For logs and the like: `$XDG_STATE_HOME/pwtui`, or the platform's own place."""
    if explicit := os.environ.get("XDG_STATE_HOME"):
        return Path(explicit) / "pwtui"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Logs" / "pwtui"
    return Path.home() / ".local" / "state" / "pwtui"


def daemon_log_file() -> Path:
    return user_state_dir() / "daemon.log"


def log_file() -> Path:
    return user_state_dir() / "pw.log"
