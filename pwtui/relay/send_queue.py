"""The send queue of one WebSocket: in order, and no sender waits for a slow peer."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress

from aiohttp import web

# What is queued for a peer that does not read, before it is disconnected.
MAX_WAITING_CHARACTERS = 256 * 1024 * 1024
TRY_AGAIN_LATER = 1013
EMPTY_SECONDS = 1.0
CLOSE_SECONDS = 1.0


class Outbox:
    """A queue and the task that empties it."""

    def __init__(
        self, socket: web.WebSocketResponse, transport: asyncio.WriteTransport | None
    ) -> None:
        self._socket = socket
        self._transport = transport
        self._waiting: deque[str] = deque()
        self._characters = 0
        self._has_work = asyncio.Event()
        self._emptied = asyncio.Event()
        self._task = asyncio.create_task(self._send())
        self._closing: asyncio.Task[object] | None = None
        self._ended = False

    def put(self, text: str) -> None:
        if self._ended:
            return
        self._waiting.append(text)
        self._characters += len(text)
        self._emptied.clear()
        self._has_work.set()
        if self._characters > MAX_WAITING_CHARACTERS:
            self._drop()
            self.close(TRY_AGAIN_LATER, "too slow: too much waits to be read")

    def close(self, code: int, reason: str) -> None:
        """Send what waits, then end the connection."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._end(code, reason))

    async def closed(self) -> None:
        self._task.cancel()
        if self._closing is not None:
            with suppress(asyncio.CancelledError):
                await self._closing

    def _drop(self) -> None:
        self._ended = True
        self._waiting.clear()
        self._characters = 0
        self._task.cancel()

    async def _end(self, code: int, reason: str) -> None:
        with suppress(TimeoutError):
            if self._waiting:
                await asyncio.wait_for(self._emptied.wait(), EMPTY_SECONDS)
        self._drop()
        try:
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self._socket.close(code=code, message=reason.encode()[:120])
        finally:
            # A peer that does not read takes no close frame either. A cancelled send of aiohttp
            # also cancels the close that waits for the same buffer.
            if self._transport is not None:
                self._transport.abort()

    async def _send(self) -> None:
        with suppress(OSError):
            while True:
                await self._has_work.wait()
                self._has_work.clear()
                while self._waiting:
                    text = self._waiting.popleft()
                    self._characters -= len(text)
                    await self._socket.send_str(text)
                self._emptied.set()
