"""Requests of one profile run in order; profiles run side by side."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class Lanes:
    """A queue for each profile, there for as long as somebody is in it."""

    def __init__(self) -> None:
        self._lanes: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def enter(self, key: str) -> AsyncIterator[None]:
        # asyncio's lock lets those in first who came first.
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = asyncio.Lock()
        async with lane:
            yield

    def is_free(self, key: str) -> bool:
        """Whether a request for this profile would start at once."""
        lane = self._lanes.get(key)
        return lane is None or not lane.locked()
