"""The order of a profile's requests, where some run in the daemon and some in its worker."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class ProfileOrder:
    """Requests in the worker run in the order in which they are forwarded; each has it as context.

    A request that runs in the daemon waits for those before it, and the next ones wait for it.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._forwarded = 0
        self._none_forwarded = asyncio.Event()
        self._none_forwarded.set()

    @property
    def is_used(self) -> bool:
        return self._forwarded > 0 or self._turn.locked()

    async def __aenter__(self) -> None:
        # Also if it is free: others may wait for their turn.
        async with self._turn:
            self._forwarded += 1
            self._none_forwarded.clear()

    async def __aexit__(self, *_: object) -> None:
        self._forwarded -= 1
        if not self._forwarded:
            self._none_forwarded.set()

    @asynccontextmanager
    async def in_daemon(self) -> AsyncIterator[None]:
        async with self._turn:
            await self._none_forwarded.wait()
            yield
