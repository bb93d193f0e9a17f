"""The user's folders and files outside the workspaces."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from pwtui.protocol.errors import InvalidInput

# Each worker has a folder in it, Playwright appends 40 bytes for its sockets, and a socket path is
# limited to about 100 bytes.
LONGEST_TEMPORARY_PATH = 52
LONGEST_SHOWN = 80


LONGEST_NAME, LONGEST_PATH = 255, 4095


def user_path(folder: Path, text: str) -> Path:
    """The path that a user wrote, relative to a folder; `~` is a home. Raises InvalidInput."""
    try:
        path = folder / Path(text).expanduser()
        encoded = os.fsencode(path)
    except RuntimeError:
        problem = "there is no such user"
    except ValueError:
        problem = "it has a character that file names cannot have"
    else:
        longest = max(map(len, encoded.split(b"/")))
        if b"\0" in encoded:
            problem = "it has a null character"
        elif longest > LONGEST_NAME or len(encoded) > LONGEST_PATH:
            problem = "it is too long"
        else:
            return path
    shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
    raise InvalidInput(f"cannot use the path {shown}: {problem}")


def user_state_dir() -> Path:
    """For logs and records: `$XDG_STATE_HOME/pwtui`, or the platform's default."""
    if explicit := os.environ.get("XDG_STATE_HOME"):
        return Path(explicit) / "pwtui"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Logs" / "pwtui"
    return Path.home() / ".local" / "state" / "pwtui"


def daemon_log_file() -> Path:
    return user_state_dir() / "daemon.log"


def log_file() -> Path:
    return user_state_dir() / "pw.log"


def temporary_folder(instance: str) -> Path:
    """The private temporary folder of a daemon's workers; its path is short enough for sockets."""
    folder = _caches() / "pwtui" / f"tmp-{instance}"
    if len(os.fsencode(folder)) > LONGEST_TEMPORARY_PATH:
        folder = Path(f"/tmp/pwtui-{os.getuid()}-tmp-{instance}")
    return folder


def make_private(folder: Path) -> bool:
    """Make a folder that only this user can use; returns False if that is not possible."""
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return is_private(folder)


def is_private(folder: Path) -> bool:
    """Whether it is a folder that only this user can use."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return is_own and not status.st_mode & 0o077


def driver_cache() -> Path | None:
    """A private folder for the compiled code of Playwright's driver, which then starts sooner."""
    folder = _caches() / "pwtui-driver"
    return folder if folder.is_absolute() and make_private(folder) else None


def _caches() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def user_config_dir() -> Path:
    """For the user's themes and keys."""
    configs = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(configs) / "pwtui"
