"""The browser session of a profile."""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field

from pwtui.browser.pool import SessionSpec
from pwtui.browser.session import Session
from pwtui.operations.call import Call
from pwtui.operations.declare import operation
from pwtui.operations.fields import Data, Input, NoInput
from pwtui.protocol.errors import UnsupportedMode
from pwtui.protocol.model import Maybe

NOT_RUNNING = "no session is open; one begins with the first operation that needs a browser"


class StartInput(Input):
    headful: bool = Field(False, description="Start with a window.")


class SessionData(Data):
    browser: str
    headless: bool
    attached: bool = Field(description="Whether somebody else owns the browser.")
    cdp_endpoint: Maybe[str] = None
    ws_endpoint: Maybe[str] = Field(None, description="Where other Playwright clients can attach.")
    workspace_id: str
    namespace: str = Field(description="The profile.")
    session_key: str
    created_at: float
    tab_count: int


class StatusData(Data):
    active: bool
    message: Maybe[str] = None
    session: Maybe[SessionData] = None


class StoppedData(Data):
    stopped: bool
    message: Maybe[str] = None


class ClearedData(Data):
    cleared: bool
    path: str
    message: Maybe[str] = None


@operation("session.start", example={"headful": False})
async def session_start(call: Call, input: StartInput) -> SessionData:
    """Start the profile's browser, or answer with the one that runs.

    The session lives as long as the process that serves it: for `pw batch` until its input ends.
    """
    if call.caller.mode == "exec":
        raise UnsupportedMode(
            "a session would end together with this command; start it in `pw batch`, whose later "
            "lines share it, or attach to a browser of its own with `connect` and launch"
        )
    runtime = call.runtime.with_window() if input.headful else call.runtime
    spec = call.session_spec(runtime)
    lease = await call.pool.acquire(
        spec,
        runtime,
        auth_folder=call.profiles.auth_folder(runtime.profile),
        preferred_url=call.profile.cache.last_url,
    )
    call.diagnostics += lease.notices
    return _describe(call, spec, lease.session)


@operation("session.status")
async def session_status(call: Call, input: NoInput) -> StatusData:
    """Tell whether the profile's browser runs, after asking it."""
    for spec in _both_modes(call):
        if session := call.pool.find(spec):
            return StatusData(active=True, session=_describe(call, spec, session))
    return StatusData(active=False, message=NOT_RUNNING)


@operation("session.stop")
async def session_stop(call: Call, input: NoInput) -> StoppedData:
    """End the profile's session; a browser that was only attached to goes on."""
    stopped = [await call.pool.close_session(spec) for spec in _both_modes(call)]
    if any(stopped):
        return StoppedData(stopped=True)
    return StoppedData(stopped=False, message=NOT_RUNNING)


@operation("session.clear")
async def session_clear(call: Call, input: NoInput) -> ClearedData:
    """Remove the profile's session descriptor; touches no browser."""
    path = call.profiles.descriptor_path(call.runtime.profile)
    existed = path.exists()
    path.unlink(missing_ok=True)
    return ClearedData(
        cleared=existed, path=str(path), message=None if existed else "there was no descriptor"
    )


def _both_modes(call: Call) -> list[SessionSpec]:
    runtimes = [replace(call.runtime, headless=headless) for headless in (True, False)]
    return [call.session_spec(runtime) for runtime in runtimes]


def _describe(call: Call, spec: SessionSpec, session: Session) -> SessionData:
    return SessionData(
        browser=spec.browser,
        headless=spec.headless,
        attached=session.attached,
        cdp_endpoint=spec.cdp_endpoint,
        ws_endpoint=session.bind_endpoint,
        workspace_id=call.caller.workspace.id,
        namespace=call.runtime.profile,
        session_key=spec.key,
        created_at=session.created_at,
        tab_count=len(session.tabs),
    )
