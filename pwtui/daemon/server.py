"""The daemon: many clients, a worker for each profile with a session."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import stat
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil

from pwtui import __version__
from pwtui.browser.launch.processes import MemoryRelease
from pwtui.daemon.address import check_private, runtime_dir, socket_path
from pwtui.daemon.bound_browsers import BoundBrowsers
from pwtui.daemon.connection import Connection
from pwtui.daemon.control_messages import Argv, SeenEvent
from pwtui.daemon.filters import EventFilter, wanted_of
from pwtui.daemon.holds import Holds
from pwtui.daemon.launcher import Launcher
from pwtui.daemon.line_protocol import LineStream
from pwtui.daemon.peer import peer_of
from pwtui.daemon.recorder import Record, Recorder
from pwtui.daemon.router import Reply, Router
from pwtui.daemon.shown import Shown, Wants
from pwtui.daemon.subscribers import Subscribers
from pwtui.daemon.workers import Workers
from pwtui.engine.executor import Executor
from pwtui.engine.request_echo import masked_request
from pwtui.protocol.daemon import DaemonData, RunningRequestData
from pwtui.protocol.envelope import Envelope, Request, Response
from pwtui.protocol.errors import Cancelled, PwError, SessionError
from pwtui.protocol.kinds import STATES
from pwtui.runtime.caller import Caller
from pwtui.state.paths import daemon_log_file

log = logging.getLogger(__name__)

Perform = Callable[[Request, Caller], Awaitable[Response]]


@dataclass(frozen=True)
class CommandResult:
    """What a command line printed, and its exit code."""

    code: int
    out: bytes
    err: bytes


RunCommand = Callable[[Argv, Perform], Awaitable[CommandResult | None]]
"""Runs a command line with the given engine; returns None if the client has to run it."""


@dataclass(eq=False)
class RunningRequest:
    """A running request."""

    seq: int
    request: Request
    caller: Caller
    connection: Connection
    started: float = field(default_factory=time.monotonic)
    task: asyncio.Task[Any] | None = None
    is_cancelled: bool = False

    def cancel(self) -> None:
        self.is_cancelled = True
        if self.task is not None:
            self.task.cancel()


class DaemonServer:
    """Listens, routes requests, publishes events, and exits after the idle timeout."""

    def __init__(
        self,
        *,
        idle_seconds: float,
        run_command: RunCommand,
        launcher: Launcher | None = None,
        temporary: Path | None = None,
    ) -> None:
        self.subscribers = Subscribers()
        self.workers = Workers(self._publish_change, launcher=launcher, temporary=temporary)
        self.workers.wanted_of = lambda profile_id: wanted_of(
            self.subscribers.filters | self._recorder.filters(), profile_id
        )
        self.workers.on_observed = self._publish_observed
        self.workers.on_dropped = self.subscribers.publish_dropped
        self.executor = Executor(daemon=ServerControl(self), sessions=self.workers)
        self.executor.fault_log = daemon_log_file()
        self.bound = BoundBrowsers(self.workers, self.subscribers.want)
        self.holds = Holds(self.workers, self.bound)
        self.workers.holds, self.workers.is_held = self.holds, self.holds.is_held
        self._router = Router(self.executor, self.workers)
        self._recorder = Recorder(self._router.run, self.workers.observe)
        self.run_command = run_command
        self.idle_seconds = idle_seconds
        self.connections: set[Connection] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self.requests: dict[int, RunningRequest] = {}
        self.started_at = time.time()
        self.served = 0
        self._next_seq = 0
        self._next_client = 0
        self._ending = asyncio.Event()
        self._ends_when_idle = False
        self._idle_timer: asyncio.TimerHandle | None = None
        self._memory = MemoryRelease()

    async def serve(self, listener: socket.socket, ready: Callable[[], None]) -> None:
        """Serve until stopped; then stop everything that it started."""
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(
            lambda: LineStream(self._accept, takes_rest=True), sock=listener
        )
        self._watch_idle()
        self._recorder.open()
        ready()
        log.info("listening on %s", socket_path())
        try:
            await self._ending.wait()
        finally:
            server.close()
            for running in list(self.requests.values()):
                running.cancel()
            await asyncio.gather(*(each.close() for each in list(self.connections)))
            self.bound.close()
            await self._recorder.stop_looking()
            await self.workers.close()
            await self.executor.close()
            await self._recorder.close()
            log.info("ended after %d requests", self.served)

    def end(self) -> None:
        self._ending.set()

    def end_when_idle(self) -> None:
        """Exit as soon as no request is running."""
        self._ends_when_idle = True
        if not self.requests:
            self.end()

    async def perform(
        self,
        request: Request,
        caller: Caller,
        connection: Connection,
        *,
        line: bytes | None = None,
        quiet: bool = False,
    ) -> Reply:
        """Run one request of one client, visible to all subscribers unless it only looks.

        `line` is the request as the client wrote it.
        """
        self._next_seq += 1
        running = RunningRequest(self._next_seq, request, caller, connection)
        running.task = asyncio.current_task()
        self.requests[running.seq] = running
        if not quiet:
            self._publish_request(running)
        record = None
        wants: Wants = None
        if not quiet:
            record = self._recorder.begin(request, caller, running.seq, connection.describe())
            if self.subscribers.have("response", connection):
                wants = "watched"
            elif record is not None:
                wants = record.wants
        try:
            if hold := self.holds.find(request, caller, connection):
                await hold.wait(request, connection)
            reply = await self._router.run(request, caller, line, wants)
        except SessionError as error:
            reply = _failed(running, error, wants)
        except asyncio.CancelledError:
            reply = _cancelled(running, wants)
            if not running.is_cancelled:
                # The client is disconnected: only subscribers and the history get the reply.
                if not quiet:
                    self._finish(running, reply, record)
                raise
            if running.task is not None:
                running.task.uncancel()  # it has a reply to send
        finally:
            del self.requests[running.seq]
            self.served += 1
            if self._ends_when_idle and not self.requests:
                asyncio.get_running_loop().call_soon(self.end)
        if not quiet:
            self._finish(running, reply, record)
        self._memory.after_reply(len(reply.data))
        return reply

    def subscribe(
        self, connection: Connection, events: frozenset[str], filter: EventFilter
    ) -> None:
        """Send a client these events, in place of those before."""
        had = connection.filter
        if self.subscribers.change(connection, events, filter):
            self.workers.observe()
            self.bound.update()
        if filter != had and (states := filter.kinds & STATES):
            self.workers.repeat(replace(filter, kinds=states))

    def is_last_event(self, seen: SeenEvent | None) -> bool:
        """Whether nothing can have been missed since that event."""
        return seen == SeenEvent(started_at=self.started_at, event_seq=self.subscribers.event_seq)

    def status(self) -> DaemonData:
        process = psutil.Process()
        cpu = process.cpu_times()
        now = time.monotonic()
        return DaemonData(
            running=True,
            pid=os.getpid(),
            version=__version__,
            socket=socket_path(),
            log=str(daemon_log_file()),
            uptime_seconds=round(time.time() - self.started_at, 1),
            idle_timeout_seconds=self.idle_seconds,
            clients=[each.name for each in self.connections if each.is_client],
            requests_served=self.served,
            requests_running=[
                RunningRequestData(
                    seq=each.seq,
                    op=each.request.op,
                    profile=each.request.profile or each.caller.profile,
                    client=each.connection.name,
                    running_ms=round((now - each.started) * 1000, 1),
                )
                for each in self.requests.values()
            ],
            sessions=len(self.workers.sessions),
            memory_bytes=process.memory_info().rss,
            cpu_seconds=round(cpu.user + cpu.system, 2),
            history_problem=self._recorder.problem,
        )

    def _accept(self, stream: LineStream) -> None:
        peer = peer_of(stream.transport.get_extra_info("socket"))
        if not peer.is_same_user:
            log.warning("refused user %d", peer.uid)
            stream.transport.close()
            return
        self._next_client += 1
        connection = Connection(self, stream, number=self._next_client, pid=peer.pid)
        self.connections.add(connection)
        self._watch_idle()
        self._publish_client(connection, connected=True)
        task = asyncio.get_running_loop().create_task(self._serve_one(connection))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve_one(self, connection: Connection) -> None:
        try:
            await connection.serve()
        finally:
            self.subscribe(connection, frozenset(), EventFilter())
            await self.holds.disconnected(connection)
            self.connections.discard(connection)
            self._watch_idle()
            if connection.outbox.overflowed:
                self._memory.soon()
            self.subscribers.publish(
                "client", {"client": connection.describe(), "connected": False}
            )

    def _publish_client(self, connection: Connection, *, connected: bool) -> None:
        event = {"client": connection.describe(), "connected": connected}
        self.subscribers.publish("client", event)

    def _publish_observed(self, kind: str, session_key: str, data: bytes) -> None:
        self._recorder.event(kind, session_key, data)
        self.subscribers.publish_observed(kind, session_key, data)

    def _publish_change(self, kind: str, event: dict[str, Any]) -> None:
        self.subscribers.publish(kind, event)
        if kind == "session" and event["change"] == "closed":
            self.holds.session_closed(event["sessionKey"])

    def _watch_idle(self) -> None:
        """Start the idle timer if no client is connected, else stop it."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None
        if self.idle_seconds and not self.connections:
            loop = asyncio.get_running_loop()
            self._idle_timer = loop.call_later(self.idle_seconds, self._end_idle)

    def _end_idle(self) -> None:
        log.info("idle for %g s", self.idle_seconds)
        self.end()

    def _publish_request(self, running: RunningRequest) -> None:
        if not self.subscribers.have("request", running.connection):
            return
        self.subscribers.publish(
            "request",
            _event(running),
            running.connection,
            lambda: _members(request=masked_request(running.request, None)),
        )

    def _finish(self, running: RunningRequest, reply: Reply, record: Record | None) -> None:
        """Record the reply, and publish it."""
        if record is not None:
            session = self.workers.session_of(record.profile_id, reply.shown)
            self._recorder.finish(record, running.request, running.caller, reply, session)
        self._publish_response(running, reply)

    def _publish_response(self, running: RunningRequest, reply: Reply) -> None:
        if not self.subscribers.have("response", running.connection):
            return

        def envelopes() -> bytes:
            shown = reply.shown or Shown.of(
                masked_request(running.request, None), reply.response, reply.data, watched=True
            )
            return shown.envelopes

        self.subscribers.publish("response", _event(running), running.connection, envelopes)


