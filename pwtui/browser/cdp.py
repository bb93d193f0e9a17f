"""Browsers that others run: finding, starting and ending them by their debugging port."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from pwtui.browser.deadline import Deadline
from pwtui.protocol.errors import BrowserLaunchFailed

PROBE_SECONDS = 1.5
POLL_SECONDS = 0.05
STANDARD_PORT = 9222


@dataclass(frozen=True)
class CdpBrowser:
    """A browser that answers on a debugging port."""

    port: int
    endpoint: str
    browser: str | None


async def probe(port: int) -> CdpBrowser | None:
    """Ask a loopback port whether a browser listens there."""
    for host in ("127.0.0.1", "localhost", "[::1]"):
        with suppress(OSError, ValueError):
            version = await asyncio.to_thread(_get_json, f"http://{host}:{port}/json/version")
            endpoint = version.get("webSocketDebuggerUrl")
            if isinstance(endpoint, str):
                return CdpBrowser(port, endpoint, version.get("Browser"))
    return None


async def probe_endpoint(endpoint: str) -> CdpBrowser | None:
    """Ask the host and port of an endpoint on this machine."""
    host_and_port = endpoint.partition("://")[2].partition("/")[0]
    port = host_and_port.rpartition(":")[2]
    return await probe(int(port)) if port.isdecimal() else None


async def discover(ports: list[int]) -> list[CdpBrowser]:
    """The browsers that answer on these ports, in their order."""
    found = await asyncio.gather(*(probe(port) for port in dict.fromkeys(ports)))
    return [browser for browser in found if browser is not None]


def advertised_ports() -> list[int]:
    """The debugging ports that running browsers were started with."""
    ports = []
    for process in psutil.process_iter(["cmdline"]):
        for argument in process.info["cmdline"] or ():
            flag, _, value = argument.partition("=")
            if flag == "--remote-debugging-port" and value.isdecimal() and int(value):
                ports.append(int(value))
    return sorted(set(ports))


def listening_browser(port: int) -> psutil.Process | None:
    """The process that listens on the port; its clients are not it."""
    flag = f"--remote-debugging-port={port}"
    everybody = list(psutil.process_iter(["cmdline"]))
    # Asking a process for its connections is slow: first those that say so themselves.
    everybody.sort(key=lambda each: flag not in (each.info["cmdline"] or ()))
    return next((each for each in everybody if _listens(each, port)), None)


def wait_for_port(pid: int, seconds: float) -> int | None:
    """The port that a browser which was started with one listens on; it opens a moment later."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(psutil.Error):
            for connection in psutil.Process(pid).net_connections(kind="tcp"):
                if connection.status == psutil.CONN_LISTEN:
                    return int(connection.laddr.port)
        time.sleep(POLL_SECONDS)
    return None


def _listens(process: psutil.Process, port: int) -> bool:
    with suppress(psutil.Error):
        return any(
            connection.status == psutil.CONN_LISTEN and connection.laddr.port == port
            for connection in process.net_connections(kind="tcp")
        )
    return False


async def list_pages(port: int) -> list[dict[str, str]] | None:
    """Title and URL of the pages of the browser on a port."""
    with suppress(OSError, ValueError):
        targets = await asyncio.to_thread(_get_json, f"http://127.0.0.1:{port}/json/list")
        pages = [each for each in targets if each.get("type") == "page"]
        return [{"title": str(p.get("title", "")), "url": str(p.get("url", ""))} for p in pages]
    return None


async def serves_playwright(endpoint: str) -> bool:
    """Whether an endpoint speaks Playwright's protocol: a bound browser, or its `run-server`."""
    if endpoint.startswith("/"):
        return True
    scheme, _, rest = endpoint.partition("://")
    if scheme not in ("ws", "wss") or "/devtools/" in rest:
        return False
    host, _, path = rest.partition("/")
    with suppress(OSError, ValueError):
        answer = await asyncio.to_thread(_get_json, f"http{scheme[2:]}://{host}/json")
        own_path = answer.get("wsEndpointPath")
        return isinstance(own_path, str) and f"/{path}".partition("?")[0] == own_path
    return False


async def launch_detached(
    executable: Path, port: int, user_data_dir: Path, *, headless: bool, deadline: Deadline
) -> tuple[CdpBrowser, int]:
    """Start a browser that outlives us and answers on `port`; it comes with its pid."""
    arguments = [
        str(executable),
        f"--remote-debugging-port={port}",
        f"--user-data-dir={user_data_dir}",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-sync",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-quic",
    ]
    if headless:
        arguments.append("--headless=new")
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    user_data_dir.mkdir(parents=True, exist_ok=True)
    process = await asyncio.create_subprocess_exec(
        *arguments,
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
    window = "" if headless else "; without a display set defaults.headless to true in the profile"
    raise BrowserLaunchFailed(
        f"{executable} did not start on port {port}: {reason}{window}",
        details={"executable": str(executable), "port": port},
    )


def _get_json(url: str) -> Any:
    try:
        with urllib.request.urlopen(url, timeout=PROBE_SECONDS) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        error.close()
        raise
