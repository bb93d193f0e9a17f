"""From Request to Response. Everything that reaches a browser comes through here."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

from pydantic import BaseModel

from pwtui.browser.page.deadline import Deadline
from pwtui.browser.page.element import Element
from pwtui.browser.page.failure_artifacts import save_failure
from pwtui.browser.page.find_by_text import SEARCH_MS, find_element
from pwtui.browser.page.interruptible import Interrupted, Interruptible
from pwtui.browser.page.navigation import go_to
from pwtui.browser.session.pool import BrowserPool, SessionRequest
from pwtui.browser.session.session import BrowserSession, check_unprotected, explained
from pwtui.browser.session.tab import is_error_page
from pwtui.engine.profile_queue import ProfileQueue, Resolved
from pwtui.engine.request_echo import echo, masked_request, refuse_masks
from pwtui.engine.target_resolution import explicit_target, live_session
from pwtui.operations.admin.daemon import DaemonControl, NoDaemon
from pwtui.operations.admin.ops import unknown_operation
from pwtui.operations.framework.call import Call, PageCall, SessionCall
from pwtui.operations.framework.declare import Operation, operations
from pwtui.operations.framework.fields import Input
from pwtui.protocol.envelope import (
    SCHEMA_VERSION,
    ContextDelta,
    Diagnostic,
    EffectiveRuntime,
    Request,
    Response,
    UndecodableRequest,
    decode_request,
)
from pwtui.protocol.errors import (
    InternalError,
    InvalidInput,
    IoError,
    OperationTimeout,
    PwError,
    SelectorNotFound,
    SessionError,
    UnsupportedMode,
)
from pwtui.protocol.model import decode
from pwtui.protocol.secrets import mask_text, masked
from pwtui.runtime.caller import Caller
from pwtui.runtime.resolve import choose_profile
from pwtui.runtime.target import Target, fallback_url, same_page
from pwtui.state.paths import log_file

log = logging.getLogger(__name__)

Listener = Callable[[Request, Response], None]

_NOT_QUEUED = nullcontext()
MAX_QUEUES = 256


@dataclass(frozen=True)
class Executed:
    """A request that was carried out: as it may be shown, and its response."""

    request: Request
    response: Response


@dataclass
class _Progress:
    """How far a request has come: what a failure can tell besides its error."""

    started: float = field(default_factory=time.monotonic)
    effective_runtime: EffectiveRuntime | None = None
    call: Call | None = None
    notices: list[Diagnostic] = field(default_factory=list)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        found = self.notices + (self.call.diagnostics if self.call else [])
        return [each.model_copy(update={"message": mask_text(each.message)}) for each in found]

    @property
    def duration_ms(self) -> float:
        return round((time.monotonic() - self.started) * 1000, 1)


class Executor:
    """Carries requests out in one pool of browsers, and raises for nothing that they contain."""

    def __init__(
        self, pool: BrowserPool | None = None, daemon: DaemonControl | None = None
    ) -> None:
        self.pool = pool or BrowserPool()
        self.daemon: DaemonControl = daemon or NoDaemon()
        self.fault_log = log_file()
        # Requests of one profile run in order, profiles side by side.
        self._queues: dict[str, ProfileQueue] = {}
        self.listeners: list[Listener] = []

    async def close(self) -> None:
        await self.pool.close()

    async def execute_text(self, text: str | bytes, caller: Caller) -> Response:
        """Carry out a request that is still JSON text."""
        try:
            request = decode_request(text)
        except UndecodableRequest as error:
            return error.response()
        return await self.execute(request, caller)

    async def execute(self, request: Request, caller: Caller) -> Response:
        """Carry out one request. A fault of ours becomes INTERNAL_ERROR with the id in the log."""
        return (await self.execute_traced(request, caller)).response

    async def execute_traced(self, request: Request, caller: Caller) -> Executed:
        """The same, with the request as it may be shown to others."""
        queue = self._queue(request, caller)
        operation = operations().get(request.op)
        async with queue.lock if operation and operation.run.queued else _NOT_QUEUED:
            progress = _Progress()
            try:
                response = await self._carry_out(request, caller, queue, progress)
            except Exception as error:
                response = await self._failed(request, error, progress)
        hidden = progress.call.hidden_inputs if progress.call and response.ok else None
        shown = masked_request(request, hidden)
        for listener in self.listeners:
            try:
                listener(shown, response)
            except Exception:
                log.exception("a listener failed")
        return Executed(shown, response)

    def _queue(self, request: Request, caller: Caller) -> ProfileQueue:
        try:
            name = choose_profile(request.profile, caller.profile)
        except PwError:
            # No profile can be called that, which is told when it is to be loaded.
            return ProfileQueue(caller.workspace, request.profile or caller.profile or "")
        profile_id = caller.workspace.profile_id(name)
        # The latest last: the first that nothing uses is forgotten when there are too many.
        queue = self._queues.pop(profile_id, None) or ProfileQueue(caller.workspace, name)
        self._queues[profile_id] = queue
        if len(self._queues) > MAX_QUEUES:
            idle = (each for each, known in self._queues.items() if not known.lock.locked())
            if (oldest := next(idle, profile_id)) != profile_id:
                del self._queues[oldest]
        return queue

    async def _carry_out(
        self, request: Request, caller: Caller, queue: ProfileQueue, progress: _Progress
    ) -> Response:
        check_version(request)
        profile = queue.load()
        given = caller.profile if request.profile is None else request.profile
        progress.notices += profile.notices + queue.about_name(given)
        resolved = queue.resolve(request.overrides, profile.config)
        progress.effective_runtime = resolved.effective
        operation = find_operation(request.op)
        check_mode(operation, caller)
        input = decode(operation.input, request.input, where="input")
        refuse_masks(operation, request)
        if operation.run.window:
            resolved = Resolved.of(resolved.runtime.with_window(), caller.workspace)
        call = progress.call = Call(
            op=operation.id,
            caller=caller,
            runtime=resolved.runtime,
            profile=profile,
            profiles=queue.profiles,
            pool=self.pool,
            deadline=Deadline(resolved.runtime.timeout_ms),
            daemon=self.daemon,
        )
        if operation.needs_session:
            call = await self._open(operation, input, call, resolved, progress)
        data = await self._run(operation, input, call)
        delta = self._remember(call)
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

    async def _open(
        self,
        operation: Operation,
        input: Input,
        call: Call,
        resolved: Resolved,
        progress: _Progress,
    ) -> SessionCall:
        """The target, the session, and for a page operation the page that the target is in."""
        target = explicit_target(operation, input, call.runtime.base_url, call.profile.cache)
        session = await self._session(operation, call, resolved, target)
        # The time that a browser needs to start is not the operation's.
        common = vars(call) | {"deadline": Deadline(call.runtime.timeout_ms)}
        if not operation.needs_page:
            progress.call = SessionCall(**common, session=session)
            return progress.call
        if target.url is None and not session.has_open_page:
            if not call.caller.may_start:
                raise _nothing_open("no page is open in this session, and a look opens none")
            url = fallback_url(call.profile.cache, call.runtime.base_url, now=time.time())
            target = replace(target, url=url)
        tab = await session.tab_for(call.runtime, target.url)
        opened = PageCall(
            **common, session=session, tab=tab, target=target, first_download=tab.downloads.total
        )
        progress.call = opened
        arriving = self._arrive(operation, opened)
        if (
            target.url is None
            and target.ref is None
            and not (target.is_searched or call.caller.impatient)
        ):
            return await arriving  # nothing to wait for: the page is open
        return await tab.run(arriving, opened.deadline, doing=f"opening the page for {call.op}")

    async def _session(
        self, operation: Operation, call: Call, resolved: Resolved, target: Target
    ) -> BrowserSession:
        call.runtime.check_trusted()
        spec, session = live_session(resolved, self.pool, call.caller)
        how = "reused"
        if session is None:
            if not call.caller.may_start:
                raise _nothing_open("no browser is open for this profile, and a look opens none")
            if target.ref is not None:
                raise SelectorNotFound(
                    f"ref {target.ref} is gone with its page: no browser is open for this profile",
                    hint="open the page again and take a snapshot with `page.aria`",
                    details={"ref": target.ref, "cause": "nothingOpen"},
                )
            opening = SessionRequest(
                call.runtime,
                call.profiles,
                target.url or call.profile.cache.last_url,
                port=0 if call.runtime.cdp else None,
            )
            would_launch = self.pool.would_launch(spec, opening)
            # What cannot succeed starts no browser.
            if would_launch and target.url is None and operation.run.starts_browser is False:
                raise _nothing_open(
                    f"no browser is open for this profile, and {operation.id} needs one"
                )
            if would_launch and operation.needs_page:
                cache, base_url = call.profile.cache, call.runtime.base_url
                url = target.url or fallback_url(cache, base_url, now=time.time())
                check_unprotected(url, call.runtime)
            lease = await self.pool.acquire(spec, opening)
            session, how = lease.session, lease.how
            call.diagnostics += lease.notices
        call.tell(1, f"browser {how} ({spec.key})")
        session.touch()
        async with explained("setting up the session", session):
            await session.apply(call.runtime)
        return session

    async def _arrive(self, operation: Operation, call: PageCall) -> PageCall:
        """Be on the target's page, with its element at hand."""
        target = call.target
        if not operation.target.opens_url:
            call.tab.check_usable()
            if target.url is not None and not same_page(call.tab.url, target.url):
                await go_to(call.tab, target.url, call.deadline)
        if target.ref is not None:
            call.found = await Element.by_ref(call.tab, target.ref, call.deadline)
        elif target.is_searched:
            call.found = await find_element(
                call.tab,
                target,
                operation.target.search,
                call.deadline,
                patient=call.runtime.timeout_ms is not None,
            )
        elif target.selector is not None:
            call.found = Element.by_selector(call.tab, target.selector, call.deadline)
            # An assertion waits itself, and may be about an element that is absent.
            is_soon = call.caller.impatient and not operation.target.may_be_absent
            if is_soon and call.runtime.timeout_ms is None:
                await call.found.appear(Deadline(SEARCH_MS))
        return call

    async def _run(self, operation: Operation, input: Input, call: Call) -> BaseModel:
        work = operation.function(call, input)
        if isinstance(call, PageCall):
            next_index = call.session.next_index
            data = await call.tab.run(work, call.deadline, doing=operation.id)
            if call.session.next_index != next_index:
                for tab in call.session.tabs:
                    if tab.index >= next_index:
                        call.note("info", f"tab {tab.index} opened ({tab.url}); see `tabs.switch`")
            return data
        session = call.session if isinstance(call, SessionCall) else None
        try:
            async with explained(operation.id, session):
                with Interruptible(call.deadline):
                    return await work
        except Interrupted:
            raise OperationTimeout(
                f"{operation.id} took longer than {call.deadline.timeout_ms} ms",
                details={"timeoutMs": call.deadline.timeout_ms},
            ) from None

    def _remember(self, call: Call) -> ContextDelta:
        """What the response says has changed, and what the profile's cache learns."""
        if not isinstance(call, PageCall):
            return ContextDelta()
        url = call.tab.url
        delta = ContextDelta(
            url=None if is_error_page(url) else mask_text(url),
            selector=call.found.selector if call.found else None,
            output=call.output,
        )
        try:
            call.profiles.update_cache(call.profile, delta)
        except PwError as error:
            # What was done is done, and whoever believes that it failed does it twice.
            call.note("warning", f"the profile's cache was not written: {error}")
        return delta

    async def _failed(self, request: Request, error: Exception, progress: _Progress) -> Response:
        call = progress.call
        if isinstance(call, PageCall) and call.caller.artifacts_dir is not None:
            saved, problems = await save_failure(call.tab, call.caller.artifacts_dir, request.op)
            call.artifacts += saved
            call.diagnostics += problems
        return Response.failure(
            request.op,
            self._as_told(error, request),
            request_id=request.request_id,
            duration_ms=progress.duration_ms,
            artifacts=call.artifacts if call else (),
            diagnostics=progress.diagnostics,
            effective_runtime=progress.effective_runtime,
        )

    def _as_told(self, error: Exception, request: Request) -> PwError:
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


def _nothing_open(what: str) -> SessionError:
    return SessionError(what, hint="open one with `navigate`", details={"cause": "nothingOpen"})


def check_version(request: Request) -> None:
    if request.schema_version != SCHEMA_VERSION:
        raise InvalidInput(
            f"schemaVersion: {request.schema_version} is not supported, this is version "
            f"{SCHEMA_VERSION}",
            details={"given": request.schema_version, "supported": SCHEMA_VERSION},
        )


def find_operation(op: str) -> Operation:
    """By its canonical id only; there are no aliases on the wire."""
    operation = operations().get(op)
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
