"""The send queue of one client. A slow reader does not delay other clients."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from contextlib import suppress

from pwtui.daemon.line_protocol import LineStream

MAX_EVENT_BYTES = 8 * 1024 * 1024
# With a longer queue the client is treated as one that does not read.
MAX_REPLY_BYTES = 128 * 1024 * 1024


class ClientQueue:
    """Never drops replies; drops and counts events if the client reads too slowly."""

    def __init__(self, stream: LineStream) -> None:
        self._stream = stream
        self._waiting: deque[tuple[bytes, bool]] = deque()
        self._reply_bytes = 0
        self._event_bytes = 0
        self._dropped = 0
        self.overflowed = False
        self._has_work = asyncio.Event()
        self._task = asyncio.create_task(self._send())

    def reply(self, data: bytes) -> None:
        if self._send_now(data):
            return
        unsent = self._stream.transport.get_write_buffer_size()
        self._reply_bytes += len(data)
        if unsent + self._reply_bytes > MAX_REPLY_BYTES:
            self.overflowed = True
            self._waiting.clear()
            self._stream.transport.abort()
            return
        self._put(data, is_event=False)

    def note_dropped(self, more: int = 0) -> None:
        """Send the number of dropped events, before the next message; `more` are a worker's."""
        self._dropped += more
        if self._dropped:
            self.reply(self._dropped_note())

    def event(self, data: bytes) -> None:
        # At once: a response is in the socket of each subscriber before its client gets it, so that
        # no recording lacks it when the daemon is killed.
        if not self._dropped and self._send_now(data):
            return
        if self._event_bytes + len(data) > MAX_EVENT_BYTES:
            self._dropped += 1
            return
        if self._dropped:
            data = self._dropped_note() + data
        self._event_bytes += len(data)
        self._put(data, is_event=True)

    async def close(self) -> None:
        """Send the queued data, with a time limit, then close."""
        if self._waiting and not self._stream.transport.is_closing():
            with suppress(OSError, TimeoutError):
                await asyncio.wait_for(self._drained(), 1.0)
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self._stream.transport.close()

    def _send_now(self, data: bytes) -> bool:
        """Send without the task if nothing is queued, and the socket takes it."""
        if self._waiting or self._stream.transport.get_write_buffer_size():
            return False
        self._stream.write(data)
        return True

    def _dropped_note(self) -> bytes:
        note = {"event": "dropped", "count": self._dropped}
        self._dropped = 0
        return json.dumps(note).encode() + b"\n"

    def _put(self, data: bytes, *, is_event: bool) -> None:
        self._waiting.append((data, is_event))
        self._has_work.set()

    async def _drained(self) -> None:
        while self._waiting:
            await self._stream.drain()
            await asyncio.sleep(0)

    async def _send(self) -> None:
        with suppress(OSError):
            while True:
                await self._has_work.wait()
                while self._waiting:
                    data, is_event = self._waiting.popleft()
                    if is_event:
                        self._event_bytes -= len(data)
                    else:
                        self._reply_bytes -= len(data)
                    self._stream.write(data)
                    await self._stream.drain()
                if self._dropped:
                    self._stream.write(self._dropped_note())
                    await self._stream.drain()
                self._has_work.clear()
