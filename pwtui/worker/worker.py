"""Runs the requests that the daemon forwards; `worker_link` describes the messages."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
from collections import Counter
from collections.abc import Coroutine
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from pwtui.browser.launch.driver_process import Driver
from pwtui.browser.launch.processes import MemoryRelease
from pwtui.browser.session.bound_session import BoundSession
from pwtui.browser.session.observers import Wanted
from pwtui.browser.session.pool import BrowserPool
from pwtui.daemon.line_protocol import LineStream
from pwtui.daemon.shown import Shown, Wants
from pwtui.engine.executor import Executor
from pwtui.protocol.addresses import SessionKey
from pwtui.protocol.envelope import Response, decode_request
from pwtui.protocol.errors import MAX_RESULT_BYTES, PwError, ResultTooLarge
from pwtui.protocol.events import FrameLimits
from pwtui.protocol.models import SessionData
from pwtui.protocol.ndjson import MAX_LINE_BYTES, LineTooLong
from pwtui.runtime.caller import Caller
from pwtui.state.paths import daemon_log_file
from pwtui.state.workspace import Workspace

log = logging.getLogger(__name__)

PAGE_EVENT_SECONDS = 0.05
MAX_UNSENT_BYTES = 8 * 1024 * 1024
"""With more that the daemon has not read yet, events are dropped and counted."""


class Worker:
    """Serves until the daemon stops it or exits."""

    def __init__(
        self, stream: LineStream, temporary: Path | None, driver: asyncio.Task[Driver]
    ) -> None:
        self._stream = stream
        self.pool = BrowserPool(reachable=True, temporary=temporary, starting=driver)
        self.pool.on_change = self._pool_changed
        self.pool.on_driver = lambda pid: self._send({"is": "driver", "pid": pid})
        self.pool.on_browser = lambda pid: self._send({"is": "browser", "pid": pid})
        self._executor = Executor(self.pool)
        self._executor.fault_log = daemon_log_file()
        self._bound: BoundSession | None = None
        self._header: tuple[int, Wants, Caller] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._requests: dict[int, asyncio.Task[None]] = {}
        self._conversations: dict[int, _Conversation] = {}
        self._ending = asyncio.Event()
        self._may_exit = False
        self._page_events: dict[tuple[str, str, int], dict[str, Any]] = {}
        self._is_pausing = False
        self._dropped: Counter[tuple[str, str]] = Counter()
        self._memory = MemoryRelease()
        stream.on_line, stream.on_end = self._receive, self._ending.set

    @classmethod
    async def serve(
        cls, end: socket.socket, temporary: Path | None, driver: asyncio.Task[Driver]
    ) -> None:
        """Serve the daemon at the other end of this socket."""
        loop = asyncio.get_running_loop()
        _, stream = await loop.create_unix_connection(
            lambda: LineStream(limit=2 * MAX_LINE_BYTES), sock=end
        )
        worker = cls(stream, temporary, driver)
        loop.add_signal_handler(signal.SIGTERM, worker._ending.set)
        await worker.run()

    async def run(self) -> None:
        """Serve until it is ended; then close what was opened."""
        self._send({"is": "started", "pid": os.getpid()})
        self._start(self.pool.warm_up())
        await self._ending.wait()
        tasks = [*self._tasks, *self._requests.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._bound is not None:
            await self._bound.close()
        await self.pool.close(leaves_descriptors=not self._may_exit)
        await self._executor.close()

    def _receive(self, line: bytes | LineTooLong) -> None:
        if isinstance(line, LineTooLong):  # the daemon refuses such lines
            self._ending.set()
            return
        if self._header is not None:
            (number, wants, caller), self._header = self._header, None
            run = self._run(number, wants, caller, line)
            self._requests[number] = asyncio.create_task(run)
            return
        if line[:1] == b"Q":
            head, who, sender = line.split(b" ", 2)
            self._header = int(head[1:]), cast("Wants", who.decode() or None), _caller(sender)
            return
        frame = json.loads(line)
        match frame["do"]:
            case "cancel":
                if task := self._requests.get(frame["id"]):
                    # Not before its first step: it has to reply.
                    asyncio.get_running_loop().call_soon(task.cancel)
            case "answer":
                if conversation := self._conversations.get(frame["id"]):
                    conversation.answered.set()
            case "ping":
                self._send({"is": "pong"})
            case "adopt":
                self.pool.lost_session, self.pool.owner_pid = frame["lost"], frame["daemon"]
            case "sessions":
                self._start(self._answer_sessions(frame["id"]))
            case "observe":
                self.pool.observers.subscribe(self._observed, _wanted(frame))
            case "repeat":
                self.pool.observers.repeat(_wanted(frame))
            case "ack":
                self.pool.observers.acknowledge(frame["session"])
            case "join":
                self._start(self._answer_join(frame))
            case "hold":
                self._start(self._answer_hold(frame))
            case "state":
                self._start(self._answer_state(frame["id"]))
            case "sync":
                self._start(self._answer_sync(frame["id"]))
            case "stop":
                self._start(self._answer_stop(frame))
            case "exit":
                self._may_exit = True
                self._ending.set()

    async def _run(self, number: int, wants: Wants, caller: Caller, line: bytes) -> None:
        shown, data = b"", b""
        conversation = self._conversations[number] = _Conversation(self, number)
        caller = caller._replace(conversation=conversation)
        try:
            executed = await self._executor.execute_traced(decode_request(line), caller)
            response, data = self._limited(executed.response)
            if wants is not None:
                masked, watched = executed.masked_request, wants == "watched"
                line = Shown.of(masked, response, data, watched=watched).to_line(data)
                shown = b"E%d %b\n" % (number, line)
        finally:
            del self._requests[number], self._conversations[number]
            # Each write wakes the daemon.
            self._stream.write(b"%bR%d %b\n" % (shown, number, data))

    def _limited(self, response: Response) -> tuple[Response, bytes]:
        """The response and its JSON; ResultTooLarge instead if it is too long."""
        data = response.to_json().encode()
        self._memory.after_reply(len(data))
        if len(data) <= MAX_RESULT_BYTES:
            return response, data
        refused = Response.failure(
            response.op,
            ResultTooLarge.of(response.op, len(data)),
            request_id=response.request_id,
            duration_ms=response.duration_ms,
            diagnostics=response.diagnostics or (),
            effective_runtime=response.effective_runtime,
        )
        return refused, refused.to_json().encode()

    async def _answer_sessions(self, number: int) -> None:
        found = await self.pool.described()
        if self._bound is not None:
            found.append(await self._bound.described())
        self._reply(number, [each.to_wire() for each in found])

    async def _answer_state(self, number: int) -> None:
        found = await self.pool.states()
        if self._bound is not None:
            found.append(await self._bound.state())
        self._reply(number, [each.to_wire() for each in found])

    async def _answer_join(self, frame: dict[str, Any]) -> None:
        """Observe a bound browser; the reply is None, or why that is not possible."""
        session = SessionData.model_validate(frame["session"])
        try:
            playwright = await self.pool.playwright()
            self._bound = await BoundSession.open(playwright, session, self.pool.observers)
        except PwError as error:
            self._reply(frame["id"], error.message)
            return
        self._bound.on_end = self._bound_ended
        self._bound.on_release = self._send_sessions
        self._send_sessions()
        self._reply(frame["id"], None)

    def _bound_ended(self) -> None:
        self._bound = None
        self._send_sessions()
        self._send({"is": "event", "event": {"event": "session", "change": "others"}})

    async def _answer_hold(self, frame: dict[str, Any]) -> None:
        """Hold or release the actions of the bound browser's program."""
        reply: dict[str, Any] = {"changed": False}
        if self._bound is not None:
            try:
                match frame["action"]:
                    case "pause":
                        reply["changed"] = await self._bound.pause(frame["by"])
                    case "step":
                        await self._bound.step(frame["by"])
                        reply["changed"] = True
                    case "resume":
                        reply["changed"] = await self._bound.resume()
            except PwError as error:
                reply["error"] = error.message
        self._send_sessions()
        self._reply(frame["id"], reply)

    async def _answer_sync(self, number: int) -> None:
        if self._bound is not None:
            await self._bound.described()  # its answer comes after earlier events
        await self.pool.observers.settled()
        self._report_dropped()
        self._reply(number, True)

    async def _answer_stop(self, frame: dict[str, Any]) -> None:
        keys = [SessionKey.parse(each) for each in frame["keys"]]
        self._reply(frame["id"], await self.pool.stop(keys, frame["pid"]))

    def _pool_changed(self, kind: str, event: dict[str, Any]) -> None:
        event = {"event": kind, **event}
        if kind == "page" and self._is_pausing:
            self._page_events[event["change"], event["sessionKey"], event["tab"]] = event
            return
        self._send({"is": "event", "event": event})
        if kind == "page":
            self._pause_page_events()
        if kind == "session":
            self._send_sessions()

    def _send_sessions(self) -> None:
        live = self.pool.sessions.items()
        sessions = [self.pool.describe(spec, session) for spec, session in live]
        if self._bound is not None:
            sessions.append(self._bound.describe())
        self._send({"is": "sessions", "sessions": [each.to_wire() for each in sessions]})

    def _pause_page_events(self) -> None:
        """Limit page events: a page can change thousands of times a second."""
        self._is_pausing = True
        asyncio.get_running_loop().call_later(PAGE_EVENT_SECONDS, self._send_page_events)

    def _send_page_events(self) -> None:
        events, self._page_events = self._page_events, {}
        self._is_pausing = False
        for event in events.values():
            self._send({"is": "event", "event": event})
        if events:
            self._pause_page_events()

    def _observed(self, kind: str, event: dict[str, Any]) -> None:
        if self._stream.transport.get_write_buffer_size() > MAX_UNSENT_BYTES:
            self._dropped[kind, event["sessionKey"]] += 1
            return
        self._report_dropped()
        text = json.dumps(event, ensure_ascii=False)
        head = f"V{kind} {event['sessionKey']} "
        self._stream.write((head + text + "\n").encode("utf-8", "replace"))

    def _report_dropped(self) -> None:
        if self._dropped:
            counts = [(*each, count) for each, count in self._dropped.items()]
            self._send({"is": "dropped", "counts": counts})
            self._dropped.clear()

    def _reply(self, number: int, value: object) -> None:
        self._stream.write(b"R%d %b\n" % (number, json.dumps(value).encode()))

    def _send(self, frame: dict[str, Any]) -> None:
        self._stream.write(json.dumps(frame, default=str).encode() + b"\n")

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("fault in a worker", exc_info=error)


