"""Reads and writes state files: atomic, locked, private where necessary."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

from pwtui.protocol.errors import InvalidInput, IoError

PRIVATE_FILE, PRIVATE_DIR = 0o600, 0o700


def write_atomic(path: Path, data: bytes, *, private: bool = False) -> None:
    """Replace `path` so that a reader sees the old content or the new, never a part of it.

    A new folder for a private file is private, too; the mode of an existing one is not changed.
    """
    from tempfile import mkstemp  # most commands write nothing

    refuse_device(path)
    make_folder(path.parent, private=private)
    handle, name = mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), PRIVATE_FILE if private else _public_mode(path))
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(path.parent)


def refuse_device(path: Path) -> None:
    """Raises OSError if it is a device, a pipe or a socket, which a file would replace."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def write_text(path: Path, text: str, *, private: bool = False) -> None:
    """Write a file. Raises IoError."""
    try:
        write_atomic(path, text.encode("utf-8", "replace"), private=private)
    except OSError as error:
        raise IoError.of(f"write {path}", error) from error


def read_text(path: Path) -> str:
    """Read a UTF-8 file. Raises IoError or InvalidInput."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise IoError.of(f"read {path}", error) from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text") from error


def write_json(path: Path, value: Any, *, private: bool = False) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    write_atomic(path, text.encode("utf-8", "replace"), private=private)


def make_folder(path: Path, *, private: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(exist_ok=True, mode=PRIVATE_DIR if private else 0o777)


def keep_private(path: Path) -> None:
    """Create the file, or restrict it to the user, before another program writes to it."""
    refuse_device(path)
    make_folder(path.parent)
    path.touch(PRIVATE_FILE)
    path.chmod(PRIVATE_FILE)


def private_opener(path: str, flags: int) -> int:
    """For `open`: a new file is private."""
    return os.open(path, flags, PRIVATE_FILE)


@contextmanager
def locked(lock_file: Path) -> Iterator[None]:
    """Hold an exclusive lock across processes; the end of the process releases it."""
    lock_file.parent.mkdir(parents=True, exist_ok=True)
    # A symlink could create a file anywhere.
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(lock_file, flags, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def move_aside(path: Path) -> Path:
    """Rename a corrupt file to an unused name."""
    name = f"{path.name}.corrupt-{time.strftime('%Y%m%dT%H%M%S')}"
    names = (f"{name}-{number}" if number else name for number in count())
    kept = next(new for new in map(path.with_name, names) if not new.exists())
    path.rename(kept)
    return kept


def _public_mode(path: Path) -> int:
    """The mode of the existing file, or of a new one with the user's umask."""
    with suppress(OSError):
        return path.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
