"""Requests of one profile run in order; profiles run side by side."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary


class Lanes:
    """A queue for each profile, there for as long as somebody is in it."""

    def __init__(self) -> None:
        self._lanes: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def lane(self, key: str) -> asyncio.Lock:
        """To be held while a request runs; it lets those in first who came first."""
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = asyncio.Lock()
        return lane