class _Conversation:
    """Communicates with the user of the client through the daemon."""

    def __init__(self, worker: Worker, number: int) -> None:
        self.answered = asyncio.Event()
        self._worker = worker
        self._number = number

    def show(self, text: str) -> None:
        self._worker._send({"is": "tell", "id": self._number, "text": text})

    async def wait_for_enter(self) -> None:
        self.answered.clear()
        self._worker._send({"is": "ask", "id": self._number})
        await self.answered.wait()


def _wanted(frame: dict[str, Any]) -> Wanted:
    each = {key: frozenset(kinds) for key, kinds in frame["sessions"].items()}
    limits = frame["frames"]
    frames = FrameLimits.model_validate(limits) if limits else None
    return Wanted(frozenset(frame["kinds"]), each, frames)


@lru_cache(maxsize=64)
def _caller(data: bytes) -> Caller:
    sender = json.loads(data)
    artifacts = sender["artifactsDir"]
    return Caller(
        workspace=Workspace(Path(sender["workspace"])),
        cwd=Path(sender["cwd"]),
        mode=sender["mode"],
        profile=sender["profile"],
        artifacts_dir=Path(artifacts) if artifacts else None,
        verbosity=sender["verbosity"],
        may_start=sender["mayStart"],
        impatient=sender["impatient"],
    )
