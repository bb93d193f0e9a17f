"""The browser session of a profile, and all that run here."""

from __future__ import annotations

import asyncio
import shutil
import time
from contextlib import suppress
from pathlib import Path

from pydantic import Field

from pwtui.browser.launch.processes import ProcessTable, end_process
from pwtui.browser.spec import is_alive
from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import Group, Outcome, Run, configures, reads
from pwtui.operations.framework.fields import Data, Input, NoInput, StoppedData
from pwtui.protocol.addresses import SessionKey
from pwtui.protocol.model import Maybe, Volatile
from pwtui.protocol.models import SessionData, SessionsData
from pwtui.state.descriptor import SessionDescriptor, read_descriptor
from pwtui.state.profiles import Profiles

GROUP = Group.SESSION

COLUMNS = {
    "NAME": "{profile|title|'-'}",
    "BROWSER": "{browser|'-'}",
    "PID": "{pid|ownerPid|'-'}",
    "MEMORY": "{memoryBytes:size}",
    "ORIGIN": "{tool|origin|'-'}{orphan? (orphan):}",
    "TABS": "{pages:count}",
    "PAGE": "{pages.0.url}",
}
NO_SESSION = "no browser is open; the first operation that needs one starts it"


class StatusData(Data):
    active: bool
    message: Maybe[str] = None
    session: Maybe[SessionData] = None


class StopInput(Input):
    pid: int | None = Field(
        None,
        description="Stop only the browser with this process id, even if the profile no longer "
        "uses it.",
    )


class SessionClearedData(Data):
    cleared: bool
    path: Volatile[str]
    message: Maybe[str] = None


class SessionListInput(Input):
    others: bool = Field(True, description="Include browsers of other programs on this machine.")


@reads(
    "session.status",
    run=Run(queued=False),
    outcome=Outcome(rows="session", columns=COLUMNS, empty="{message}"),
)
async def session_status(call: Call, input: NoInput) -> StatusData:
    """Show whether the profile's browser is running, its process and endpoints."""
    keys = [str(key) for key in _keys(call)]
    for session in await call.sessions.listed():
        if session.session_key in keys:
            return StatusData(active=True, session=await with_memory(session))
    for _, descriptor in descriptors(call.profiles, call.runtime.profile):
        if is_alive(descriptor):
            return StatusData(active=True, session=_described(descriptor, ProcessTable()))
        # Keep its descriptor: the next request reports what was lost.
        call.note("info", f"the browser of the last session exited (process {descriptor.pid})")
    return StatusData(active=False, message=NO_SESSION)


@configures(
    "session.stop",
    "close|q",
    run=Run(queued=False, needs_trust=False),
    outcome="{message|'closed the browser'}",
    python="pass",
)
async def session_stop(call: Call, input: StopInput) -> StoppedData:
    """Close the profile's browser; detach from an attached one."""
    stopped = [await call.sessions.stop(_keys(call), input.pid)]
    for path, descriptor in descriptors(call.profiles, call.runtime.profile):
        if input.pid not in (None, descriptor.pid):
            continue
        if is_alive(descriptor):
            await end_process(descriptor.pid)
            stopped.append(True)
        path.unlink(missing_ok=True)
        if descriptor.user_data_dir:
            shutil.rmtree(descriptor.user_data_dir, ignore_errors=True)
    if any(stopped):
        return StoppedData(stopped=True)
    return StoppedData(stopped=False, message="no browser is open")


@configures("session.clear", run=Run(queued=False, needs_trust=False))
async def session_clear(call: Call, input: NoInput) -> SessionClearedData:
    """Delete the profile's session descriptors; browsers stay open."""
    folder = sessions_folder(call)
    paths = sorted(folder.glob("session*.json"))
    for path in paths:
        path.unlink(missing_ok=True)
    return SessionClearedData(
        cleared=bool(paths),
        path=str(paths[0] if paths else folder / "session.json"),
        message=None if paths else "no descriptors",
    )


@reads(
    "session.list",
    "list|ls",
    example={"others": True},
    run=Run(queued=False),
    outcome=Outcome(rows="sessions", columns=COLUMNS, empty="no browsers"),
)
async def session_list(call: Call, input: SessionListInput) -> SessionsData:
    """List the running browsers of all profiles and of other programs.

    Among them are browsers that only their program can reach (`pipe`), and those whose program has
    exited (`orphan`). A browser that does not respond at once is listed without version and pages;
    subscribers get a `session` event when it responds.
    """
    found = await call.sessions.listed()
    processes = await asyncio.to_thread(ProcessTable)
    pids = {each.pid for each in found if each.pid}
    for session in found:
        session.memory_bytes = processes.memory(session.pid) if session.pid else None
    for name in call.profiles.names():
        for _, descriptor in descriptors(call.profiles, name):
            if descriptor.pid not in pids and is_alive(descriptor):
                found.append(_described(descriptor, processes))
                pids.add(descriptor.pid)
    if not input.others:
        found = [each for each in found if each.origin == "pwtui"]
    else:
        endpoints = {e for each in found for e in (each.cdp_endpoint, each.ws_endpoint) if e}
        observed = [each for each in found if each.origin == "playwright"]
        others = await call.sessions.others.find(
            processes, pids=pids, endpoints=endpoints, observed=observed
        )
        found += others
    return SessionsData(sessions=found, count=len(found))


def sessions_folder(call: Call) -> Path:
    return call.profiles.folder(call.runtime.profile) / "sessions"


async def with_memory(session: SessionData) -> SessionData:
    if session.pid is not None:
        processes = await asyncio.to_thread(ProcessTable)
        session.memory_bytes = processes.memory(session.pid)
    return session


def descriptors(profiles: Profiles, name: str) -> list[tuple[Path, SessionDescriptor]]:
    folder = profiles.folder(name) / "sessions"
    found = []
    with suppress(OSError):
        for path in sorted(folder.glob("session*.json")):
            if descriptor := read_descriptor(path):
                found.append((path, descriptor))
    return found


def _keys(call: Call) -> list[SessionKey]:
    """The sessions of the profile, with a window and without."""
    workspace, runtime = call.caller.workspace, call.runtime
    return [
        workspace.session_key(runtime.profile, runtime.browser, headless=headless)
        for headless in (True, False)
    ]


def _described(descriptor: SessionDescriptor, processes: ProcessTable) -> SessionData:
    known = descriptor.model_dump(include=set(SessionData.model_fields), by_alias=False)
    return SessionData(
        origin="pwtui",
        title=descriptor.profile,
        namespace=descriptor.profile,
        memory_bytes=processes.memory(descriptor.pid),
        age_seconds=round(time.time() - descriptor.created_at, 1),
        **known,
    )
