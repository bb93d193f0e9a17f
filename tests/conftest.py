"""What all tests share: the test site, and a client of the executor in a workspace of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import settings

from pwtui.state.workspace import Workspace
from tests.client import Client
from tests.site import TestSite

# A few of each kind in every run; `pytest --hypothesis-profile=default` searches further.
settings.register_profile("quick", max_examples=25, deadline=None)
settings.load_profile("quick")


@pytest.fixture(autouse=True)
def _private_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test reads the user's settings or writes the user's files."""
    monkeypatch.delenv("PW_WORKSPACE_ROOT", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg-state"))


@pytest.fixture(scope="session")
def site() -> Iterator[TestSite]:
    with TestSite() as running:
        yield running


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "workspace"
    root.mkdir()
    return Workspace(root.resolve())


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    """One browser for all tests of a module; each test opens the page that it needs."""
    async with Client(tmp_path_factory.mktemp("workspace")) as shared:
        yield shared


@pytest_asyncio.fixture(loop_scope="session")
async def fresh_client(tmp_path: Path) -> AsyncIterator[Callable[[], Client]]:
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
