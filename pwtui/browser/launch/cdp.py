"""Browsers that others run: finding, starting and ending them by their debugging port."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from pwtui.browser.launch.processes import ProcessTable, chromium_command
from pwtui.browser.page.deadline import Deadline
from pwtui.protocol.addresses import Endpoint
from pwtui.protocol.errors import BrowserLaunchFailed

PROBE_SECONDS = 1.5
POLL_SECONDS = 0.05
STANDARD_PORT = 9222
MAX_ANSWER_BYTES = 8 * 1024 * 1024
_LISTENS = "0A"
_WANTS_A_WEBSOCKET = (400, 404, 405, 426)


@dataclass(frozen=True)
class CdpBrowser:
    """A browser that answers on a debugging port."""

    port: int
    endpoint: str
    browser: str | None


@dataclass(frozen=True)
class Listener:
    """A process that listens on a debugging port; None when it is unknown."""

    pid: int | None
    port: int
    parent: int = 0
    chosen_by_system: bool = False


async def probe(port: int) -> CdpBrowser | None:
    """Ask a loopback port whether a browser listens there."""
    for host in ("127.0.0.1", "::1"):
        with suppress(OSError, ValueError, TimeoutError):
            async with asyncio.timeout(PROBE_SECONDS):
                version = await _get_local(host, port, "/json/version")
            endpoint = version.get("webSocketDebuggerUrl")
            if isinstance(endpoint, str):
                return CdpBrowser(port, endpoint, version.get("Browser"))
    return None


async def details_of(port: int) -> tuple[CdpBrowser, list[dict[str, str]] | None] | None:
    """The browser on a port, and title and URL of its pages; None where no browser answers."""
    browser = await probe(port)
    if browser is None:
        return None
    host = Endpoint(browser.endpoint).host or "127.0.0.1"
    with suppress(OSError, ValueError):
        targets = await _get_local(host, port, "/json/list")
        pages = [each for each in targets if each.get("type") == "page"]
        return browser, [
            {"title": str(each.get("title", "")), "url": str(each.get("url", ""))} for each in pages
        ]
    return browser, None


async def discover(ports: list[int]) -> list[CdpBrowser]:
    """The browsers that answer on these ports, in their order."""
    found = await asyncio.gather(*(probe(port) for port in dict.fromkeys(ports)))
    return [browser for browser in found if browser is not None]


def listeners(processes: ProcessTable) -> list[Listener]:
    """The browsers that were started with a debugging port and listen, and the standard port."""
    sockets = _listening_sockets()
    found: dict[int, Listener] = {}
    for pid, process in processes.processes.items():
        with suppress(psutil.Error, OSError):
            arguments = process.cmdline()
            wanted = debugging_port(arguments)
            if wanted is None:
                continue
            for port in _ports_of(process, sockets, arguments, wanted):
                parent = processes.parent(process)
                found[port] = Listener(pid, port, parent, chosen_by_system=wanted == 0)
    if STANDARD_PORT not in found and (sockets is None or STANDARD_PORT in sockets.values()):
        found[STANDARD_PORT] = Listener(None, STANDARD_PORT)
    return [found[port] for port in sorted(found)]


def debugging_port(arguments: Iterable[str]) -> int | None:
    """The port that a browser was asked to listen on (0: any); its own helpers listen on none."""
    wanted = None
    for argument in arguments:
        flag, _, value = argument.partition("=")
        if flag == "--type":
            return None
        if flag == "--remote-debugging-port" and value.isdecimal():
            wanted = int(value)
    return wanted


def listening_browser(port: int) -> psutil.Process | None:
    """The process that listens on the port; its clients are not it."""
    processes = ProcessTable()
    for each in listeners(processes):
        if each.port == port and each.pid is not None:
            return processes.processes[each.pid]
    listening = (each for each in processes.processes.values() if port in _open_ports(each))
    return next(listening, None)


def wait_for_port(pid: int, seconds: float) -> int | None:
    """The port that a browser which was started with one listens on; it opens a moment later."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(psutil.Error):
            if ports := _open_ports(psutil.Process(pid)):
                return ports[0]
        time.sleep(POLL_SECONDS)
    return None


def _open_ports(process: psutil.Process) -> list[int]:
    with suppress(psutil.Error):
        connections = process.net_connections(kind="tcp")
        return [each.laddr.port for each in connections if each.status == psutil.CONN_LISTEN]
    return []


