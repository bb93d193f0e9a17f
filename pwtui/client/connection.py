"""A connection to the daemon: concurrent requests, and events."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from typing import Any

from pydantic_core import from_json

from pwtui.daemon.address import UnsafeFolder, check_private, runtime_dir, socket_path
from pwtui.daemon.line_protocol import LineStream
from pwtui.daemon.peer import peer_of
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import SessionError
from pwtui.protocol.ndjson import MAX_LINE_BYTES, LineTooLong

Event = dict[str, Any]
OnEvent = Callable[[Event], None]
ANSWER_SECONDS = 10.0


class DaemonGone(SessionError):
    """The daemon exited before it replied."""

    def __init__(self) -> None:
        super().__init__(
            "the daemon exited before it replied: open pages are lost",
            hint="the next request starts a new one",
            details={"cause": "daemonGone"},
        )


class DaemonConnection:
    """Speaks NDJSON with the daemon. Use `connect`, then send `hello`."""

    def __init__(self, stream: LineStream) -> None:
        self.on_event: OnEvent = lambda event: None
        self._stream = stream
        self._numbers = itertools.count(1)
        self._replies: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._ended = asyncio.Event()
        stream.on_line, stream.on_end = self._receive, self._end

    @classmethod
    async def connect(cls, folder: str | None = None) -> DaemonConnection | None:
        """Connect to the daemon of a runtime folder; None if none is running."""
        folder = folder or runtime_dir()
        try:
            check_private(folder)
            _, stream = await asyncio.get_running_loop().create_unix_connection(
                lambda: LineStream(limit=2 * MAX_LINE_BYTES), socket_path(folder)
            )
        except (OSError, UnsafeFolder):
            return None
        return cls(stream)

    @property
    def is_open(self) -> bool:
        return not self._ended.is_set()

    @property
    def daemon_pid(self) -> int | None:
        """The process id of the daemon, as reported by the kernel."""
        return peer_of(self._stream.transport.get_extra_info("socket")).pid

    async def request(self, request: Request, *, look: bool = False) -> Response:
        """Send an envelope; cancelling this await cancels the request in the daemon.

        With `look` it only reads: it starts no browser, and no subscriber sees it.
        """
        # The caller's id, unless a request that has no reply yet uses it.
        given = wire_id = request.request_id or "c"
        while wire_id in self._replies or wire_id == "c":
            wire_id = f"{given}~{next(self._numbers)}"
        line = request.model_copy(update={"request_id": wire_id}).to_json().encode()
        if look:
            line = b'{"cmd": "look", "id": %b, "request": %b}' % (_encoded(wire_id), line)
        reply = await self._reply(wire_id, line)
        value = _accepted(reply)["response"] if look else reply
        return Response.model_validate({**value, "requestId": request.request_id})

    async def control(self, command: str, **fields: Any) -> dict[str, Any]:
        """Send a control message and return its reply, or raise what it was refused with."""
        wire_id = f"k{next(self._numbers)}"
        message = _encoded({"cmd": command, "id": wire_id, **fields})
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return _accepted(await self._reply(wire_id, message, cancel=False))
        except TimeoutError:
            raise SessionError(
                f"the daemon (process {self.daemon_pid}) does not respond",
                hint="stop it with `pw daemon stop`",
                details={"cause": "daemonHung"},
            ) from None

    def send(self, message: dict[str, Any]) -> None:
        """Send a message that has no reply."""
        self._stream.write(_encoded(message) + b"\n")

    async def closed(self) -> None:
        """Wait until the daemon closes the connection."""
        await self._ended.wait()

    async def close(self) -> None:
        await self._stream.close()

    async def _reply(self, wire_id: str, line: bytes, *, cancel: bool = True) -> dict[str, Any]:
        if self._ended.is_set():
            raise DaemonGone
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._replies[wire_id] = future
        self._stream.write(line + b"\n")
        try:
            return await future
        except asyncio.CancelledError:
            if cancel:
                self.send({"cmd": "cancel", "requestId": wire_id})
            raise
        finally:
            del self._replies[wire_id]

    def _end(self) -> None:
        self._ended.set()
        for future in self._replies.values():
            if not future.done():
                future.set_exception(DaemonGone())
        self.on_event({"event": "closed"})
        self._stream.transport.close()

    def _receive(self, line: bytes | LineTooLong) -> None:
        try:
            message = None if isinstance(line, LineTooLong) else from_json(line)
        except ValueError:
            message = None
        if message is None:
            # Out of step with the daemon: nothing that follows can be trusted.
            self._stream.transport.abort()
        elif "event" in message:
            self.on_event(message)
        else:
            future = self._replies.get(message.get("id") or message.get("requestId") or "")
            if future is not None and not future.done():
                future.set_result(message)


def _encoded(message: object) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")


def _accepted(reply: dict[str, Any]) -> dict[str, Any]:
    if not reply.get("ok"):
        error = reply.get("error") or {}
        raise SessionError(str(error.get("message", "refused")), hint=error.get("hint"))
    return reply
