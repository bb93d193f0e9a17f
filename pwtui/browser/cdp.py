"""Browsers that others run: finding, starting and ending them by their debugging port."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from pwtui.browser.deadline import Deadline
from pwtui.protocol.errors import BrowserLaunchFailed

PROBE_SECONDS = 0.4
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
    for process in psutil.process_iter(["name"]):
        with suppress(psutil.Error):
            for connection in process.net_connections(kind="tcp"):
                if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port:
                    return process
    return None


async def terminate(process: psutil.Process, deadline: Deadline) -> None:
    """End a browser in its own time, then by force."""
    with suppress(psutil.NoSuchProcess):
        process.terminate()
        seconds = min(deadline.seconds or 5.0, 5.0)
        _, alive = await asyncio.to_thread(psutil.wait_procs, [process], timeout=seconds)
        for survivor in alive:
            survivor.kill()


async def launch_detached(
    executable: Path, port: int, user_data_dir: Path, *, headless: bool, deadline: Deadline
) -> CdpBrowser:
    """Start a browser that outlives us and answers on `port`."""
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
            return browser
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


def _get_json(url: str) -> dict[str, str]:
    with urllib.request.urlopen(url, timeout=PROBE_SECONDS) as answer:
        value = json.load(answer)
    return value if isinstance(value, dict) else {}
