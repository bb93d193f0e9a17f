"""State files are written atomically, and are private where necessary."""

from __future__ import annotations

import json
import os
import select
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import pytest

from pwtui.state.files import (
    keep_private,
    locked,
    make_folder,
    move_aside,
    write_atomic,
    write_json,
)
from tests.waiting import LIMIT

WRITER = """
import sys
from pathlib import Path
from pwtui.state.files import write_json
path = Path(sys.argv[1])
for number in range(300):
    write_json(path, {"number": number, "filler": str(number % 10) * 200_000})
"""

HOLDER = """
import sys
from pathlib import Path
from pwtui.state.files import locked
print("ready", flush=True)
sys.stdin.readline()
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def umask(value: int) -> Iterator[None]:
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("write", [lambda path: write_atomic(path, b"new"), keep_private])
def test_a_pipe_or_a_device_is_not_replaced_by_a_file(
    tmp_path: Path, write: Callable[[Path], None]
) -> None:
    """As root, a file would otherwise take the place of /dev/null."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe, 0o644)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(OSError, match="not a regular file"):
            write(path)

    assert stat.S_IMODE(pipe.stat().st_mode) == 0o644
    assert stat.S_ISFIFO(link.stat().st_mode)
    assert sorted(tmp_path.iterdir()) == [link, pipe]


def test_a_file_and_its_folders_are_created(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file"

    write_atomic(path, b"one")
    write_atomic(path, b"two")

    assert path.read_bytes() == b"two"
    assert [item.name for item in path.parent.iterdir()] == ["file"]


def test_json_is_indented(tmp_path: Path) -> None:
    path = tmp_path / "file.json"

    write_json(path, {"name": "Zoë", "list": [1]})

    assert path.read_text(encoding="utf-8") == ('{\n  "name": "Zoë",\n  "list": [\n    1\n  ]\n}\n')


def test_a_reader_never_sees_a_part_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_json(path, {"number": -1, "filler": ""})
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)]) as writer:
        seen = []
        while writer.poll() is None:
            value = json.loads(path.read_bytes())
            assert len(set(value["filler"])) <= 1
            seen.append(value["number"])
        assert writer.returncode == 0

    assert seen == sorted(seen)
    assert len(set(seen)) > 1
    assert [item.name for item in tmp_path.iterdir() if item.name.endswith(".tmp")] == []


def test_a_failed_write_keeps_the_old_content_and_leaves_no_other_file(tmp_path: Path) -> None:
    folder = tmp_path / "target"
    folder.mkdir()
    (folder / "kept").touch()

    with pytest.raises(OSError, match="target"):
        write_atomic(folder, b"data")

    assert [item.name for item in tmp_path.iterdir()] == ["target"]
    assert (folder / "kept").exists()


def test_a_value_that_is_not_json_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    write_json(path, {"a": 1})

    with pytest.raises(TypeError):
        write_json(path, {"a": object()})

    assert json.loads(path.read_text()) == {"a": 1}
    assert [item.name for item in tmp_path.iterdir()] == ["file.json"]


def test_only_the_owner_can_read_a_private_file_with_any_umask(tmp_path: Path) -> None:
    path = tmp_path / "auth" / "me.json"
    with umask(0):
        write_atomic(path, b"{}", private=True)

    assert (mode(path), mode(path.parent)) == (0o600, 0o700)


def test_a_file_that_was_readable_becomes_private(tmp_path: Path) -> None:
    path = tmp_path / "auth" / "me.json"
    with umask(0):
        write_atomic(path, b"old")
        write_atomic(path, b"new", private=True)

    assert mode(path) == 0o600


@pytest.mark.parametrize(("mask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_public_file_follows_the_umask(tmp_path: Path, mask: int, expected: int) -> None:
    path = tmp_path / "file"
    with umask(mask):
        write_atomic(path, b"data")
        after = os.umask(mask)

    assert mode(path) == expected
    assert after == mask


def test_a_file_keeps_the_mode_that_the_user_set(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"old")
    path.chmod(0o640)

    write_atomic(path, b"new")

    assert mode(path) == 0o640


def test_an_existing_folder_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)

    write_atomic(folder / "state.json", b"{}", private=True)
    make_folder(folder, private=True)
    keep_private(folder / "trace.zip")

    assert stat.S_IMODE(folder.stat().st_mode) == 0o1777
    assert mode(folder / "state.json") == mode(folder / "trace.zip") == 0o600


def test_a_readable_file_becomes_private_before_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "traffic.har"
    with umask(0):
        keep_private(path)
        path.chmod(0o644)
        path.write_text("old")
        keep_private(path)

    assert (mode(path), path.read_text()) == (0o600, "old")


class Holder:
    """Another process that takes the lock on request and holds it until it ends."""

    def __init__(self, lock: Path) -> None:
        command = [sys.executable, "-c", HOLDER, str(lock)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdin
        assert self.process.stdout
        self.input, self.output = self.process.stdin, self.process.stdout
        assert self.output.readline() == b"ready\n"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate(timeout=LIMIT)

    def take(self) -> None:
        self.input.write(b"go\n")
        self.input.flush()


def test_a_lock_blocks_other_processes_until_it_is_released(tmp_path: Path) -> None:
    lock = tmp_path / "locks" / "default.lock"
    with Holder(lock) as other:
        with locked(lock):
            other.take()
            readable, _, _ = select.select([other.output], [], [], 0.3)
            assert readable == []

        assert other.output.readline() == b"held\n"


def test_a_lock_is_released_when_its_process_ends(tmp_path: Path) -> None:
    lock = tmp_path / "default.lock"
    with Holder(lock) as other:
        other.take()
        assert other.output.readline() == b"held\n"
        other.process.kill()

        with locked(lock):
            pass


def test_a_file_that_is_moved_aside_keeps_its_bytes_and_replaces_no_other(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    kept = []
    for number in range(3):
        path.write_bytes(b"\xff%d" % number)
        kept.append(move_aside(path))

    assert not path.exists()
    assert [file.read_bytes() for file in kept] == [b"\xff0", b"\xff1", b"\xff2"]
    assert all(file.name.startswith("config.json.corrupt-") for file in kept)


def test_a_lock_that_is_a_symlink_creates_no_file(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    lock = tmp_path / "a.lock"
    lock.symlink_to(elsewhere)

    with pytest.raises(OSError, match="symbolic links"), locked(lock):
        pass

    assert not elsewhere.exists()
