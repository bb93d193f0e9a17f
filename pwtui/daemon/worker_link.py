"""The daemon's end of a worker: requests out, replies and events in.

Daemon and worker exchange lines over a socket pair. A request is two lines, `Q<number> <what others
get of it> <caller>`, and the envelope as the client sent it. A reply is one line,
`R<number> <response>`: its bytes are sent to the client as they are. `E<number> <request and
response>`, both masked (`Shown.to_line`), is sent before it when there are subscribers, or when it
is recorded. `V<kind> <session key> <event>` is an event of a session, masked. All other lines are
JSON objects.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import psutil
from pydantic_core import from_json

from pwtui.daemon.line_protocol import LineStream
from pwtui.daemon.shown import Shown, Wants
from pwtui.protocol.errors import SessionError
from pwtui.protocol.models import SessionData
from pwtui.protocol.ndjson import MAX_LINE_BYTES, LineTooLong
from pwtui.runtime.caller import Caller, Conversation, NoConversation

CANCEL_SECONDS = 2.0
FLOOD_LOOK_SECONDS = 2.0
_NO_CONVERSATION = NoConversation()
FLOOD_SHARE = 0.3
"""The maximum CPU share of a driver while its session is idle."""


Dropped = list[tuple[str, str, int]]
"""Kinds, session keys and numbers of events that a worker could not send."""


class WorkerLost(SessionError):
    """The worker exited, or was killed, before it replied."""

    def __init__(self, reason: str, cause: str) -> None:
        super().__init__(
            f"the session is lost: its worker {reason}",
            hint="the next request starts a new one",
            details={"cause": cause},
        )


@dataclass(eq=False)
class _Pending:
    conversation: Conversation | None = None
    shown: bytes | None = None
    done: asyncio.Future[Any] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    asking: asyncio.Task[None] | None = None


class WorkerLink:
    """One worker process, as the daemon sees it.

    It can be used at once: what is sent is held until `release`, when the process is there.
    """

    def __init__(self) -> None:
        self.profile_id = ""
        self.process: psutil.Process | None = None
        self.driver: psutil.Process | None = None
        self.browsers: set[psutil.Process] = set()
        self.sessions: list[SessionData] = []
        self.loss: tuple[str, str] = ("exited", "workerGone")
        """The reason and cause of the loss, if it is lost."""
        self.silent_since: float | None = None
        self.has_low_priority = False
        self.idle_since = time.monotonic()
        self.on_event: Callable[[dict[str, Any]], None] = lambda event: None
        self.on_observed: Callable[[str, str, bytes], None] = lambda kind, session_key, data: None
        self.on_dropped: Callable[[Dropped], None] = lambda counts: None
        self.on_sessions: Callable[[], None] = lambda: None
        self.on_end: Callable[[], None] = lambda: None
        self.ended = asyncio.Event()
        self.created = self.idle_since
        self._driver_times = (0.0, 0.0)
        self._stream: LineStream | None = None
        self._held: list[bytes] | None = []
        self._numbers = itertools.count(1)
        self._pending: dict[int, _Pending] = {}
        self._observed: dict[str, Any] = {"kinds": [], "sessions": {}, "frames": None}

    async def attach(self, end: socket.socket) -> None:
        """Use the worker at the other end of this socket."""
        _, stream = await asyncio.get_running_loop().create_unix_connection(
            lambda: LineStream(limit=2 * MAX_LINE_BYTES), sock=end
        )
        self._stream = stream
        stream.on_line, stream.on_end = self._receive, self.end

    def hold(self) -> None:
        """Send nothing until `release`."""
        self._held = self._held or []

    def release(self) -> None:
        held, self._held = self._held, None
        for data in held or ():
            self._write(data)

    @property
    def is_attached(self) -> bool:
        return self._stream is not None

    @property
    def is_open(self) -> bool:
        return not self.ended.is_set()

    @property
    def is_busy(self) -> bool:
        return bool(self._pending)

    @property
    def is_reusable(self) -> bool:
        """Whether it had a session that was closed, and can have one of another profile."""
        responds = self.is_open and self.silent_since is None and not self.has_low_priority
        return responds and bool(self.browsers) and not self.sessions and not self.is_busy

    def adopt(self, profile_id: str, *, lost: str | None) -> None:
        """Make it the worker of a profile; `lost` is what its next session reports."""
        self.profile_id = profile_id
        self.browsers = {each for each in self.browsers if each.is_running()}
        self._send({"do": "adopt", "lost": lost, "daemon": os.getpid()})

    def observe(self, wanted: dict[str, Any]) -> None:
        """Publish these events of its sessions, in place of those before."""
        if wanted != self._observed:
            self._observed = wanted
            self._send({"do": "observe", **wanted})

    def repeat(self, wanted: dict[str, Any]) -> None:
        """Publish the newest states again: there is a new subscriber that wants these."""
        self._send({"do": "repeat", **wanted})

    def acknowledge(self, session_key: str) -> None:
        """A subscriber can take another frame of a session."""
        self._send({"do": "ack", "session": session_key})

    async def run(
        self, envelope: bytes, caller: Caller, wants: Wants
    ) -> tuple[bytes, Shown | None]:
        """Run a request: the response, and what others than the caller get, if wanted."""
        number, pending = next(self._numbers), _Pending(caller.conversation)
        self._check_open()
        self._pending[number] = pending
        sender = sender_json(caller._replace(conversation=_NO_CONVERSATION))
        self._write(b"Q%d %b %b\n%b\n" % (number, (wants or "").encode(), sender, envelope))
        try:
            data = await pending.done
        except asyncio.CancelledError:
            pending.done = asyncio.get_running_loop().create_future()
            self._send({"do": "cancel", "id": number})
            # Later requests of the profile must not overtake it.
            await asyncio.wait({pending.done}, timeout=CANCEL_SECONDS)
            raise
        shown = pending.shown
        return data, Shown.from_line(shown, data) if shown is not None else None

    async def ask(self, what: str, **fields: Any) -> Any:
        """Send a query that is not queued with the profile's requests."""
        number, pending = next(self._numbers), _Pending()
        self._check_open()
        self._pending[number] = pending
        self._send({"do": what, "id": number, **fields})
        try:
            return from_json(await pending.done)
        finally:
            self._pending.pop(number, None)

    def ping(self) -> None:
        """Send a ping."""
        if self.silent_since is None:
            self.silent_since = time.monotonic()
            self._send({"do": "ping"})

    def is_flooded(self, now: float) -> bool:
        """Whether its driver was busy since the last look, although no request ran."""
        used = 0.0
        if self.driver is not None:
            with suppress(psutil.Error):
                times = self.driver.cpu_times()
                used = times.user + times.system
        (last, last_used), self._driver_times = self._driver_times, (now, used)
        had_request = self.is_busy or self.idle_since > last
        if had_request or now - last > 2 * FLOOD_LOOK_SECONDS:
            return False
        return used - last_used > FLOOD_SHARE * (now - last)

    def exit(self) -> None:
        """Ask it to close its sessions and exit."""
        self._send({"do": "exit"})

    def end(self) -> None:
        """Fail all pending requests."""
        if self.ended.is_set():
            return
        self.ended.set()
        if self._stream is not None:
            self._stream.transport.abort()
        pending, self._pending = self._pending, {}
        for each in pending.values():
            if each.asking is not None:
                each.asking.cancel()
            if not each.done.done():
                each.done.set_exception(WorkerLost(*self.loss))
                each.done.exception()  # its request may have been cancelled
        self.on_end()

    def _check_open(self) -> None:
        if not self.is_open:
            raise WorkerLost(*self.loss)

    def _send(self, frame: dict[str, Any]) -> None:
        self._write(json.dumps(frame).encode() + b"\n")

    def _write(self, data: bytes) -> None:
        if self._held is not None:
            self._held.append(data)
        elif self._stream is not None:
            self._stream.write(data)

    def _receive(self, line: bytes | LineTooLong) -> None:
        self.silent_since = None
        if isinstance(line, LineTooLong):
            self.end()
            return
        kind = line[:1]
        if kind == b"R" or kind == b"E":
            number, _, data = line.partition(b" ")
            self._receive_reply(kind, int(number[1:]), data)
            return
        if kind == b"V":
            what, session_key, data = line[1:].split(b" ", 2)
            self.on_observed(what.decode(), session_key.decode(), data)
            return
        frame = from_json(line)
        match frame["is"]:
            case "started":
                self.process = _process(frame["pid"])
            case "driver":
                self.driver = _process(frame["pid"])
            case "browser":
                if process := _process(frame["pid"]):
                    self.browsers.add(process)
            case "sessions":
                self.sessions = [SessionData.model_validate(each) for each in frame["sessions"]]
                self.on_sessions()
            case "event":
                self.on_event(frame["event"])
            case "dropped":
                self.on_dropped(frame["counts"])
            case "tell" | "ask":
                self._converse(frame)

    def _receive_reply(self, kind: bytes, number: int, data: bytes) -> None:
        pending = self._pending.get(number)
        if pending is None:
            return
        if kind == b"E":
            pending.shown = data
            return
        del self._pending[number]
        self.idle_since = time.monotonic()
        if not pending.done.done():
            pending.done.set_result(data)

    def _converse(self, frame: dict[str, Any]) -> None:
        pending = self._pending.get(frame["id"])
        if pending is None or pending.conversation is None:
            return
        if frame["is"] == "tell":
            pending.conversation.show(frame["text"])
        else:
            pending.asking = asyncio.create_task(self._wait_for_enter(frame["id"], pending))

    async def _wait_for_enter(self, number: int, pending: _Pending) -> None:
        assert pending.conversation is not None
        await pending.conversation.wait_for_enter()
        self._send({"do": "answer", "id": number})


def _process(pid: int) -> psutil.Process | None:
    with suppress(psutil.Error):
        return psutil.Process(pid)
    return None


@lru_cache(maxsize=64)
def sender_json(caller: Caller) -> bytes:
    fields = {
        "workspace": str(caller.workspace.root),
        "cwd": str(caller.cwd),
        "mode": caller.mode,
        "profile": caller.profile,
        "artifactsDir": str(caller.artifacts_dir) if caller.artifacts_dir else None,
        "verbosity": caller.verbosity,
        "mayStart": caller.may_start,
        "impatient": caller.impatient,
    }
    return json.dumps(fields).encode()
