"""Ending the browsers of other programs."""

from __future__ import annotations

import asyncio

from pydantic import Field

from pwtui.browser.launch.processes import ProcessTable, end_process, is_browser
from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import Group, Run, configures
from pwtui.operations.framework.fields import Data, Input
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import Volatile
from pwtui.protocol.models import SessionData

GROUP = Group.SESSION


class KillInput(Input):
    pids: list[int] = Field(
        min_length=1, description="Process ids of the browsers (`pid` in session.list)."
    )
    window: bool = Field(
        False, description="Also a browser that has a window, which a person may be using."
    )


class KilledData(Data):
    killed: Volatile[list[int]]


@configures(
    "session.kill",
    example={"pids": [4711]},
    run=Run(queued=False, needs_trust=False),
    outcome="killed {killed:count}",
)
async def session_kill(call: Call, input: KillInput) -> KilledData:
    """End browsers of other programs, orphans among them, by their process ids.

    A browser that a person may be using, because it has a window, is refused without `window`.
    Nothing is ended if one of them is refused.
    """
    own = {each.pid for each in await call.sessions.listed() if each.pid}
    processes = await asyncio.to_thread(ProcessTable)
    listed = await call.sessions.others.find(processes, pids=own, endpoints=set())
    others = {each.pid: each for each in listed if each.pid is not None and each.pid not in own}
    for pid in input.pids:
        check_kill(pid, others.get(pid), may_have_user=input.window)
    for pid in input.pids:
        if is_browser(pid):  # it may have exited meanwhile
            await end_process(pid)
    return KilledData(killed=input.pids)


def check_kill(pid: int, session: SessionData | None, *, may_have_user: bool) -> None:
    """Raise InvalidInput unless this browser may be ended."""
    if session is None:
        raise InvalidInput(
            f"process {pid} is not a browser of another program",
            hint="see `session.list`; use `session.stop` for a session of pwtui",
        )
    if session.may_have_user and not may_have_user:
        raise InvalidInput(
            f"process {pid} has a window, or may have one: a person may be using it",
            hint="set `window` to end it all the same",
            details={"pid": pid},
        )
