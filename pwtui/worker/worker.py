"""Runs the requests that the daemon hands over; its messages are in `worker_link`."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
from collections.abc import Coroutine
from functools import lru_cache
from pathlib import Path
from typing import Any

from pwtui.browser.session.observers import Wanted
from pwtui.browser.session.pool import BrowserPool
from pwtui.daemon.line_protocol import LineStream
from pwtui.engine.executor import Executor
from pwtui.engine.request_echo import masked_response
from pwtui.protocol.addresses import SessionKey
from pwtui.protocol.envelope import Response, decode_request
from pwtui.protocol.errors import ResultTooLarge
from pwtui.protocol.ndjson import MAX_LINE_BYTES, LineTooLong
from pwtui.runtime.caller import Caller, Mode
from pwtui.state.paths import daemon_log_file
from pwtui.state.workspace import Workspace

log = logging.getLogger(__name__)

PAGE_EVENT_SECONDS = 0.05
MAX_RESULT_BYTES = 32 * 1024 * 1024


class Worker:
    """Serves until the daemon ends it, or has exited."""

    def __init__(self, stream: LineStream, temporary: Path | None, daemon_pid: int) -> None:
        self._stream = stream
        self._pool = BrowserPool(reachable=True, temporary=temporary, owner_pid=daemon_pid)
        self._pool.on_change = self._pool_changed
        self._pool.on_driver = lambda pid: self._send({"is": "driver", "pid": pid})
        self._pool.on_browser = lambda pid: self._send({"is": "browser", "pid": pid})
        self._executor = Executor(self._pool)
        self._executor.fault_log = daemon_log_file()
        self._header: dict[str, Any] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._requests: dict[int, asyncio.Task[None]] = {}
        self._conversations: dict[int, _Conversation] = {}
        self._ending = asyncio.Event()
        self._may_exit = False
        self._page_events: dict[tuple[str, str, int], dict[str, Any]] = {}
        self._is_pausing = False
        stream.on_line, stream.on_end = self._receive, self._ending.set

    @classmethod
    async def serve(cls, end: socket.socket, temporary: Path | None, daemon_pid: int) -> None:
        """Serve the daemon at the other end of this socket; then close what was opened."""
        loop = asyncio.get_running_loop()
        _, stream = await loop.create_unix_connection(
            lambda: LineStream(limit=2 * MAX_LINE_BYTES), sock=end
        )
        worker = cls(stream, temporary, daemon_pid)
        loop.add_signal_handler(signal.SIGTERM, worker._ending.set)
        worker._send({"is": "started", "pid": os.getpid()})
        worker._start(worker._pool.warm_up())
        await worker._ending.wait()
        for task in list(worker._tasks):
            task.cancel()
        await asyncio.gather(*worker._tasks, return_exceptions=True)
        await worker._pool.close(leaves_descriptors=not worker._may_exit)
        await worker._executor.close()

    def _receive(self, line: bytes | LineTooLong) -> None:
        if isinstance(line, LineTooLong):  # the daemon refuses such lines
            self._ending.set()
            return
        if (header := self._header) is not None:
            self._header = None
            self._requests[header["id"]] = self._start(self._run(header, line))
            return
        frame = json.loads(line)
        match frame["do"]:
            case "request":
                self._header = frame
            case "cancel":
                if task := self._requests.get(frame["id"]):
                    task.cancel()
            case "answer":
                if conversation := self._conversations.get(frame["id"]):
                    conversation.answered.set()
            case "ping":
                self._send({"is": "pong"})
            case "adopt":
                self._pool.lost_session = frame["lost"]
            case "sessions":
                self._start(self._answer_sessions(frame["id"]))
            case "observe":
                each = {key: frozenset(kinds) for key, kinds in frame["sessions"].items()}
                wanted = Wanted(frozenset(frame["kinds"]), each)
                self._pool.observers.subscribe(self._observed, wanted)
            case "state":
                self._start(self._answer_state(frame["id"]))
            case "sync":
                self._start(self._answer_sync(frame["id"]))
            case "stop":
                self._start(self._answer_stop(frame))
            case "exit":
                self._may_exit = True
                self._ending.set()

    async def _run(self, header: dict[str, Any], line: bytes) -> None:
        number, data = header["id"], b""
        conversation = self._conversations[number] = _Conversation(self, number)
        caller = _caller(
            header["workspace"],
            header["cwd"],
            header["mode"],
            header["profile"],
            header["artifactsDir"],
            header["verbosity"],
            header["mayStart"],
            header["impatient"],
        )._replace(conversation=conversation)
        try:
            executed = await self._executor.execute_traced(decode_request(line), caller)
            response, data = _limited(executed.response)
            if header["wants"]:
                shown, seen = executed.request.to_json(), masked_response(response).to_json()
                envelopes = f'{{"request": {shown}, "response": {seen}}}'
                self._stream.write(b"E%d %b\n" % (number, envelopes.encode()))
        finally:
            del self._requests[number], self._conversations[number]
            self._stream.write(b"R%d %b\n" % (number, data))

    async def _answer_sessions(self, number: int) -> None:
        self._reply(number, [each.to_wire() for each in await self._pool.described()])

    async def _answer_state(self, number: int) -> None:
        self._reply(number, [each.to_wire() for each in await self._pool.states()])

    async def _answer_sync(self, number: int) -> None:
        await self._pool.observers.settled()
        self._reply(number, True)

    async def _answer_stop(self, frame: dict[str, Any]) -> None:
        keys = [SessionKey.parse(each) for each in frame["keys"]]
        self._reply(frame["id"], await self._pool.stop(keys, frame["pid"]))

    def _pool_changed(self, kind: str, event: dict[str, Any]) -> None:
        event = {"event": kind, **event}
        if kind == "page" and self._is_pausing:
            self._page_events[event["change"], event["sessionKey"], event["tab"]] = event
            return
        self._send({"is": "event", "event": event})
        if kind == "page":
            self._pause_page_events()
        if kind == "session":
            live = self._pool.sessions.items()
            sessions = [self._pool.describe(spec, session).to_wire() for spec, session in live]
            self._send({"is": "sessions", "sessions": sessions})

    def _pause_page_events(self) -> None:
        """A page can change thousands of times a second: only its newest state is sent."""
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
        text = json.dumps(event, ensure_ascii=False)
        head = f"V{kind} {event['sessionKey']} "
        self._stream.write((head + text + "\n").encode("utf-8", "replace"))

    def _reply(self, number: int, value: object) -> None:
        self._stream.write(b"R%d %b\n" % (number, json.dumps(value).encode()))

    def _send(self, frame: dict[str, Any]) -> None:
        self._stream.write(json.dumps(frame, default=str).encode() + b"\n")

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("fault in a worker", exc_info=error)


class _Conversation:
    """Reaches the person at the client through the daemon."""

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


@lru_cache(maxsize=64)
def _caller(
    workspace: str,
    cwd: str,
    mode: Mode,
    profile: str | None,
    artifacts: str | None,
    verbosity: int,
    may_start: bool,
    impatient: bool,
) -> Caller:
    return Caller(
        workspace=Workspace(Path(workspace)),
        cwd=Path(cwd),
        mode=mode,
        profile=profile,
        artifacts_dir=Path(artifacts) if artifacts else None,
        verbosity=verbosity,
        may_start=may_start,
        impatient=impatient,
    )


def _limited(response: Response) -> tuple[Response, bytes]:
    """The response and its JSON; an error in its place when it is too long."""
    data = response.to_json().encode()
    if len(data) <= MAX_RESULT_BYTES:
        return response, data
    error = ResultTooLarge(
        f"the result of {response.op} has {len(data)} bytes, more than {MAX_RESULT_BYTES}",
        hint="return less of it, or write it to a file with `page.run`",
        details={"bytes": len(data), "limitBytes": MAX_RESULT_BYTES},
    )
    refused = Response.failure(
        response.op,
        error,
        request_id=response.request_id,
        duration_ms=response.duration_ms,
        diagnostics=response.diagnostics or (),
        effective_runtime=response.effective_runtime,
    )
    return refused, refused.to_json().encode()