class ServerControl:
    """The daemon's state, for its own operations."""

    def __init__(self, server: DaemonServer) -> None:
        self._server = server

    async def start(self) -> tuple[bool, DaemonData]:
        return False, self._server.status()

    async def stop(self) -> bool:
        # Exit after the reply has been written.
        asyncio.get_running_loop().call_later(0.05, self._server.end)
        return True

    async def status(self) -> DaemonData:
        return self._server.status()


def listen() -> socket.socket:
    """Bind the socket; only for who holds the daemon's lock, as what lies there is left over."""
    folder, path = runtime_dir(), Path(socket_path())
    Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    check_private(folder)
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(path.lstat().st_mode):
            path.rmdir()
        else:
            path.unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(128)
    except BaseException:
        listener.close()
        raise
    return listener


def _event(running: RunningRequest) -> dict[str, Any]:
    return {
        "seq": running.seq,
        "time": time.time(),
        "client": running.connection.describe(),
        "workspace": str(running.caller.workspace.root),
        "profile": running.request.profile or running.caller.profile,
    }


def _cancelled(running: RunningRequest, wants: Wants) -> Reply:
    what = f"{running.request.op} was cancelled"
    return _failed(running, Cancelled(what, hint="the page is still usable"), wants)


def _failed(running: RunningRequest, error: PwError, wants: Wants) -> Reply:
    request = running.request
    response = Response.failure(
        request.op,
        error,
        request_id=request.request_id,
        duration_ms=round((time.monotonic() - running.started) * 1000, 1),
    )
    return Reply.of(response, masked_request(request, None), wants)


def _members(**envelopes: Envelope) -> bytes:
    """A JSON object of envelopes."""
    members = ", ".join(f'"{name}": {each.to_json()}' for name, each in envelopes.items())
    return f"{{{members}}}".encode()
