"""Fixtures of all tests: the test site, and a client of the executor in a separate workspace."""

from __future__ import annotations

import asyncio
import functools
import gc
import inspect
import itertools
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import settings
from xdist.scheduler.loadfile import LoadFileScheduling

from pwtui.state.workspace import Workspace
from tests.client import Client, SharedDriver
from tests.site import TestSite

# A few of each kind in every run; `pytest --hypothesis-profile=default` searches further.
settings.register_profile("quick", max_examples=15, deadline=None)
settings.load_profile("quick")

# Where, and with which fixtures, a test starts a browser, a daemon or a terminal.
PROCESS_FOLDERS = {"app", "daemon", "firefox", "relay", "repl"}
PROCESS_FIXTURES = {
    *("browser", "client", "daemon", "driver", "fresh_client", "house", "page", "playwright", "pw")
}
# Tests that share a relay and a browser with an extension: one worker runs them all.
TOGETHER = "tests/relay"

# Textual makes and drops thousands of objects in every test; by default a sixth of the time of its
# tests goes into looking for cycles among them.
OBJECTS_BEFORE_COLLECTION = 20_000

# A test that ignores its own limit is ended, with its process, at the limit of pytest-timeout.
PART_OF_THE_LIMIT = 0.5


def pytest_configure(config: pytest.Config) -> None:
    """No test reads the user's settings or writes the user's files."""
    gc.disable()  # until the tests are collected: they stay
    caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
    os.environ.setdefault("PLAYWRIGHT_BROWSERS_PATH", str(Path.home() / caches / "ms-playwright"))
    # Short, as the path of a socket must be.
    home = tempfile.mkdtemp(prefix="pwt-", dir="/tmp")
    config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
    os.environ["HOME"] = home
    os.environ["PWTUI_RUNTIME_DIR"] = f"{home}/run"
    for name in ("STATE_HOME", "CONFIG_HOME", "CACHE_HOME", "DATA_HOME", "RUNTIME_DIR"):
        os.environ.pop(f"XDG_{name}", None)
    # Hundreds of processes start in a run: what one of them compiles, the others need not.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # The same for Playwright's driver, which takes a fifth less time to start.
    if config.cache is not None:
        os.environ["NODE_COMPILE_CACHE"] = str(config.cache.mkdir("node"))
    for name in ("PW_WORKSPACE_ROOT", "NO_COLOR", "TMUX", "DISPLAY", "WAYLAND_DISPLAY"):
        os.environ.pop(name, None)
    for name in ("PWTUI_PROFILE", "PWTUI_FORMAT"):
        os.environ.pop(name, None)
    os.environ["PAGER"] = "cat"
    # Few tests open a second session soon after the first.
    os.environ["PWTUI_SPARE_WORKER"] = "0"


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Cancel an async test that takes too long, so that it fails alone; mark slow tests."""
    items.sort(key=lambda item: not item.nodeid.startswith(TOGETHER))  # the longest unit first
    limit = float(config.getoption("timeout") or config.getini("timeout")) * PART_OF_THE_LIMIT
    for item in items:
        assert isinstance(item, pytest.Function)
        if inspect.iscoroutinefunction(item.obj):
            item.obj = _limited(item.obj, limit)
        if item.path.parent.name in PROCESS_FOLDERS or PROCESS_FIXTURES & set(item.fixturenames):
            item.add_marker("browser")


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    if config.getoption("dist") != "loadfile":
        return None
    scheduling = LoadFileScheduling(config, log)
    file_of = scheduling._split_scope
    scheduling._split_scope = lambda test: TOGETHER if test.startswith(TOGETHER) else file_of(test)
    return scheduling


def _limited(test: Callable[..., Awaitable[None]], seconds: float) -> Callable[..., Any]:
    @functools.wraps(test)
    async def limited(*arguments: Any, **named: Any) -> None:
        async with asyncio.timeout(seconds):
            await test(*arguments, **named)

    return limited


@pytest.fixture(scope="session")
def _state_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A state folder for each test, which does not exist yet."""
    folder = tmp_path_factory.mktemp("states")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def _private_environment(monkeypatch: pytest.MonkeyPatch, _state_folders: Iterator[Path]) -> None:
    """What one test leaves behind in the state folder is not seen by the next."""
    # Not in `tmp_path`: most tests need no folder, and making one takes longer than they do.
    monkeypatch.setenv("XDG_STATE_HOME", str(next(_state_folders)))


@pytest.fixture
def every_frame() -> None:
    """For tests of what is painted when: tests/painting.py leaves out no frame."""


@pytest.fixture(scope="session")
def site() -> Iterator[TestSite]:
    with TestSite() as running:
        yield running


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "workspace"
    root.mkdir()
    return Workspace(root.resolve())


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def _driver() -> AsyncIterator[None]:
    yield
    await SharedDriver.end()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(_driver: None, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    """One browser for all tests of a module; each test opens the page that it needs."""
    async with Client(tmp_path_factory.mktemp("workspace")) as shared:
        yield shared


@pytest_asyncio.fixture(loop_scope="session")
async def fresh_client(_driver: None, tmp_path: Path) -> AsyncIterator[Callable[[], Client]]:
    """Makes clients with nothing remembered and no browser yet, and ends them after the test."""
    clients: list[Client] = []

    def make() -> Client:
        root = tmp_path / f"workspace-{len(clients)}"
        root.mkdir()
        clients.append(Client(root))
        return clients[-1]

    yield make
    for each in clients:
        await each.close()
