"""The browser session of a profile, and all that run here."""

from __future__ import annotations

import asyncio
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from pydantic import Field

from pwtui.browser.launch.cdp import launch_detached
from pwtui.browser.launch.processes import ProcessTable, end_process, started_at
from pwtui.browser.launch.start import free_port
from pwtui.browser.session.pool import port_warning
from pwtui.browser.session.session import BrowserSession
from pwtui.browser.spec import SessionRequest, SessionSpec, is_alive
from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import Group, Outcome, Run, configures, reads
from pwtui.operations.framework.fields import Data, Input, NoInput, StoppedData
from pwtui.operations.session.tabs import TITLE_SECONDS
from pwtui.protocol.errors import BrowserLaunchFailed, UnsupportedMode
from pwtui.protocol.model import Maybe, Volatile
from pwtui.protocol.models import PageInfo, SessionData, SessionsData
from pwtui.state.descriptor import SessionDescriptor, read_descriptor, write_descriptor
from pwtui.state.profiles import Profiles

GROUP = Group.SESSION

COLUMNS = {
    "NAME": "{profile|title|'-'}",
    "BROWSER": "{browser|'-'}",
    "PID": "{pid|ownerPid|'-'}",
    "MEMORY": "{memoryBytes:size}",
    "ORIGIN": "{origin|'-'}",
    "TABS": "{pages:count}",
    "PAGE": "{pages.0.url}",
}
NO_SESSION = "no browser is open; the first operation that needs one starts it"


class SessionStartInput(Input):
    headful: bool = Field(False, description="Open a browser window.")
    cdp: bool | None = Field(
        None,
        description="Open a CDP debugging port, which other users of this machine can connect to "
        "(default: defaults.cdp of the profile, else true).",
    )
    port: Annotated[int, Field(ge=0, le=65535)] | None = Field(
        None,
        description="Debugging port (0: any free port; default: derived from the profile's name).",
    )


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


@configures(
    "session.start",
    example={"headful": False},
    run=Run(where="session", starts_browser=True),
    outcome="{browser|'browser'} runs {headless?without:with} a window (pid {pid|'?'})",
    python="pass",
)
async def session_start(call: Call, input: SessionStartInput) -> SessionData:
    """Start the profile's browser, or return the one that is running.

    In the daemon the session stays open until session.stop or the idle timeout of the daemon.
    Without the daemon (`useDaemon: false`) the browser is detached, and later commands attach to
    its debugging port.
    """
    runtime = call.runtime.with_window() if input.headful else call.runtime
    runtime.check_trusted()
    spec = call.session_spec(runtime)
    port = _port(call, input) if spec.browser == "chromium" else None
    if call.pool.find(spec) is None and not call.pool.reachable and spec.cdp_endpoint is None:
        await _start_detached(call, spec, port)
    lease = await call.pool.acquire(
        spec, SessionRequest(runtime, call.profiles, call.profile.cache.last_url, port=port)
    )
    call.diagnostics += lease.notices
    call.report(1, f"browser {lease.how}")
    running = lease.session.running
    if lease.how in ("reused", "reattached") and port is not None and spec.cdp_endpoint is None:
        if running.cdp_endpoint is not None:
            call.diagnostics.append(port_warning(running.cdp_endpoint))
        else:
            call.note(
                "warning",
                "the browser is already running without a debugging port; to open one, use "
                "`session.stop` and start it again",
            )
    return await _ours(call, spec, lease.session)


@reads(
    "session.status",
    run=Run(queued=False),
    outcome=Outcome(rows="session", columns=COLUMNS, empty="{message}"),
)
async def session_status(call: Call, input: NoInput) -> StatusData:
    """Show whether the profile's browser is running, its process and endpoints."""
    for spec in _both_modes(call):
        if session := call.pool.find(spec):
            return StatusData(active=True, session=await _ours(call, spec, session))
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
    specs = _both_modes(call) if input.pid is None else _specs_of_process(call, input.pid)
    stopped = [await call.pool.close_session(spec) for spec in specs]
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
    return StoppedData(stopped=False, message=NO_SESSION)


