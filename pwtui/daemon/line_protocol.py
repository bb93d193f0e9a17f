"""A stream of lines, for both ends of a connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

from pwtui.protocol.ndjson import MAX_LINE_BYTES, LineSplitter, LineTooLong

CLOSE_SECONDS = 1.0
EVENTS = ("request", "response", "client", "session", "page")
"""The events that a client can subscribe to."""

OnLine = Callable[[bytes | LineTooLong], None]


class LineStream(asyncio.Protocol):
    """Calls a function with each line as soon as it arrives.

    asyncio's own streams wake a task for each line, which costs as much as many a request.
    """

    def __init__(
        self,
        on_made: Callable[[LineStream], None] = lambda stream: None,
        *,
        limit: int = MAX_LINE_BYTES,
        takes_rest: bool = False,
    ) -> None:
        self._on_made = on_made
        self.on_line: OnLine = lambda line: None
        self.on_end: Callable[[], None] = lambda: None
        """Called once, at the end of the stream."""
        self._splitter = LineSplitter(limit)
        self._takes_rest = takes_rest
        """Whether a last line may lack its line break; from a killed process it is cut off."""
        self._transport: asyncio.Transport | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._lost = asyncio.Event()
        self._has_ended = False

    @property
    def transport(self) -> asyncio.Transport:
        assert self._transport is not None
        return self._transport

    def write(self, data: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(data)

    async def drain(self) -> None:
        """Wait until the write buffer has room. Raises ConnectionResetError if the peer is lost."""
        await self._writable.wait()
        if self._lost.is_set():
            raise ConnectionResetError

    async def close(self) -> None:
        self.transport.close()
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._lost.wait()
        except TimeoutError:
            self.transport.abort()  # the other end does not read

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._on_made(self)

    def data_received(self, data: bytes) -> None:
        for line in self._splitter.feed(data):
            self.on_line(line)

    def eof_received(self) -> bool:
        if self._takes_rest:
            for line in self._splitter.end():
                self.on_line(line)
        self._end()
        return True  # what is still to be said can be said

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost.set()
        self._writable.set()
        self._end()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def _end(self) -> None:
        if not self._has_ended:
            self._has_ended = True
            self.on_end()
