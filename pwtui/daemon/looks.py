"""Looks at a page after a request that acts, for the history: tree, requests, a small picture."""

from __future__ import annotations

import asyncio
import logging
import time
from base64 import b64decode
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, NamedTuple

from pwtui.daemon.router import Reply
from pwtui.daemon.shown import Wants
from pwtui.daemon.worker_link import WorkerLost
from pwtui.protocol.envelope import Overrides, Request, RuntimeBlock
from pwtui.runtime.caller import Caller

log = logging.getLogger(__name__)

QUIET_SECONDS = 0.2
"""A look waits until no request has run for so long."""
SHARE = 0.1
"""The share of a session's time that looks take at most."""

TIMEOUT_MS = 5000

Run = Callable[[Request, Caller, bytes | None, Wants], Awaitable[Reply]]


class Look(NamedTuple):
    """How a page looked, and the requests that it has sent."""

    tree: str
    picture: bytes | None
    requests: list[dict[str, Any]]


class _Wanted(NamedTuple):
    request: Request
    caller: Caller
    keep: Callable[[Look], None]


class Looks:
    """Takes one look at a time in each profile, while it is idle; the next request cancels it."""

    def __init__(self, run: Run, is_busy: Callable[[str], bool]) -> None:
        self._run = run
        self._is_busy = is_busy
        self._wanted: dict[str, _Wanted] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._not_before: dict[str, float] = {}
        self._looking: dict[str, asyncio.Task[Any]] = {}

    def want(
        self, profile_id: str, request: Request, caller: Caller, keep: Callable[[Look], None]
    ) -> None:
        """Look at the page after this request, unless another one follows soon."""
        self._wanted[profile_id] = _Wanted(request, caller, keep)
        if profile_id not in self._tasks:
            task = asyncio.create_task(self._follow(profile_id))
            self._tasks[profile_id] = task
            task.add_done_callback(lambda task: self._ended(profile_id, task))

    def yield_to(self, profile_id: str) -> None:
        """A request starts in this profile: a look must not delay it."""
        if looking := self._looking.get(profile_id):
            looking.cancel()

    async def close(self) -> None:
        tasks = [*self._tasks.values(), *self._looking.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow(self, profile_id: str) -> None:
        """Until nothing more is wanted of a profile."""
        while wanted := self._wanted.get(profile_id):
            late = self._not_before.get(profile_id, 0.0) - time.monotonic()
            await asyncio.sleep(max(QUIET_SECONDS, late))
            if self._is_busy(profile_id) or self._wanted.get(profile_id) is not wanted:
                continue
            began = time.monotonic()
            looking = asyncio.create_task(self._look(wanted))
            self._looking[profile_id] = looking
            await asyncio.wait({looking})
            del self._looking[profile_id]
            if not looking.cancelled():
                looking.result()
            now = time.monotonic()
            self._not_before[profile_id] = now + (now - began) * (1 / SHARE - 1)
            # One that was cancelled is taken again, if no request that acts has made it outdated.
            if not looking.cancelled() and self._wanted.get(profile_id) is wanted:
                del self._wanted[profile_id]

    async def _look(self, wanted: _Wanted) -> None:
        seen = await self._ask(wanted, "page.aria", {"tree": False})
        if seen is None:
            return
        listed = await self._ask(wanted, "requests.list", {"static": True, "all": True})
        shot = await self._ask(wanted, "screenshot", {"inline": True})
        picture = b64decode(shot["image"]) if shot is not None else None
        requests = listed["requests"] if listed is not None else []
        wanted.keep(Look(seen["snapshot"], picture, requests))

    async def _ask(self, wanted: _Wanted, op: str, input: dict[str, Any]) -> dict[str, Any] | None:
        """The data of a request that starts no browser; None if that is not possible."""
        runtime = wanted.request.runtime or RuntimeBlock()
        overrides = runtime.overrides or Overrides()
        overrides = overrides.model_copy(update={"timeout_ms": TIMEOUT_MS})
        runtime = runtime.model_copy(update={"overrides": overrides})
        request = Request(op=op, input=input, runtime=runtime)
        with suppress(WorkerLost):
            reply = await self._run(request, wanted.caller._replace(may_start=False), None, None)
            return reply.response.data
        return None

    def _ended(self, profile_id: str, task: asyncio.Task[None]) -> None:
        self._tasks.pop(profile_id, None)
        self._wanted.pop(profile_id, None)
        with suppress(asyncio.CancelledError):
            if (error := task.exception()) is not None:
                log.error("fault in a look at a page", exc_info=error)
