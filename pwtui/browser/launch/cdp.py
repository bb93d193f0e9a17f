"""Finds, starts and identifies browsers with a debugging port."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from pwtui.browser.launch.processes import ProcessTable, chromium_command, start_detached
from pwtui.browser.page.deadline import Deadline
from pwtui.protocol.addresses import Endpoint
from pwtui.protocol.errors import BrowserLaunchFailed
from pwtui.protocol.models import PageInfo

PROBE_SECONDS = 1.5
POLL_SECONDS = 0.05
STANDARD_PORT = 9222
MAX_ANSWER_BYTES = 8 * 1024 * 1024
_WANTS_A_WEBSOCKET = (400, 404, 405, 426)


@dataclass(frozen=True)
class CdpBrowser:
    """A browser that responds on a debugging port."""

    port: int
    endpoint: str
    browser: str | None


@dataclass(frozen=True)
class Listener:
    """A process that listens on a debugging port; the pid is None when it is unknown."""

    pid: int | None
    port: int
    parent: int = 0
    chosen_by_system: bool = False


async def probe_endpoint(port: int) -> CdpBrowser | None:
    """The browser that listens on a loopback port."""
    for host in ("127.0.0.1", "::1"):
        with suppress(OSError, ValueError, TimeoutError):
            async with asyncio.timeout(PROBE_SECONDS):
                version = await _get_local(host, port, "/json/version")
            endpoint = version.get("webSocketDebuggerUrl")
            if isinstance(endpoint, str):
                return CdpBrowser(port, endpoint, version.get("Browser"))
    return None


async def details_of(port: int) -> tuple[CdpBrowser, list[PageInfo] | None] | None:
    """The browser on a port and its pages; None if no browser responds."""
    browser = await probe_endpoint(port)
    if browser is None:
        return None
    host = Endpoint(browser.endpoint).host or "127.0.0.1"
    with suppress(OSError, ValueError):
        targets = await _get_local(host, port, "/json/list")
        return browser, [
            PageInfo(title=str(each.get("title", "")), url=str(each.get("url", "")))
            for each in targets
            if each.get("type") == "page"
        ]
    return browser, None


async def discover(ports: list[int]) -> list[CdpBrowser]:
    """The browsers that respond on these ports, in this order."""
    found = await asyncio.gather(*(probe_endpoint(port) for port in dict.fromkeys(ports)))
    return [browser for browser in found if browser is not None]


def listeners(processes: ProcessTable) -> list[Listener]:
    """The processes that listen on a debugging port, and the standard port."""
    found = {STANDARD_PORT: Listener(None, STANDARD_PORT)}
    for pid, process in processes.processes.items():
        arguments = processes.command(pid)
        wanted = debugging_port(arguments)
        if wanted is None:
            continue
        with suppress(psutil.Error, OSError):
            for port in _debugging_ports(process, arguments, wanted):
                parent = processes.parent(process)
                found[port] = Listener(pid, port, parent, chosen_by_system=wanted == 0)
    return [found[port] for port in sorted(found)]


def debugging_port(arguments: Iterable[str]) -> int | None:
    """The debugging port in a browser's arguments (0: any free port); None for child processes."""
    wanted = None
    for argument in arguments:
        flag, _, value = argument.partition("=")
        if flag == "--type":
            return None
        if flag == "--remote-debugging-port" and value.isdecimal():
            wanted = int(value)
    return wanted


def listening_browser(port: int) -> psutil.Process | None:
    """The process that listens on the port."""
    processes = ProcessTable()
    for each in listeners(processes):
        if each.port == port and each.pid is not None:
            return processes.processes[each.pid]
    for process in processes.processes.values():
        with suppress(psutil.Error):
            if port in _open_ports(process):
                return process
    return None


def wait_for_port(pid: int, seconds: float) -> int | None:
    """Wait until a browser listens on its debugging port; returns the port."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(psutil.Error):
            if ports := _open_ports(psutil.Process(pid)):
                return ports[0]
        time.sleep(POLL_SECONDS)
    return None


def _open_ports(process: psutil.Process) -> list[int]:
    connections = process.net_connections(kind="tcp")
    return [each.laddr.port for each in connections if each.status == psutil.CONN_LISTEN]


def _debugging_ports(process: psutil.Process, arguments: list[str], wanted: int) -> list[int]:
    """The debugging ports of a process; for another user's process, the one in its arguments."""
    try:
        return [port for port in _open_ports(process) if wanted in (0, port)]
    except psutil.AccessDenied:
        return [wanted] if wanted else _announced_port(arguments)


