"""From Request to Response. Everything that reaches a browser comes through here."""

from __future__ import annotations

import logging
import uuid
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

from pydantic import BaseModel

from pwtui.browser.page.deadline import Deadline
from pwtui.engine.profile_queue import ProfileQueue, Resolved
from pwtui.engine.progress import Progress, within_deadline
from pwtui.engine.request_echo import echo, masked_request, refuse_masks
from pwtui.operations.framework.call import Call, LazyPool, OpenSessions
from pwtui.operations.framework.declare import Operation, find_operation, unknown_operation
from pwtui.operations.framework.fields import Input
from pwtui.protocol.envelope import (
    SCHEMA_VERSION,
    ContextDelta,
    Request,
    Response,
)
from pwtui.protocol.errors import (
    InternalError,
    InvalidInput,
    IoError,
    PwError,
    UnsupportedMode,
)
from pwtui.protocol.model import decode
from pwtui.protocol.secrets import mask_text, masked
from pwtui.runtime.caller import Caller
from pwtui.runtime.resolve import choose_profile
from pwtui.state.paths import log_file

if TYPE_CHECKING:
    from pwtui.browser.session.pool import BrowserPool
    from pwtui.operations.admin.daemon import DaemonControl

log = logging.getLogger(__name__)

_NOT_QUEUED = nullcontext()
MAX_QUEUES = 256


class Executed(NamedTuple):
    """A request and its response."""

    request: Request
    response: Response
    hidden: set[str] | None
    """The inputs that are secret; None while that is not known."""

    @property
    def masked_request(self) -> Request:
        """The request without its secrets."""
        return masked_request(self.request, self.hidden)


