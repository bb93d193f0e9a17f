"""The connection of one client: reads its messages and writes the replies."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic_core import from_json

from pwtui import __version__
from pwtui.daemon.address import INSTALLATION
from pwtui.daemon.control_messages import (
    Acknowledge,
    AnyControl,
    Argv,
    Cancel,
    Close,
    Connect,
    Enter,
    Hello,
    Launch,
    Look,
    Shutdown,
    Status,
    Subscribe,
    Sync,
    decode_control,
)
from pwtui.daemon.filters import EventFilter
from pwtui.daemon.frame_queue import FrameQueue
from pwtui.daemon.line_protocol import LineStream
from pwtui.daemon.send_queue import ClientQueue
from pwtui.protocol.addresses import SessionKey, is_session_key
from pwtui.protocol.envelope import (
    Overrides,
    Request,
    Response,
    RuntimeBlock,
    UndecodableRequest,
    decode_request_object,
    parse_json,
    unreadable,
)
from pwtui.protocol.errors import InvalidInput, PwError
from pwtui.protocol.ndjson import LineTooLong
from pwtui.runtime.caller import Caller
from pwtui.runtime.resolve import choose_profile
from pwtui.state.workspace import Workspace

if TYPE_CHECKING:
    from pwtui.daemon.server import DaemonServer

log = logging.getLogger(__name__)


class IsHeld(Exception):
    """A request of a command line is held, which cannot be shown there."""


class Connection:
    """Handles messages until the client disconnects; its running requests are then cancelled."""

    def __init__(
        self,
        server: DaemonServer,
        stream: LineStream,
        *,
        number: int,
        pid: int | None,
    ) -> None:
        self.server = server
        self.number = number
        self.pid = pid
        self.name = f"client {number}"
        self.is_client = False
        """Whether it has said hello or sent a command; a query of the status is not a client."""
        self.subscriptions: frozenset[str] = frozenset()
        self.filter = EventFilter()
        self.outbox = ClientQueue(stream)
        self.frames = FrameQueue(self.outbox.event)
        self._gone = asyncio.Event()
        self._caller: Caller | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._answered = asyncio.Event()
        stream.on_line, stream.on_end = self._receive_line, self._gone.set

    def describe(self) -> dict[str, Any]:
        return {"id": self.number, "name": self.name, "pid": self.pid}

    async def serve(self) -> None:
        try:
            await self._gone.wait()
        finally:
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self.close()

    async def close(self) -> None:
        await self.outbox.close()

    def show(self, text: str) -> None:
        """Show a message of an interactive operation to the user of this client."""
        self._send({"event": "tell", "text": text})

    async def wait_for_enter(self) -> None:
        self._answered.clear()
        self._send({"event": "ask"})
        await self._answered.wait()

    def _receive_line(self, line: bytes | LineTooLong) -> None:
        """Start the work of a message without waiting, so that the next line is read at once."""
        if isinstance(line, LineTooLong):
            self._respond(Response.failure("unknown", line))
            return
        try:
            value = parse_json(line, what="the line")
        except InvalidInput as error:
            self._respond(unreadable(line, error).response())
            return
        if isinstance(value, dict) and "cmd" in value and "op" not in value:
            self._start(self._control, value)
        else:
            self._start(self._envelope, value, line)

    async def _envelope(self, value: object, line: bytes) -> None:
        try:
            request = decode_request_object(value)
        except UndecodableRequest as error:
            self._respond(error.response())
            return
        try:
            reply = await self.server.perform(request, self._known_caller(), self, line=line)
        except InvalidInput as error:
            self._respond(Response.failure(request.op, error, request_id=request.request_id))
            return
        self.outbox.reply(reply.data + b"\n")

    async def _control(self, value: dict[str, Any]) -> None:
        try:
            message = decode_control(value)
            if isinstance(message, Argv):
                await self._run(message)
                return
            reply = await self._answer(message)
        except PwError as error:
            hint = {"hint": error.hint} if error.hint else {}
            reply = {"ok": False, "error": {"code": error.code, "message": error.message, **hint}}
        except Exception as error:
            log.exception("fault in control message %s", value.get("cmd"))
            reply = {"ok": False, "error": {"code": "INTERNAL_ERROR", "message": str(error)}}
        named = {"id": value["id"]} if "id" in value else {}
        self._send({"cmd": value.get("cmd"), **named, "ok": True} | reply)

    async def _answer(self, message: AnyControl) -> dict[str, Any]:
        match message:
            case Hello():
                return self._hello(message)
            case Status():
                return self.server.status().to_wire()
            case Subscribe():
                return await self._subscribe(message)
            case Sync():
                is_complete = await self.server.workers.settled()
                self.outbox.note_dropped()
                return {"complete": is_complete}
            case Acknowledge():
                if self.frames.acknowledge(message.session):
                    self.server.workers.acknowledge(message.session)
            case Cancel():
                return {"cancelled": self._cancel(message)}
            case Look():
                return await self._look(message)
            case Launch():
                return await self._launch(message)
            case Connect():
                self._use_session(message.session_id)
            case Close():
                await self._close_session(message.session_id)
            case Shutdown():
                loop = asyncio.get_running_loop()
                end = self.server.end if message.when == "now" else self.server.end_when_idle
                loop.call_soon(end)
            case Enter():
                self._answered.set()
        return {}

    def _hello(self, message: Hello) -> dict[str, Any]:
        self.name, self.is_client = message.client or self.name, True
        self._caller = Caller(
            workspace=Workspace(Path(message.workspace)),
            cwd=Path(message.cwd),
            mode=message.mode,
            profile=message.profile,
            artifacts_dir=Path(message.artifacts_dir) if message.artifacts_dir else None,
            verbosity=message.verbosity,
            impatient=message.impatient,
            conversation=self,
        )
        return {
            "pid": os.getpid(),
            "version": __version__,
            "installation": INSTALLATION,
            "startedAt": self.server.started_at,
            "clientId": self.number,
        }

    async def _subscribe(self, message: Subscribe) -> dict[str, Any]:
        wanted = await self._filter_of(message)
        self.frames.clear()
        is_fresh = not self.server.is_last_event(message.after)
        self.server.subscribe(self, frozenset(message.effective_events), wanted)
        reply: dict[str, Any] = {"events": sorted(self.subscriptions)}
        if message.kinds is None:
            return reply
        if wanted.may_be_bound:
            await self.server.bound.joined()
        states = await self.server.workers.states()
        return reply | {
            "kinds": sorted(wanted.kinds),
            "sessions": [each for each in states if wanted.includes(each["sessionKey"])],
            "startedAt": self.server.started_at,
            "eventSeq": self.server.subscribers.event_seq,
            "fresh": is_fresh,
        }

    async def _filter_of(self, message: Subscribe) -> EventFilter:
        kinds = frozenset[str](message.kinds or ())
        frames = message.frames if "frame" in kinds else None
        if message.session is not None:
            key = message.session
            if not is_session_key(key):
                key = await self.server.bound.key_of(message.session)
            return EventFilter(kinds, session_key=key, frames=frames)
        if message.profile is not None:
            profile = choose_profile(message.profile, None)
            profile_id = self._known_caller().workspace.profile_id(profile)
            return EventFilter(kinds, profile_id=profile_id, frames=frames)
        return EventFilter(kinds, frames=frames)

    def _cancel(self, message: Cancel) -> bool:
        for running in list(self.server.requests.values()):
            is_own = running.connection is self and message.request_id is not None
            by_id = is_own and running.request.request_id == message.request_id
            if by_id or (message.seq is not None and running.seq == message.seq):
                running.cancel()
                return True
        return False

    async def _look(self, message: Look) -> dict[str, Any]:
        request = decode_request_object(message.request)
        caller = self._known_caller()._replace(may_start=False)
        reply = await self.server.perform(request, caller, self, quiet=True)
        return {"response": from_json(reply.data)}

    async def _launch(self, message: Launch) -> dict[str, Any]:
        overrides = Overrides(browser=message.browser) if message.browser else None
        request = Request(
            op="session.start",
            input={"headful": not message.headless, "cdp": message.cdp, "port": 0},
            runtime=RuntimeBlock(profile=message.profile, overrides=overrides),
        )
        response = (await self.server.perform(request, self._known_caller(), self)).response
        if response.data is None:
            return {"ok": False, "error": response.error and response.error.to_wire()}
        return {
            "session_id": response.data["sessionKey"],
            "cdp_endpoint": response.data.get("cdpEndpoint"),
            "ws_endpoint": response.data.get("wsEndpoint"),
            "diagnostics": [each.to_wire() for each in response.diagnostics or ()],
        }

    def _use_session(self, session_id: str) -> None:
        """Use this session for envelopes of this connection that do not set a profile."""
        key = self._find_session(session_id)
        caller = self._known_caller()
        if key.workspace_id != caller.workspace.id:
            raise InvalidInput(
                f"session {session_id} belongs to another workspace",
                hint="send cmd hello with that workspace",
            )
        self._caller = caller._replace(profile=key.profile)

    async def _close_session(self, session_id: str) -> None:
        await self.server.workers.stop([self._find_session(session_id)], None)

    def _find_session(self, session_id: str) -> SessionKey:
        if any(each.session_key == session_id for each in self.server.workers.sessions):
            return SessionKey.parse(session_id)
        raise InvalidInput(f"there is no session {session_id!r}", hint="see `session.list`")

    def _known_caller(self) -> Caller:
        if self._caller is None:
            raise InvalidInput(
                "hello is required before this message",
                hint="send cmd hello with workspace and cwd",
            )
        return self._caller

    async def _run(self, message: Argv) -> None:
        """Run a command line. The reply can be read without a JSON parser."""
        self.name, self.is_client = f"pw {message.command}".strip(), True
        result = None
        if message.version == f"{__version__} {INSTALLATION}":

            async def perform(request: Request, caller: Caller) -> Response:
                if self.server.holds.find(request, caller, self):
                    raise IsHeld
                return (await self.server.perform(request, caller, self)).response

            try:
                result = await self.server.run_command(message, perform)
            except IsHeld:
                pass  # the client sends it again, and can show why it waits
            except Exception:
                log.exception("fault in the command %s", message.argv[:1])
        if result is None:
            self.outbox.reply(b"-1 0 0\n")
            return
        head = f"{result.code} {len(result.out)} {len(result.err)}\n".encode()
        self.outbox.reply(head + result.out + result.err)

    def _start(self, work: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        self._tasks.add(asyncio.create_task(self._do(work, *arguments)))

    async def _do(self, work: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        try:
            await work(*arguments)
        except Exception:
            log.exception("fault in the connection of %s", self.name)
        finally:
            # A callback would cost another iteration of the event loop.
            self._tasks.discard(cast("asyncio.Task[None]", asyncio.current_task()))

    def _respond(self, response: Response) -> None:
        self.outbox.reply(response.to_json().encode() + b"\n")

    def _send(self, message: dict[str, Any]) -> None:
        text = json.dumps(message, ensure_ascii=False, default=str)
        self.outbox.reply(text.encode("utf-8", "replace") + b"\n")
