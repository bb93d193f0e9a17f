"""The send queue of a WebSocket: keeps the order, and senders do not wait for a slow peer."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from aiohttp import web

# A peer that does not read is disconnected when its queue is longer.
MAX_WAITING_CHARACTERS = 256 * 1024 * 1024
TRY_AGAIN_LATER = 1013
EMPTY_SECONDS = 1.0
CLOSE_SECONDS = 1.0


class SendQueue:
    """A queue and the task that sends its messages."""

    def __init__(
        self, socket: web.WebSocketResponse, transport: asyncio.WriteTransport | None
    ) -> None:
        self._socket = socket
        self._transport = transport
        self._texts: asyncio.Queue[str] = asyncio.Queue()
        self._characters = 0
        self._task = asyncio.create_task(self._send())
        self._closing: asyncio.Task[None] | None = None

    def put(self, text: str) -> None:
        if self._ended:
            return
        self._texts.put_nowait(text)
        self._characters += len(text)
        if self._characters > MAX_WAITING_CHARACTERS:
            self._task.cancel()
            self.close(TRY_AGAIN_LATER, "too slow: the send queue is full")

    def close(self, code: int, reason: str) -> None:
        """Send the queued messages, then close the connection."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(code, reason))

    async def closed(self) -> None:
        self._task.cancel()
        if self._closing is not None:
            with suppress(asyncio.CancelledError):
                await self._closing

    @property
    def _ended(self) -> bool:
        return self._task.done() or bool(self._task.cancelling())

    async def _close(self, code: int, reason: str) -> None:
        if not self._ended:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._texts.join(), EMPTY_SECONDS)
        self._task.cancel()
        try:
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self._socket.close(code=code, message=reason.encode()[:120])
        finally:
            # A peer that does not read does not read the close frame either, and in aiohttp a
            # cancelled send also cancels a close that waits for the same buffer.
            if self._transport is not None:
                self._transport.abort()

    async def _send(self) -> None:
        with suppress(OSError):
            while True:
                text = await self._texts.get()
                self._characters -= len(text)
                await self._socket.send_str(text)
                self._texts.task_done()
