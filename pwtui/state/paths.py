"""Folders and files of the user, outside of any workspace."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Playwright puts sockets 40 bytes below it, and a socket path has room for about 100.
LONGEST_TEMPORARY_PATH = 60


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


def temporary_folder(instance: str) -> Path | None:
    """For one daemon's browsers; None where a socket in it would have too long a path."""
    if sys.platform == "darwin":
        caches = Path.home() / "Library" / "Caches"
    else:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = caches / "pwtui" / f"tmp-{instance}"
    return folder if len(os.fsencode(folder)) <= LONGEST_TEMPORARY_PATH else None


def user_config_dir() -> Path:
    """For what the user writes: themes and keys."""
    configs = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(configs) / "pwtui"
