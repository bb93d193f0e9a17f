"""Fixtures of the tests of operations."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.client import Client


@pytest_asyncio.fixture(loop_scope="session")
async def own_tab(client: Client) -> AsyncIterator[int]:
    """A tab for one test alone, where what a page did before would disturb the next test."""
    index: int = (await client.data("tabs.new"))["index"]
    yield index
    for tab in (await client.data("tabs.list"))["tabs"]:
        await client.send("tabs.close", {"target": tab["index"]})
