"""The task that keeps the panel's snapshot current."""

from __future__ import annotations

import asyncio

import pytest

from pwtui.app.snapshots import SnapshotKeeper
from pwtui.app.store import Store
from pwtui.protocol.envelope import Response
from tests.waiting import LIMIT


async def test_the_snapshot_task_ends_when_it_is_cancelled_during_a_request() -> None:
    asked = asyncio.Event()

    async def ask(op: str, /, **input: object) -> Response:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    store = Store("default", "/")
    store.set_link("connected")
    keeper = SnapshotKeeper(store, ask)
    keeper.request()
    running = asyncio.create_task(keeper.run())
    async with asyncio.timeout(LIMIT):
        await asked.wait()

    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(5):
            await running