def _announced_port(arguments: list[str]) -> list[int]:
    """The port in the DevToolsActivePort file of a profile folder."""
    for argument in arguments:
        flag, _, folder = argument.partition("=")
        if flag == "--user-data-dir":
            with suppress(OSError, ValueError, IndexError):
                return [int((Path(folder) / "DevToolsActivePort").read_text().splitlines()[0])]
    return []


async def serves_playwright(endpoint: str, headers: Mapping[str, str]) -> bool | None:
    """Whether an endpoint speaks Playwright's protocol: a bound browser, or its `run-server`.

    None if it does not say: hosted browsers and gateways may speak either protocol.
    """
    place = Endpoint(endpoint)
    if place.is_socket:
        return True
    if not place.is_websocket or "/devtools/" in endpoint:
        return False
    with suppress(OSError, ValueError):
        answer = await asyncio.to_thread(_get_json, place.http_url("/json"), headers)
        if isinstance(answer, dict) and answer.get("wsEndpointPath") == (place.url.path or "/"):
            return True
    return None


def why_no_browser(endpoint: str, headers: Mapping[str, str]) -> str | None:
    """Why an endpoint is not a browser; None if its response does not explain it."""
    place = Endpoint(endpoint)
    if place.is_socket or not place.is_valid:
        return None
    path = f"{place.url.path.rstrip('/')}/json/version"
    if place.is_websocket:
        path = f"{place.url.path}?{place.url.query}".rstrip("?")
    try:
        _get_json(place.http_url(path), headers)
    except urllib.error.HTTPError as error:
        if place.is_websocket and error.code in _WANTS_A_WEBSOCKET:
            return None
        return f"the server returned HTTP {error.code} {error.reason}".rstrip()
    except urllib.error.URLError as error:
        reason = error.reason
        return f"{reason.strerror or reason}".lower() if isinstance(reason, OSError) else None
    except OSError as error:
        return f"{error.strerror or error}".lower()
    except ValueError:
        if not place.is_websocket:
            return "the response is not JSON: not a browser's debugging port"
    return None


async def launch_detached(
    executable: Path, port: int, user_data_dir: Path, *, headless: bool, deadline: Deadline
) -> tuple[CdpBrowser, int]:
    """Start a browser with a debugging port that outlives this process."""
    user_data_dir.mkdir(parents=True, exist_ok=True)
    # A process of asyncio would be killed when the event loop of this process is closed.
    process = start_detached(
        [
            *chromium_command(executable, user_data_dir, headless=headless),
            f"--remote-debugging-port={port}",
            "about:blank",
        ]
    )
    while process.poll() is None and deadline.seconds != 0:
        if browser := await probe_endpoint(port):
            return browser, process.pid
        await asyncio.sleep(POLL_SECONDS)
    code = process.poll()
    if code is None:
        process.kill()
    reason = f"it exited with code {code}" if code is not None else "it did not respond in time"
    window = None if headless else "without a display set defaults.headless to true in the profile"
    raise BrowserLaunchFailed(
        f"{executable} did not start on port {port}: {reason}",
        hint=window,
        details={"executable": str(executable), "port": port},
    )


def _get_json(url: str, headers: Mapping[str, str] | None = None) -> Any:
    request = urllib.request.Request(url, headers=dict(headers or {}))
    try:
        with urllib.request.urlopen(request, timeout=PROBE_SECONDS) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        error.close()
        raise


async def _get_local(host: str, port: int, path: str) -> Any:
    """Get JSON from a server on this machine, without a thread."""
    reader, writer = await asyncio.open_connection(host, port, limit=MAX_ANSWER_BYTES)
    try:
        head = f"GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        fields = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
        names = {name: value.strip() for name, _, value in (f.partition(b":") for f in fields)}
        if length := names.get(b"content-length"):
            return json.loads(await reader.readexactly(min(int(length), MAX_ANSWER_BYTES)))
        body = b""
        while names.get(b"transfer-encoding") == b"chunked":
            size = int(await reader.readuntil(b"\r\n"), 16)
            body += (await reader.readexactly(size + 2))[:-2]
            if size == 0 or len(body) > MAX_ANSWER_BYTES:
                break
        return json.loads(body or await reader.read(MAX_ANSWER_BYTES))
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise ValueError(f"no HTTP response: {error}") from None
    finally:
        writer.close()
