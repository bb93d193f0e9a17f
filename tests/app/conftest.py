"""What the tests of the panel share: a daemon of the tests alone, a site, open panels."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import pytest
import pytest_asyncio

from pwtui.client.start import OutsideControl
from pwtui.demo import DemoSite
from pwtui.state.workspace import Workspace
from tests.app.panel import SIZE, Panel, leave_one_blank_tab, open_panel, stop_sessions
from tests.cli import forked
from tests.painting import EVERY_FRAME, Painted, paint_on_demand, parse_styles_once

IDLE_SECONDS = 600.0

_painted: set[Painted] = set()


class Opens(Protocol):
    def __call__(
        self,
        profile: str = "default",
        *,
        url: str | None = None,
        size: tuple[int, int] = SIZE,
    ) -> AbstractAsyncContextManager[Panel]: ...


@pytest.fixture(autouse=True)
def _cheap_screens(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if EVERY_FRAME not in request.fixturenames:
        paint_on_demand(monkeypatch, _painted)
    parse_styles_once(monkeypatch)


@pytest.fixture(scope="session")
def shop() -> Iterator[DemoSite]:
    with DemoSite() as running:
        yield running


@pytest.fixture(scope="session")
def runtime_folder() -> Iterator[Path]:
    """Short, as a socket's path must be."""
    folder = Path(tempfile.mkdtemp(prefix="pwt-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def use_folders(patch: pytest.MonkeyPatch, runtime: Path, user: Path) -> None:
    """Keep all files of the panel and its daemon in these folders."""
    patch.setenv("PWTUI_RUNTIME_DIR", str(runtime / "run"))
    patch.setenv("XDG_CACHE_HOME", str(runtime / "cache"))
    patch.setenv("XDG_STATE_HOME", str(user / "state"))
    patch.setenv("XDG_CONFIG_HOME", str(user / "config"))
    patch.setenv("PWTUI_IDLE_TIMEOUT", f"{IDLE_SECONDS:g}")
    for name in ("TMUX", "DISPLAY", "WAYLAND_DISPLAY", "NO_COLOR", "PW_WORKSPACE_ROOT"):
        patch.delenv(name, raising=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def daemon(runtime_folder: Path) -> AsyncIterator[None]:
    """One daemon for all tests that do not end it."""
    with pytest.MonkeyPatch.context() as patch:
        use_folders(patch, runtime_folder, runtime_folder)
        await OutsideControl().stop()  # one that a panel of an earlier test has started
        forked.start_daemon([], cwd=runtime_folder, env=os.environ)
    yield
    with pytest.MonkeyPatch.context() as patch:
        use_folders(patch, runtime_folder, runtime_folder)
        await OutsideControl().stop()


@pytest.fixture
def user(
    _private_environment: None,
    runtime_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """A new user: the folder with `state` and `config`."""
    use_folders(monkeypatch, runtime_folder, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def open(daemon: None, user: Path, workspace: Workspace) -> Opens:
    """Opens panels in the test's workspace."""
    # Not a fixture that holds the panel: Textual wants to be left in the task that entered it.
    return partial(open_panel, workspace)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def kept(
    daemon: None, runtime_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Workspace]:
    """A workspace whose browser the tests of a module use one after another."""
    kept = Workspace(tmp_path_factory.mktemp("kept").resolve())
    yield kept
    with pytest.MonkeyPatch.context() as patch:
        use_folders(patch, runtime_folder, runtime_folder)
        await stop_sessions(kept)


@pytest.fixture
def open_kept(kept: Workspace, user: Path) -> Opens:
    """Opens panels where the browser may run already, with one blank tab."""
    return partial(open_panel, kept, leave=leave_one_blank_tab)


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was copied, instead of any clipboard."""
    texts: list[str] = []

    def keep(text: str, write_osc52: Callable[[str], Any]) -> str:
        texts.append(text)
        return "the test"

    monkeypatch.setattr("pwtui.app.actions.output.copy", keep)
    return texts
