"""Fixtures of the command line tests."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.cli.pw import Pw


@pytest.fixture
def pw(tmp_path: Path) -> Iterator[Pw]:
    """`pw` in a new workspace, without a daemon."""
    root = tmp_path / "workspace"
    root.mkdir()
    command = Pw(root)
    yield command
    if (root / "state" / "pwtui" / "daemon.log").exists():
        command("daemon", "stop")
        pytest.fail("the test started a daemon; see Pw.without_daemon")


@pytest.fixture(scope="session")
def daemon() -> Iterator[Path]:
    """The runtime folder of a running daemon; short, because of its socket."""
    folder = Path(tempfile.mkdtemp(prefix="pw-"))
    starter = Pw(folder, folder / "run")
    started = starter("daemon", "start")
    assert started.code == 0, started
    process = psutil.Process(started.json["data"]["pid"])
    yield folder / "run"
    stopped = starter("daemon", "stop")
    assert stopped.code == 0, stopped
    assert not process.is_running()
    assert not (folder / "run" / "daemon.sock").exists()
    shutil.rmtree(folder)


@pytest.fixture
def handed(daemon: Path, tmp_path: Path) -> Pw:
    """`pw` in a new workspace, with a daemon that runs its command lines."""
    root = tmp_path / "workspace"
    root.mkdir()
    return Pw(root, daemon)
