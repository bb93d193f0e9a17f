"""Where a request runs: in the daemon itself, or in the worker of its profile."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakValueDictionary

from pwtui.daemon.profile_order import ProfileOrder
from pwtui.daemon.worker_link import WorkerLink
from pwtui.daemon.workers import Workers
from pwtui.engine.executor import Executor
from pwtui.protocol.catalog import OperationInfo, catalog
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import PwError, nothing_open
from pwtui.runtime.caller import Caller
from pwtui.runtime.resolve import choose_profile

_NOT_QUEUED = nullcontext()


@dataclass
class Reply:
    """A response as JSON; `envelopes` are the masked request and response, where they are known."""

    data: bytes
    envelopes: bytes | None = None

    @classmethod
    def of(cls, response: Response) -> Reply:
        return cls(response.to_json().encode())

    @cached_property
    def response(self) -> Response:
        return Response.model_validate_json(self.data)


class Router:
    """Runs requests, each where it belongs, and those of one profile in their order."""

    def __init__(self, executor: Executor, workers: Workers) -> None:
        self._executor = executor
        self._workers = workers
        self._orders: WeakValueDictionary[str, ProfileOrder] = WeakValueDictionary()

    async def run(
        self, request: Request, caller: Caller, line: bytes | None, *, wants_envelopes: bool
    ) -> Reply:
        """The reply to a request; `line` is the request as the client wrote it."""
        info = catalog().get(request.op)
        try:
            profile = choose_profile(request.profile, caller.profile)
        except PwError:
            return await self._run_here(request, caller)  # the executor says what is wrong
        profile_id = caller.workspace.profile_id(profile)
        order = self._orders.get(profile_id)
        if order is None:
            order = self._orders[profile_id] = ProfileOrder()
        is_queued = info is not None and info.run.queued
        if not runs_in_worker(info, self._workers.find(profile_id)):
            async with order.in_daemon() if is_queued else _NOT_QUEUED:
                return await self._run_here(request, caller)
        if not caller.may_start and self._workers.find(profile_id) is None:
            error = nothing_open("no browser is open for this profile, and a look opens none")
            return Reply.of(Response.failure(request.op, error, request_id=request.request_id))
        async with order.in_worker() if is_queued else _NOT_QUEUED:
            worker = self._workers.get(profile_id)
            envelope = line if line is not None else request.to_json().encode()
            reply = await worker.run(envelope, caller, wants_envelopes=wants_envelopes)
        return Reply(reply.data, reply.envelopes)

    async def _run_here(self, request: Request, caller: Caller) -> Reply:
        executed = await self._executor.execute_traced(request, caller)
        return Reply.of(executed.response)


def runs_in_worker(info: OperationInfo | None, worker: WorkerLink | None) -> bool:
    """Whether an operation runs in the worker of its profile, which is None when it has none."""
    if info is None:
        return False
    return info.runs_in == "session" or (info.runs_in == "open session" and worker is not None)
