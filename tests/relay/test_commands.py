"""The output and exit codes of `pw relay` and `pw doctor cdp`."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from aiohttp import web
from websockets.asyncio.server import ServerConnection, serve

from pwtui.cli.argument_parser import Stop
from pwtui.cli.context import Context
from pwtui.cli.parser import parse
from pwtui.cli.terminal import CapturedTerminal
from pwtui.protocol.envelope import Request, Response
from pwtui.relay import api
from pwtui.runtime.caller import Caller
from pwtui.state.workspace import Workspace
from tests.cli.pw import Pw
from tests.relay.fake import TOKEN, extension, relay
from tests.relay.rig import Rig, eventually, free_port
from tests.site import TestSite
from tests.waiting import LIMIT


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


async def pw(*arguments: str) -> Result:
    """Run a command line in this process."""
    terminal = CapturedTerminal(0, False, {}, Path.cwd(), Workspace(Path.cwd()))

    async def perform(request: Request, caller: Caller) -> Response:
        raise AssertionError("these commands are no operations")

    try:
        given = parse(arguments, {})
    except Stop as stop:
        return Result(stop.code, "", stop.text)
    context = Context.of(given, terminal, perform)
    code = await given.command(given, context)
    return Result(code, "\n".join(terminal.output), "\n".join(terminal.errors))


async def test_a_relay_can_be_started_inspected_and_stopped(state: Path) -> None:
    port = str(free_port())
    missing = await pw("relay", "status", "--port", port)
    started = await pw("relay", "start", "--port", port, "--json", "--separate-window")
    status = await pw("relay", "status", "--port", port, "-f", "ndjson")
    text = await pw("relay", "status", "--port", port)
    trace = await pw("relay", "trace", "--port", port)
    stopped = await pw("relay", "stop", "--port", port)
    again = await pw("relay", "stop", "--port", port, "--json")
    untraced = await pw("relay", "trace", "--port", port)

    assert (missing.code, started.code, status.code, stopped.code) == (1, 0, 0, 0)
    assert "pw relay start" in missing.out
    assert started.json["started"] is True
    assert (status.json["running"], status.json["separateWindow"]) == (True, True)
    assert "pw relay extension" in text.out
    assert trace.out == "no client has connected yet"
    assert again.json == {"stopped": False, "browserClosed": False}
    assert (untraced.code, untraced.out) == (1, "")
    assert "pw relay start" in untraced.err


async def test_ctrl_c_stops_a_relay_in_the_foreground_and_a_port_in_use_is_an_error(
    state: Path, tmp_path: Path
) -> None:
    port = free_port()
    shell = Pw(tmp_path)
    process = shell.start("relay", "start", "--foreground", "--port", str(port))

    async def is_running() -> bool:
        return await asyncio.to_thread(api.running_version, port) is not None

    await eventually(is_running, "it runs")
    taken = await asyncio.to_thread(shell, "relay", "start", "--foreground", "--port", str(port))
    process.send_signal(signal.SIGINT)
    _, errors = await asyncio.to_thread(process.communicate, timeout=20)

    assert process.returncode == 0, errors
    assert b"listens on 127.0.0.1" in errors
    assert taken.code == 1
    assert "cannot listen on port" in taken.err


async def test_wrong_usage_is_reported_and_other_commands_need_no_relay(state: Path) -> None:
    usage = await pw("relay")
    port = await pw("relay", "start", "--port", "70000")
    scheme = await pw("doctor", "cdp", "example.test")
    seconds = await pw("doctor", "cdp", "http://127.0.0.1:1", "--timeout", "soon")
    folder = await pw("relay", "extension", "--json")
    how = await pw("relay", "extension")
    token = await pw("relay", "token")

    assert [each.code for each in (usage, port, scheme, seconds)] == [2, 2, 2, 2]
    assert "70000" in port.err
    assert "must begin with http://" in scheme.err
    assert folder.json == {"folder": str(state / "extension")}
    assert "chrome://extensions" in how.out
    assert len(token.out) > 30


async def test_the_doctor_performs_the_seven_steps_at_a_browser_and_at_a_relay(
    rig: Rig, site: TestSite
) -> None:
    await rig.open(site.url("/form.html"))

    relayed = await pw("doctor", "cdp", f"http://127.0.0.1:{rig.port}", "-f", "json")
    direct = await pw("doctor", "cdp", f"http://127.0.0.1:{rig.debug_port}", "-f", "json")
    text = await pw("doctor", "cdp", f"http://127.0.0.1:{rig.port}")
    trace = await pw("relay", "trace", "--port", str(rig.port))

    for result in (relayed, direct):
        assert (result.code, result.json["missing"]) == (0, None)
        page = next(p for p in result.json["pages"] if p["url"] == site.url("/form.html"))
        steps = [*result.json["steps"], *page["steps"]]
        assert [step["number"] for step in steps] == [1, 2, 3, 4, 5, 6, 7]
        assert all(step["atMs"] is not None for step in steps)
    assert "7 executionContextCreated" in text.out
    assert "7 executionContextCreated" in trace.out
    assert "token" not in relayed.out + text.out


MISSING = {
    "endpoint": "endpoint",
    "token": "webSocket",
    "pages": "attachedToTarget",
    "Runtime.enable": "runtimeEnable",
    "contexts": "executionContextCreated",
}


async def missing_step(silent_on: str) -> tuple[str, bool]:
    """The missing step, and whether the output shows it with the hint."""

    def answer(method: str, params: object) -> dict[str, object] | None:
        return None if method == silent_on else {}

    async with relay() as (_, port), extension(port, answer) as fake:
        if silent_on != "pages":
            await fake.attach("s1", "about:blank")
        token = "wrong" if silent_on == "token" else TOKEN
        place = free_port() if silent_on == "endpoint" else port
        url = f"http://127.0.0.1:{place}/?token={token}"
        result, text = await asyncio.gather(
            pw("doctor", "cdp", url, "--timeout", "1.5", "-f", "ndjson"),
            pw("doctor", "cdp", url, "--timeout", "1.5"),
        )
    missing = result.json["missing"]
    lines = (f"MISSING {missing['number']} {missing['step']}", missing["hint"])
    shown = all(line in text.out for line in lines)
    return missing["step"], shown and result.code == text.code == 1


async def test_the_doctor_shows_the_missing_step() -> None:
    found = await asyncio.gather(*(missing_step(silent_on) for silent_on in MISSING))

    assert found == [(step, True) for step in MISSING.values()]


async def test_the_doctor_shows_the_response_of_a_server_that_is_not_a_cdp_endpoint(
    tmp_path: Path,
) -> None:
    ended = asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        match request.path.split("/")[1]:
            case "html":
                return web.Response(text="<h1>Router</h1>", content_type="text/html")
            case "error":
                raise web.HTTPInternalServerError
            case "moved":
                raise web.HTTPFound("http://elsewhere.invalid/")
            case "silent":
                return web.json_response({"webSocketDebuggerUrl": f"ws://{request.host}/never"})
            case "never":
                await ended.wait()
        if request.headers.get("Authorization") != "Bearer x":
            raise web.HTTPUnauthorized
        return web.json_response({"webSocketDebuggerUrl": f"ws://{request.host}/refused"})

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    (tmp_path / "headers").write_text("Authorization: Bearer x\n")

    async def doctor(path: str, *more: str) -> str:
        url = f"http://127.0.0.1:{port}/{path}"
        result = await pw("doctor", "cdp", url, *more)
        assert result.code == 1, result
        return result.out

    try:
        html, error, moved, closed, silent = await asyncio.gather(
            *(doctor(path) for path in ("html", "error", "moved", "closed")),
            doctor("silent", "--timeout", "3"),
        )
        opened = await doctor("closed", "--header", "Authorization: Bearer x")
        by_file = await doctor("closed", "--header", f"@{tmp_path / 'headers'}")
        refused = await pw("doctor", "cdp", f"ws://127.0.0.1:{port}/closed")
        usage = await pw("doctor", "cdp", "http://127.0.0.1:1", "--header", "none")
    finally:
        ended.set()
        await runner.cleanup()

    assert "/html/json/version returned text/html without a webSocketDebuggerUrl" in html
    assert "/error/json/version returned 500 Internal Server Error" in error
    assert "/moved/json/version returned 302 Found" in moved
    assert all("is not a CDP endpoint" in text for text in (html, error, moved))
    assert "returned 401 Unauthorized" in closed
    assert "pass them with --header" in closed
    assert "MISSING 2 webSocket" in silent
    assert "did not respond to the WebSocket handshake" in silent
    assert "refused" not in silent
    assert "ok      1 endpoint" in opened
    assert "ok      1 endpoint" in by_file
    assert "the WebSocket was refused: 401" in refused.out
    assert "pass them with --header" in refused.out
    assert usage.code == 2
    assert "must be `NAME: VALUE`" in usage.err


async def test_the_doctor_escapes_the_control_characters_of_an_endpoint() -> None:
    async def answer(socket: ServerConnection) -> None:
        async for frame in socket:
            number = json.loads(frame)["id"]
            error = {"code": 1, "message": "\x1b[31mred\x9b"}
            await socket.send(json.dumps({"id": number, "error": error}))

    async with serve(answer, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        result = await pw("doctor", "cdp", f"ws://127.0.0.1:{port}", "--timeout", "5")

    assert r"\u001b[31mred\u009b" in result.out
    assert "\x1b" not in result.out


async def test_open_starts_a_browser_with_the_extension_and_stop_closes_it(
    state: Path, site: TestSite
) -> None:
    port = str(free_port())
    page = site.url("/form.html")
    opened = await pw("relay", "open", "--port", port, "--headless", "--json", page)
    assert opened.code == 0, opened
    again = await pw("relay", "open", "--port", port, "--headless", site.url("/text.html"))
    status = await pw("relay", "status", "--port", port)
    stopped = await pw("relay", "stop", "--port", port)

    assert again.code == 0, again
    assert f"started process {opened.json['pid']}" in status.out
    assert "closed the browser" in stopped.out
    assert not psutil.pid_exists(opened.json["pid"])
    assert page in status.out
    assert site.url("/text.html") in status.out


def test_the_relay_does_not_import_playwright() -> None:
    code = "import sys, pwtui.relay.serve; print([m for m in sys.modules if 'playwright' in m])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=LIMIT
    )

    assert done.stdout == "[]\n"
