"""Where a request runs: in the daemon itself, or in the worker of its profile."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property

from pwtui.daemon.profile_order import ProfileOrder
from pwtui.daemon.shown import Shown, Wants
from pwtui.daemon.worker_link import WorkerLink
from pwtui.daemon.workers import Workers
from pwtui.engine.executor import Executor
from pwtui.protocol.catalog import OperationInfo, catalog
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import PwError, nothing_open
from pwtui.runtime.caller import Caller
from pwtui.runtime.resolve import choose_profile

_NOT_QUEUED = nullcontext()
MAX_ORDERS = 256


@dataclass
class Reply:
    """A response as JSON; `shown` is for others than the caller, if wanted."""

    data: bytes
    shown: Shown | None = None

    @classmethod
    def of(cls, response: Response, request: Request, wants: Wants) -> Reply:
        """The reply with this response; the request is masked."""
        data = response.to_json().encode()
        if wants is None:
            return cls(data)
        return cls(data, Shown.of(request, response, data, watched=wants == "watched"))

    @property
    def ok(self) -> bool:
        """Read without a parser: the first member of this name is the response's own."""
        at = self.data.find(b'"ok":')
        return self.data.startswith(b"true", at + 5)

    @cached_property
    def response(self) -> Response:
        return Response.model_validate_json(self.data)


class Router:
    """Runs requests in the daemon or in a worker; those of one profile in order."""

    def __init__(self, executor: Executor, workers: Workers) -> None:
        self._executor = executor
        self._workers = workers
        self._orders: dict[str, ProfileOrder] = {}

    async def run(
        self, request: Request, caller: Caller, line: bytes | None, wants: Wants
    ) -> Reply:
        """The reply to a request; `line` is the request as the client wrote it."""
        info = catalog().get(request.op)
        try:
            profile = choose_profile(request.profile, caller.profile)
        except PwError:
            return await self._run_here(request, caller, wants)  # the executor says what is wrong
        profile_id = caller.workspace.profile_id(profile)
        order = self._order(profile_id)
        is_queued = info is not None and info.run.queued
        if not runs_in_worker(info, self._workers.find(profile_id)):
            async with order.in_daemon() if is_queued else _NOT_QUEUED:
                return await self._run_here(request, caller, wants)
        if not caller.may_start and self._workers.find(profile_id) is None:
            error = nothing_open("no browser is open for this profile")
            failure = Response.failure(request.op, error, request_id=request.request_id)
            return Reply(failure.to_json().encode())
        async with order if is_queued else _NOT_QUEUED:
            worker = self._workers.get(profile_id)
            envelope = line if line is not None else request.to_json().encode()
            return Reply(*await worker.run(envelope, caller, wants))

    def _order(self, profile_id: str) -> ProfileOrder:
        if (known := self._orders.get(profile_id)) is not None:
            return known
        if len(self._orders) >= MAX_ORDERS:
            self._orders = {key: each for key, each in self._orders.items() if each.is_used}
        order = self._orders[profile_id] = ProfileOrder()
        return order

    async def _run_here(self, request: Request, caller: Caller, wants: Wants) -> Reply:
        executed = await self._executor.execute_traced(request, caller)
        if wants is None:
            return Reply(executed.response.to_json().encode())
        return Reply.of(executed.response, executed.masked_request, wants)


def runs_in_worker(info: OperationInfo | None, worker: WorkerLink | None) -> bool:
    """Whether an operation runs in the worker of its profile, which is None when it has none."""
    if info is None:
        return False
    return info.runs_in == "session" or (info.runs_in == "open session" and worker is not None)
