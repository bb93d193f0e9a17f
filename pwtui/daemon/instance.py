"""The single daemon of a user: private folder, lock and idle timeout."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from pwtui.daemon.address import RUNTIME_VARIABLE, UnsafeFolder, check_private, runtime_dir
from pwtui.protocol.errors import SessionError

LOCK_FILE = "daemon.lock"
IDLE_VARIABLE = "PWTUI_IDLE_TIMEOUT"
DEFAULT_IDLE_SECONDS = 3600.0


class DaemonLock:
    """The lock of the daemon; the kernel releases it when the daemon exits."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def acquire(cls) -> DaemonLock | None:
        """Acquire the lock; None if another daemon has it."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(private_folder() / LOCK_FILE, flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return None
        with suppress(OSError):
            os.truncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
        return cls(descriptor)

    def release(self) -> None:
        os.close(self._descriptor)


def lock_holder(folder: str | None = None) -> int | None:
    """The process id of the daemon that has the lock, even if it does not listen."""
    import psutil

    path = Path(folder or runtime_dir()) / LOCK_FILE
    try:
        pid = int(path.read_text())
        opened = [Path(each.path) for each in psutil.Process(pid).open_files()]
    except (OSError, ValueError, psutil.Error):
        return None
    # The number alone proves nothing: the process may have exited, and another have it now.
    return pid if path.resolve() in opened else None


def private_folder(folder: str | None = None) -> Path:
    """The runtime folder, created if needed. Refused if others can access it."""
    path = Path(folder or runtime_dir())
    try:
        with suppress(FileExistsError):
            path.mkdir(mode=0o700, parents=True)
        check_private(str(path))
    except UnsafeFolder as error:
        raise SessionError(str(error), hint=error.hint) from None
    except OSError as error:
        raise SessionError(
            f"cannot use {path}: {error.strerror}", hint=f"see {RUNTIME_VARIABLE}"
        ) from None
    return path


def idle_seconds() -> float:
    """Seconds without clients after which the daemon exits (0: never)."""
    text = os.environ.get(IDLE_VARIABLE, "")
    try:
        return max(0.0, float(text)) if text else DEFAULT_IDLE_SECONDS
    except ValueError:
        raise SessionError(f"{IDLE_VARIABLE} must be a number of seconds, not {text!r}") from None