def _listening_sockets() -> dict[str, int] | None:
    """The ports of all listening sockets by what `/proc` calls them; None where it does not."""
    found = {}
    for table in ("tcp", "tcp6"):
        try:
            lines = Path(f"/proc/net/{table}").read_text().splitlines()[1:]
        except OSError:
            continue
        for _, local, _, state, *_, inode in (line.split()[:10] for line in lines):
            if state == _LISTENS:
                found[f"socket:[{inode}]"] = int(local.rpartition(":")[2], 16)
    return found if Path("/proc/net").exists() else None


def _ports_of(
    process: psutil.Process, sockets: dict[str, int] | None, arguments: list[str], wanted: int
) -> list[int]:
    """The debugging ports that a process really has; of another user's, what it was asked for."""
    try:
        if sockets is None:
            connections = process.net_connections(kind="tcp")
            ports = {each.laddr.port for each in connections if each.status == psutil.CONN_LISTEN}
        else:
            names = (_target(each) for each in os.scandir(f"/proc/{process.pid}/fd"))
            ports = {sockets[name] for name in names if name in sockets}
    except (PermissionError, psutil.AccessDenied):
        return [wanted] if wanted else _announced_port(arguments)
    return [port for port in ports if wanted in (0, port)]


def _target(entry: os.DirEntry[str]) -> str:
    try:
        return os.readlink(entry)  # noqa: PTH115 - a thousand paths would cost more than the links
    except OSError:
        return ""  # closed meanwhile


def _announced_port(arguments: list[str]) -> list[int]:
    """The port that a browser wrote into its profile folder."""
    for argument in arguments:
        flag, _, folder = argument.partition("=")
        if flag == "--user-data-dir":
            with suppress(OSError, ValueError, IndexError):
                return [int((Path(folder) / "DevToolsActivePort").read_text().splitlines()[0])]
    return []


async def serves_playwright(endpoint: str) -> bool:
    """Whether an endpoint speaks Playwright's protocol: a bound browser, or its `run-server`."""
    place = Endpoint(endpoint)
    if place.is_socket:
        return True
    if not place.is_websocket or "/devtools/" in endpoint:
        return False
    with suppress(OSError, ValueError):
        answer = await asyncio.to_thread(_get_json, place.http_url("/json"))
        return bool(answer.get("wsEndpointPath") == (place.url.path or "/"))
    return False


def why_no_browser(endpoint: str, headers: dict[str, str]) -> str | None:
    """What an endpoint answers instead of a browser; None when its answer explains nothing."""
    place = Endpoint(endpoint)
    if place.is_socket or not place.is_valid:
        return None
    is_websocket = place.is_websocket
    path = f"{place.url.path}?{place.url.query}".rstrip("?")
    url = place.http_url(path if is_websocket else f"{place.url.path.rstrip('/')}/json/version")
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers=headers), timeout=PROBE_SECONDS
        ) as answer:
            if is_websocket:
                return None
            json.load(answer)
    except urllib.error.HTTPError as error:
        error.close()
        if is_websocket and error.code in _WANTS_A_WEBSOCKET:
            return None
        return f"it answered HTTP {error.code} {error.reason}".rstrip()
    except urllib.error.URLError as error:
        reason = error.reason
        return f"{reason.strerror or reason}".lower() if isinstance(reason, OSError) else None
    except OSError as error:
        return f"{error.strerror or error}".lower()
    except ValueError:
        return "its answer is not JSON, so it is no browser's debugging port"
    return None


async def launch_detached(
    executable: Path, port: int, user_data_dir: Path, *, headless: bool, deadline: Deadline
) -> tuple[CdpBrowser, int]:
    """Start a browser that outlives us and answers on `port`; it comes with its pid."""
    user_data_dir.mkdir(parents=True, exist_ok=True)
    process = await asyncio.create_subprocess_exec(
        *chromium_command(executable, user_data_dir, headless=headless),
        f"--remote-debugging-port={port}",
        "about:blank",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while process.returncode is None and deadline.seconds != 0:
        if browser := await probe(port):
            return browser, process.pid
        await asyncio.sleep(POLL_SECONDS)
    ended = process.returncode
    if ended is None:
        process.kill()
    await process.wait()
    reason = f"it ended with code {ended}" if ended is not None else "it did not answer in time"
    window = None if headless else "without a display set defaults.headless to true in the profile"
    raise BrowserLaunchFailed(
        f"{executable} did not start on port {port}: {reason}",
        hint=window,
        details={"executable": str(executable), "port": port},
    )


def _get_json(url: str) -> Any:
    try:
        with urllib.request.urlopen(url, timeout=PROBE_SECONDS) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        error.close()
        raise


async def _get_local(host: str, port: int, path: str) -> Any:
    """JSON of a server on this machine. No thread waits for one that never answers."""
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
        raise ValueError(f"no HTTP answer: {error}") from None
    finally:
        writer.close()