class Executor:
    """Runs requests in one pool of browsers; every failure becomes a response."""

    def __init__(
        self,
        pool: BrowserPool | None = None,
        daemon: DaemonControl | None = None,
        sessions: OpenSessions | None = None,
    ) -> None:
        self._browsers = LazyPool(pool)
        self._sessions = sessions or self._browsers
        if daemon is None:
            # Imported here: clients that use the daemon do not need it.
            from pwtui.operations.admin.daemon import NoDaemon

            daemon = NoDaemon()
        self.daemon = daemon
        self.fault_log = log_file()
        # Requests of one profile run in order, profiles side by side.
        self._queues: dict[str, ProfileQueue] = {}

    @property
    def pool(self) -> BrowserPool:
        return self._browsers.get()

    async def close(self) -> None:
        await self._browsers.close()

    async def execute(self, request: Request, caller: Caller) -> Response:
        """Run one request. An unexpected exception becomes INTERNAL_ERROR and is logged."""
        return (await self.execute_traced(request, caller)).response

    async def execute_traced(self, request: Request, caller: Caller) -> Executed:
        """Run one request; also return which of its inputs are secret."""
        queue = self._queue(request, caller)
        operation = find_operation(request.op)
        async with queue.lock if operation and operation.run.queued else _NOT_QUEUED:
            progress = Progress()
            if request.events and operation and operation.needs_session:
                response = await self._answer_with_events(request, caller, queue, progress)
            else:
                response = await self._answer(request, caller, queue, progress)
        hidden = progress.call.hidden_inputs if progress.call and response.ok else None
        return Executed(request, response, hidden)

    async def _answer(
        self, request: Request, caller: Caller, queue: ProfileQueue, progress: Progress
    ) -> Response:
        try:
            return await self._run_steps(request, caller, queue, progress)
        except Exception as error:
            return await self._failed(request, error, progress)

    async def _answer_with_events(
        self, request: Request, caller: Caller, queue: ProfileQueue, progress: Progress
    ) -> Response:
        """The response, with the events of the profile's sessions while the request runs."""
        observers, kinds = self.pool.observers, frozenset[str](request.events or ())
        with observers.collecting(kinds, queue.profile) as events:
            response = await self._answer(request, caller, queue, progress)
            await observers.settled()
        return response.model_copy(update={"events": events})

    def _queue(self, request: Request, caller: Caller) -> ProfileQueue:
        try:
            name = choose_profile(request.profile, caller.profile)
        except PwError:
            # The name is invalid: loading the profile reports it.
            return ProfileQueue(caller.workspace, request.profile or caller.profile or "")
        profile_id = caller.workspace.profile_id(name)
        # Least recently used first.
        queue = self._queues.pop(profile_id, None) or ProfileQueue(caller.workspace, name)
        self._queues[profile_id] = queue
        if len(self._queues) > MAX_QUEUES:
            idle = (each for each, known in self._queues.items() if not known.lock.locked())
            if (oldest := next(idle, profile_id)) != profile_id:
                del self._queues[oldest]
        return queue

    async def _run_steps(
        self, request: Request, caller: Caller, queue: ProfileQueue, progress: Progress
    ) -> Response:
        check_version(request)
        profile = queue.load()
        given = caller.profile if request.profile is None else request.profile
        progress.notices += profile.notices + queue.about_name(given)
        resolved = queue.resolve(request.overrides, profile.config)
        progress.effective_runtime = resolved.effective
        operation = known_operation(request.op)
        check_mode(operation, caller)
        input = decode(operation.input, request.input, where="input")
        refuse_masks(operation, request)
        if operation.run.window:
            resolved = Resolved(resolved.runtime.with_window(), caller.workspace)
        call = progress.call = operation.call(
            op=operation.id,
            caller=caller,
            runtime=resolved.runtime,
            profile=profile,
            profiles=queue.profiles,
            browsers=self._browsers,
            sessions=self._sessions,
            deadline=Deadline(resolved.runtime.timeout_ms),
            daemon=self.daemon,
        )
        delta = ContextDelta()
        if operation.needs_session:
            # It imports Playwright, so only if a browser is needed.
            from pwtui.engine.session_requests import run_in_session

            data, delta = await run_in_session(operation, input, call, resolved)
        else:
            data = await run_without_session(operation, input, call)
        return Response(
            request_id=request.request_id,
            op=operation.id,
            ok=True,
            inputs=echo(input, call),
            data=data.model_dump(mode="json"),
            duration_ms=progress.duration_ms,
            artifacts=call.artifacts,
            diagnostics=progress.diagnostics,
            context_delta=delta,
            effective_runtime=progress.effective_runtime,
        )

    async def _failed(self, request: Request, error: Exception, progress: Progress) -> Response:
        call = progress.call
        if call is not None and call.needs_page and call.caller.artifacts_dir is not None:
            from pwtui.engine.session_requests import save_failed_page

            await save_failed_page(call)
        return Response.failure(
            request.op,
            self._to_protocol_error(error, request),
            request_id=request.request_id,
            duration_ms=progress.duration_ms,
            artifacts=call.artifacts if call else (),
            diagnostics=progress.diagnostics,
            effective_runtime=progress.effective_runtime,
        )

    def _to_protocol_error(self, error: Exception, request: Request) -> PwError:
        if isinstance(error, PwError):
            error.message, error.details = mask_text(error.message), masked(error.details)
            error.hint = error.hint and mask_text(error.hint)
            return error
        if isinstance(error, OSError):
            return IoError.of(request.op, error)
        fault = uuid.uuid4().hex[:12]
        log.error("fault %s in %s", fault, request.op, exc_info=error)
        return InternalError(
            f"{type(error).__name__} in {request.op}",
            hint=f"fault {fault} is in {self.fault_log}",
            details={"fault": fault, "log": str(self.fault_log)},
        )


def check_version(request: Request) -> None:
    if request.schema_version != SCHEMA_VERSION:
        raise InvalidInput(
            f"schemaVersion: {request.schema_version} is not supported, this is version "
            f"{SCHEMA_VERSION}",
            details={"given": request.schema_version, "supported": SCHEMA_VERSION},
        )


def known_operation(op: str) -> Operation:
    """The operation with this id; the protocol has no aliases."""
    operation = find_operation(op)
    if operation is None:
        raise unknown_operation(op)
    return operation


def check_mode(operation: Operation, caller: Caller) -> None:
    if operation.run.interactive and caller.mode == "batch":
        raise UnsupportedMode(
            f"{operation.id} is interactive and cannot run in a batch",
            hint="use `pw exec`",
            details={"op": operation.id, "mode": caller.mode},
        )


async def run_without_session(operation: Operation, input: Input, call: Call) -> BaseModel:
    try:
        return await within_deadline(call, operation.function(call, input))
    except Exception as error:
        if call.browsers.made is None:
            raise
        from pwtui.browser.session.session import explained

        async with explained(operation.id, None):
            raise error
