"""One relay and one browser for all tests of the relay that need them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Playwright, async_playwright

from pwtui.relay import aio, api
from tests.relay.rig import Rig


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def playwright() -> AsyncIterator[Playwright]:
    async with async_playwright() as driver:
        yield driver


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def running_rig(playwright: Playwright) -> AsyncIterator[Rig]:
    before = os.environ.get("XDG_STATE_HOME")
    rig = Rig(playwright)
    try:
        await rig.launch()
        await aio.ensure_persistent_relay(port=rig.port)
        yield rig
        os.environ["XDG_STATE_HOME"] = str(rig.state)
        await asyncio.to_thread(api.stop_relay, rig.port)
    finally:
        await rig.end()
        os.environ.pop("XDG_STATE_HOME", None)
        if before is not None:
            os.environ["XDG_STATE_HOME"] = before


@pytest_asyncio.fixture(loop_scope="session")
async def rig(
    running_rig: Rig, monkeypatch: pytest.MonkeyPatch, _private_environment: None
) -> AsyncIterator[Rig]:
    """With the extension connected and no tab attached."""
    monkeypatch.setenv("XDG_STATE_HOME", str(running_rig.state))
    await running_rig.connected()
    await running_rig.close_all()
    yield running_rig


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _private_environment: None) -> Path:
    """A separate state folder, for relays without a browser."""
    folder = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder / "pwtui" / "relay"
