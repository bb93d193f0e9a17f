"""Attaching to other browsers."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from pydantic import Field

from pwtui.browser.launch.cdp import (
    STANDARD_PORT,
    CdpBrowser,
    discover,
    launch_detached,
    listeners,
    listening_browser,
    probe_endpoint,
)
from pwtui.browser.launch.processes import ProcessTable, end_process
from pwtui.browser.launch.start import free_port
from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import Group, Keyword, Run, configures
from pwtui.operations.framework.fields import Data, Input, MayBeSecret
from pwtui.protocol.addresses import Endpoint
from pwtui.protocol.errors import InvalidInput, SessionError, UnsupportedMode
from pwtui.protocol.model import Maybe, Volatile
from pwtui.protocol.secrets import mask_text
from pwtui.state.auth import cdp_headers_file, read_storage_state
from pwtui.state.files import write_json

GROUP = Group.SESSION

Port = Annotated[int, Field(ge=1, le=65535)]


class ConnectInput(Input):
    endpoint: str | None = Field(
        None,
        description="Attach to this browser: http(s):// or ws(s):// of a CDP endpoint, or of a "
        "Playwright server, or the socket of a bound browser (wsEndpoint in session.list).",
    )
    headers: Annotated[dict[str, str] | None, MayBeSecret()] = Field(
        None, description="HTTP headers for a remote endpoint; stored privately."
    )
    clear: bool = Field(False, description="Clear the endpoint.")
    launch: bool = Field(False, description="Start a separate browser and attach to it.")
    discover: bool = Field(False, description="Find a running browser and attach to it.")
    kill: bool = Field(False, description="Kill the browser that listens on the port.")
    port: Port | None = Field(None, description="Debugging port for launch, discover and kill.")
    pid: int | None = Field(None, description="Kill only this process, if it has the port.")
    user_data_dir: str | None = Field(None, description="Browser profile folder for launch.")


class AppliedAuth(Data):
    file: Volatile[str]
    cookies_applied: int
    origins_present: int


class ConnectData(Data):
    action: Literal["show", "set", "cleared", "kill", "killed", "launched", "discovered"]
    message: str
    endpoint: str | None = None
    browser: Maybe[str] = None
    port: Volatile[Maybe[int]] = None
    pids: Volatile[Maybe[list[int]]] = None
    user_data_dir: Maybe[str] = None
    auth: Maybe[AppliedAuth] = None
    found: Maybe[list[str]] = Field(None, description="All endpoints that discover found.")


@configures(
    "connect",
    Keyword(
        "attach [endpoint] --cdp=endpoint --endpoint",
        summary="Attach to a running browser.",
        bare_fixed={"discover": True},
    ),
    Keyword("detach", summary="Detach from the attached browser.", fixed={"clear": True}),
    example={"discover": True},
    run=Run(where="session", needs_trust=True),
)
async def connect(call: Call, input: ConnectInput) -> ConnectData:
    """Set, show or clear the profile's CDP endpoint; find, launch or kill a browser for it.

    Only the first of kill, clear, launch, discover and endpoint applies; without any, the endpoint
    is shown.
    """
    if input.kill:
        return await _kill(call, input)
    if input.clear:
        _store(call, None)
        return ConnectData(action="cleared", message="the profile launches its own browser again")
    if input.launch or input.discover:
        _check_has_port(call.runtime.browser)
        return await (_launch if input.launch else _discover)(call, input)
    if input.endpoint is not None:
        return _set(call, input.endpoint, input.headers)
    endpoint = call.runtime.cdp_endpoint and mask_text(call.runtime.cdp_endpoint)
    return ConnectData(
        action="show",
        endpoint=endpoint,
        message=f"attaches to {endpoint}" if endpoint else "no endpoint is set",
    )


def _check_has_port(browser: str) -> None:
    if browser != "chromium":
        raise UnsupportedMode(
            f"launch and discover require chromium, not {browser}: other browsers have no "
            "debugging port",
            hint="set the `wsEndpoint` of a session or of a Playwright server as `endpoint`",
            details={"browser": browser},
        )


def _set(call: Call, endpoint: str, headers: dict[str, str] | None) -> ConnectData:
    if not Endpoint(endpoint).is_valid:
        raise InvalidInput(
            f"endpoint: {endpoint!r} must start with http://, https://, ws:// or wss://, or be the "
            "path of a socket",
            details={"endpoint": endpoint},
        )
    _store(call, endpoint)
    if headers:
        call.hidden_inputs.add("headers")
        path = cdp_headers_file(call.profiles.auth_folder(call.runtime.profile))
        write_json(path, headers, private=True)
    shown = mask_text(endpoint)
    return ConnectData(action="set", endpoint=shown, message=f"will attach to {shown}")


async def _kill(call: Call, input: ConnectInput) -> ConnectData:
    port = input.port or Endpoint(call.runtime.cdp_endpoint).port or _default_port(call)
    process = listening_browser(port) if await probe_endpoint(port) else None
    if process is None:
        return ConnectData(action="kill", port=port, message=f"no browser listens on port {port}")
    if input.pid is not None and process.pid != input.pid:
        raise InvalidInput(
            f"pid: port {port} belongs to process {process.pid}, not to {input.pid}",
            hint="no process was killed",
            details={"port": port, "pid": process.pid},
        )
    await end_process(process.pid)
    if Endpoint(call.runtime.cdp_endpoint).port == port:
        _store(call, None)
    return ConnectData(
        action="killed", port=port, pids=[process.pid], message=f"killed process {process.pid}"
    )


async def _launch(call: Call, input: ConnectInput) -> ConnectData:
    port = input.port or free_port(_default_port(call))
    if await probe_endpoint(port):
        raise InvalidInput(
            f"a browser already listens on port {port}",
            hint="attach to it with discover, or kill it with kill",
            details={"port": port},
        )
    folder = call.profiles.folder(call.runtime.profile) / "connect-user-data"
    if input.user_data_dir is not None:
        folder = call.caller.workspace.root / input.user_data_dir
    browser, _ = await launch_detached(
        await call.pool.chromium_executable(call.session_spec()),
        port,
        folder,
        headless=bool(call.profile.config.defaults.headless),
        deadline=call.deadline,
    )
    _store(call, browser.endpoint)
    return ConnectData(
        action="launched",
        message=f"started {browser.browser or 'a browser'} on port {port}",
        endpoint=browser.endpoint,
        browser=browser.browser,
        port=port,
        user_data_dir=str(folder),
        auth=await _apply_auth(call, browser),
    )


async def _discover(call: Call, input: ConnectInput) -> ConnectData:
    if input.port:
        ports = [input.port]
    else:
        running = await asyncio.to_thread(lambda: listeners(ProcessTable()))
        ports = [_default_port(call), STANDARD_PORT, *(each.port for each in running)]
    found = await discover(ports)
    if not found:
        where = f"port {input.port}" if input.port else "any local port"
        raise SessionError(
            f"no browser responds on {where}",
            hint="start one with launch",
            details={"ports": ports},
        )
    browser = found[0]
    _store(call, browser.endpoint)
    return ConnectData(
        action="discovered",
        message=f"attaches to {browser.browser or 'a browser'} on port {browser.port}",
        endpoint=browser.endpoint,
        browser=browser.browser,
        port=browser.port,
        found=[each.endpoint for each in found],
        auth=await _apply_auth(call, browser),
    )


async def _apply_auth(call: Call, browser: CdpBrowser) -> AppliedAuth | None:
    if call.runtime.auth_file is None:
        return None
    state = read_storage_state(call.runtime.auth_file)
    await call.pool.add_cookies(browser.endpoint, state)
    return AppliedAuth(
        file=str(call.runtime.auth_file),
        cookies_applied=len(state.cookies),
        origins_present=len(state.origins),
    )


def _store(call: Call, endpoint: str | None) -> None:
    """Change the endpoint; the headers of the old one are deleted."""
    cdp_headers_file(call.profiles.auth_folder(call.runtime.profile)).unlink(missing_ok=True)
    call.profiles.change_config(
        call.runtime.profile, lambda config: setattr(config.defaults, "cdp_endpoint", endpoint)
    )


def _default_port(call: Call) -> int:
    return call.caller.workspace.default_port(call.runtime.profile)