@configures("session.clear", run=Run(queued=False, needs_trust=False))
async def session_clear(call: Call, input: NoInput) -> SessionClearedData:
    """Delete the profile's session descriptors; browsers stay open."""
    folder = _sessions_folder(call)
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

    A browser of another program that does not respond at once is listed without version and pages;
    subscribers get a `session` event when it responds.
    """
    live = call.pool.sessions.items()
    processes = await asyncio.to_thread(ProcessTable)
    found = list(
        await asyncio.gather(*(_ours(call, spec, session, processes) for spec, session in live))
    )
    pids = {each.pid for each in found if each.pid}
    for name in call.profiles.names():
        for _, descriptor in descriptors(call.profiles, name):
            if descriptor.pid not in pids and is_alive(descriptor):
                found.append(_described(descriptor, processes))
                pids.add(descriptor.pid)
    if input.others:
        endpoints = {e for each in found for e in (each.cdp_endpoint, each.ws_endpoint) if e}
        others = await call.pool.others.find(processes, pids=pids, endpoints=endpoints)
        found += others
    return SessionsData(sessions=found, count=len(found))


def _port(call: Call, input: SessionStartInput) -> int | None:
    """The debugging port: that of the request, or the default port of the profile."""
    wanted = input.cdp if input.cdp is not None else call.runtime.cdp
    if wanted is False:
        return None
    profile_port = call.caller.workspace.default_port(call.runtime.profile)
    return profile_port if input.port is None else input.port


async def _start_detached(call: Call, spec: SessionSpec, port: int | None) -> None:
    """Start a browser that outlives this process; later ones find it by its descriptor."""
    path = call.profiles.descriptor_path(spec.key)
    existing = read_descriptor(path)
    if existing is not None and is_alive(existing):
        return
    if port is None and spec.browser == "chromium":
        raise UnsupportedMode(
            "a session without the daemon requires a debugging port",
            hint="use the daemon (useDaemon: true), or remove cdp: false",
        )
    if spec.browser != "chromium":
        raise UnsupportedMode(
            f"a session without the daemon requires Chromium, not {spec.browser}",
            hint="use the daemon (useDaemon: true)",
        )
    folder = _sessions_folder(call) / f"data-{'headless' if spec.headless else 'headful'}"
    browser, pid = await launch_detached(
        await call.pool.chromium_executable(headless=spec.headless),
        free_port(port or 0),
        folder,
        headless=spec.headless,
        deadline=call.deadline,
    )
    began = started_at(pid)
    if began is None:
        raise BrowserLaunchFailed(f"{browser.browser} exited right after it started")
    descriptor = spec.descriptor(
        "detached",
        pid=pid,
        started_at=began,
        cdp_endpoint=f"http://127.0.0.1:{browser.port}",
        user_data_dir=str(folder),
    )
    write_descriptor(path, descriptor)


def _sessions_folder(call: Call) -> Path:
    return call.profiles.folder(call.runtime.profile) / "sessions"


def descriptors(profiles: Profiles, name: str) -> list[tuple[Path, SessionDescriptor]]:
    folder = profiles.folder(name) / "sessions"
    found = []
    with suppress(OSError):
        for path in sorted(folder.glob("session*.json")):
            if descriptor := read_descriptor(path):
                found.append((path, descriptor))
    return found


def _both_modes(call: Call) -> list[SessionSpec]:
    runtimes = [call.runtime._replace(headless=headless) for headless in (True, False)]
    return [call.session_spec(runtime) for runtime in runtimes]


def _specs_of_process(call: Call, pid: int) -> list[SessionSpec]:
    mine = (call.caller.workspace.id, call.runtime.profile)
    return [
        spec
        for spec, session in call.pool.sessions.items()
        if session.running.pid == pid and spec.key[:2] == mine
    ]


async def _ours(
    call: Call, spec: SessionSpec, session: BrowserSession, processes: ProcessTable | None = None
) -> SessionData:
    running = session.running
    tabs = session.tabs
    titles = await asyncio.gather(*(tab.known_title(TITLE_SECONDS) for tab in tabs))
    if processes is None:
        processes = await asyncio.to_thread(ProcessTable)
    profile = spec.key.profile
    return SessionData(
        origin="pwtui",
        owner="detached" if running.attached else "daemon" if call.pool.reachable else "process",
        title=profile,
        profile=profile,
        namespace=profile,
        workspace=spec.workspace,
        workspace_id=spec.key.workspace_id,
        session_key=str(spec.key),
        browser=spec.browser,
        headless=spec.headless,
        attached=running.attached,
        pid=running.pid,
        cdp_endpoint=running.cdp_endpoint,
        ws_endpoint=running.ws_endpoint,
        version=running.browser.version,
        pages=[PageInfo(title=t, url=tab.url) for t, tab in zip(titles, tabs, strict=True)],
        memory_bytes=processes.memory(running.pid) if running.pid else None,
        created_at=running.created_at,
        last_used_at=session.last_used_at,
        age_seconds=round(time.time() - running.created_at, 1),
    )


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
