"""Starting the browser of a profile."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pwtui.browser.launch.cdp import launch_detached
from pwtui.browser.launch.keeper import start_kept
from pwtui.browser.launch.processes import started_at
from pwtui.browser.launch.start import free_port
from pwtui.browser.session.pooled import port_warning
from pwtui.browser.spec import SessionRequest, SessionSpec, is_alive
from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import Group, Run, configures
from pwtui.operations.framework.fields import Input
from pwtui.operations.session.session import sessions_folder, with_memory
from pwtui.protocol.errors import BrowserLaunchFailed, UnsupportedMode
from pwtui.protocol.models import SessionData
from pwtui.state.descriptor import read_descriptor, write_descriptor

GROUP = Group.SESSION


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
    its debugging port, or to the endpoint of a Firefox or WebKit.
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
    return await with_memory(call.pool.describe(spec, lease.session))


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
        write_descriptor(path, await start_kept(spec.of_browser, call.deadline))
        return
    folder = sessions_folder(call) / f"data-{'headless' if spec.headless else 'headful'}"
    browser, pid = await launch_detached(
        await call.pool.chromium_executable(spec, headless=spec.headless),
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
