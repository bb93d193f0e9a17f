"""A client of the daemon: many requests in flight on one connection."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from pwtui import __version__
from pwtui.daemon.address import UnsafeFolder, check_private, runtime_dir, socket_path
from pwtui.daemon.line_protocol import LineStream
from pwtui.daemon.peer import peer_of
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import SessionError
from pwtui.protocol.ndjson import MAX_LINE_BYTES, LineTooLong

Event = dict[str, Any]
ANSWER_SECONDS = 10.0


class DaemonGone(SessionError):
    """The daemon ended before it answered."""

    def __init__(self) -> None:
        super().__init__(
            "the daemon ended before it answered; the next request starts a new one, and the state "
            "of its pages is lost",
            details={"cause": "daemonGone"},
        )


class DaemonClient:
    """Speaks NDJSON with the daemon. Use `connect`, then `hello`."""

    def __init__(self, stream: LineStream) -> None:
        self._stream = stream
        self._numbers = itertools.count(1)
        self._replies: dict[str, asyncio.Future[Any]] = {}
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._on_event: Callable[[Event], None] | None = None
        self._ended = asyncio.Event()
        stream.on_line, stream.on_end = self._take, self._end

    @classmethod
    async def connect(cls, folder: str | None = None) -> DaemonClient | None:
        """A connection to the daemon (of a runtime folder); None when none runs."""
        folder = folder or runtime_dir()
        loop = asyncio.get_running_loop()
        try:
            check_private(folder)
            _, stream = await loop.create_unix_connection(
                lambda: LineStream(limit=2 * MAX_LINE_BYTES), socket_path(folder)
            )
        except (OSError, UnsafeFolder):
            return None
        return cls(stream)

    @property
    def connected(self) -> bool:
        return not self._ended.is_set()

    @property
    def daemon_pid(self) -> int | None:
        """The process at the other end, as the kernel knows it."""
        return peer_of(self._stream.transport.get_extra_info("socket")).pid

    async def hello(self, *, workspace: Path, cwd: Path, **more: Any) -> dict[str, Any]:
        return await self.ask(
            "hello", version=__version__, workspace=str(workspace), cwd=str(cwd), **more
        )

    async def request(self, request: Request) -> Response:
        """Send an envelope; cancelling this await cancels the request in the daemon."""
        # Unique on this connection, whatever ids the caller uses, and still to be recognised.
        wire_id = f"{request.request_id or 'c'}~{next(self._numbers)}"
        sent = request.model_copy(update={"request_id": wire_id})
        future = self._expect(wire_id)
        self._stream.write(sent.to_json().encode() + b"\n")
        try:
            value = await future
        except asyncio.CancelledError:
            self._write({"cmd": "cancel", "requestId": wire_id})
            raise
        finally:
            self._replies.pop(wire_id, None)
        value.pop("requestId", None)
        response = Response.model_validate(value)
        response.request_id = request.request_id
        return response

    async def look(self, request: Request) -> Response:
        """Like request, for what only looks: starts no browser and is told to nobody."""
        wire_id = f"look~{next(self._numbers)}"
        sent = request.model_copy(update={"request_id": wire_id})
        try:
            reply = await self.control("look", request=sent.to_wire())
        except asyncio.CancelledError:
            self._write({"cmd": "cancel", "requestId": wire_id})
            raise
        return Response.model_validate(reply["response"])

    async def ask(self, command: str, **fields: Any) -> dict[str, Any]:
        """Like control, for what a daemon answers at once unless it hangs."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await self.control(command, **fields)
        except TimeoutError:
            raise SessionError(
                f"the daemon (process {self.daemon_pid}) does not answer; end it with "
                "`pw daemon stop`",
                details={"cause": "daemonHung"},
            ) from None

    async def control(self, command: str, **fields: Any) -> dict[str, Any]:
        """Send a control message and return its reply, or raise what it was refused with."""
        wire_id = f"k{next(self._numbers)}"
        future = self._expect(wire_id)
        self._write({"cmd": command, "id": wire_id, **fields})
        try:
            reply: dict[str, Any] = await future
        finally:
            self._replies.pop(wire_id, None)
        if not reply.get("ok"):
            error = reply.get("error") or {}
            raise SessionError(str(error.get("message", "refused")))
        return reply

    def send(self, message: dict[str, Any]) -> None:
        """Send a message that has no reply."""
        self._write(message)

    def on_event(self, handler: Callable[[Event], None]) -> None:
        """Hand events over as they come, instead of keeping them for `events`."""
        self._on_event = handler

    async def events(self) -> AsyncIterator[Event]:
        """What the daemon tells subscribers, until the connection ends."""
        while (event := await self._events.get()) is not None:
            yield event

    async def closed(self) -> None:
        """Until the daemon ends the connection."""
        await self._ended.wait()

    async def wait_closed(self, seconds: float) -> bool:
        """Until the daemon ends the connection; False when it has not in this time."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), seconds)
        return self._ended.is_set()

    async def close(self) -> None:
        await self._stream.close()

    def _expect(self, wire_id: str) -> asyncio.Future[Any]:
        if self._ended.is_set():
            raise DaemonGone
        future = asyncio.get_running_loop().create_future()
        self._replies[wire_id] = future
        return future

    def _write(self, message: dict[str, Any]) -> None:
        text = json.dumps(message, ensure_ascii=False)
        self._stream.write(text.encode("utf-8", "replace") + b"\n")

    def _end(self) -> None:
        self._ended.set()
        for future in self._replies.values():
            if not future.done():
                future.set_exception(DaemonGone())
        self._events.put_nowait(None)
        self._stream.transport.close()

    def _take(self, line: bytes | LineTooLong) -> None:
        message: dict[str, Any] | None
        try:
            message = None if isinstance(line, LineTooLong) else from_json(line)
        except ValueError:
            message = None
        if message is None:
            # Out of step with the daemon: nothing that follows can be trusted.
            self._stream.transport.abort()
            return
        if "event" in message:
            if self._on_event is not None:
                self._on_event(message)
            else:
                self._events.put_nowait(message)
            return
        future = self._replies.get(message.get("id") or message.get("requestId") or "")
        if future is not None and not future.done():
            future.set_result(message)
