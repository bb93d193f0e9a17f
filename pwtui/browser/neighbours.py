"""Browsers that other programs run on this machine, and how to reach them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import psutil

from pwtui.browser.cdp import STANDARD_PORT, advertised_ports, list_pages, listening_browser, probe
from pwtui.browser.process import started_at, tree_memory
from pwtui.browser.relays import relay_browsers

ANSWER_SECONDS = 1.0

Origin = Literal["playwright", "cdp", "relay"]


@dataclass
class Neighbour:
    """A browser that is not ours. What is not known is None."""

    origin: Origin
    title: str
    browser: str | None
    endpoint: str
    owner_pid: int | None = None
    workspace: str | None = None
    headless: bool | None = None
    version: str | None = None
    pages: list[dict[str, str]] | None = None
    memory_bytes: int | None = None
    age_seconds: float | None = None
    arguments: list[str] = field(default_factory=list)


async def neighbours(known_endpoints: set[str]) -> list[Neighbour]:
    """What runs here beside the endpoints that are known already."""
    bound = [each for each in _bound_browsers() if each.endpoint not in known_endpoints]
    alive = await asyncio.gather(*(_answers(each.endpoint) for each in bound))
    found = [each for each, answers in zip(bound, alive, strict=True) if answers]
    # A bound browser with a debugging port is one browser, not two.
    known_ports = {_port(endpoint) for endpoint in known_endpoints}
    for each in found:
        known_ports |= {_port(a) for a in each.arguments if a.startswith("--remote-debugging-port")}
    advertised = await asyncio.to_thread(advertised_ports)
    ports = [p for p in dict.fromkeys([STANDARD_PORT, *advertised]) if p not in known_ports]
    found += [each for each in await asyncio.gather(*(_on_port(p) for p in ports)) if each]
    found += [each for each in await _relayed() if each.endpoint not in known_endpoints]
    await asyncio.to_thread(_measure, found)
    return found


def registry_folder() -> Path:
    """Where Playwright keeps a descriptor of every bound browser."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ms-playwright" / "b"
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "ms-playwright" / "b"


def _bound_browsers() -> Iterator[Neighbour]:
    with suppress(OSError):
        for path in sorted(registry_folder().iterdir()):
            with suppress(OSError, ValueError, KeyError, TypeError):
                entry: Any = json.loads(path.read_bytes())
                options = entry["browser"].get("launchOptions") or {}
                yield Neighbour(
                    origin="playwright",
                    title=str(entry["title"]),
                    browser=entry["browser"].get("browserName"),
                    endpoint=str(entry["endpoint"]),
                    workspace=entry.get("workspaceDir"),
                    headless=options.get("headless"),
                    version=entry.get("playwrightVersion"),
                    arguments=[str(argument) for argument in options.get("args") or ()],
                )


async def _answers(endpoint: str) -> bool:
    """Whether somebody listens: a descriptor may outlive its browser."""
    with suppress(OSError, TimeoutError, ValueError):
        if endpoint.startswith("/"):
            connecting = asyncio.open_unix_connection(endpoint)
        else:
            host, _, port = endpoint.partition("://")[2].partition("/")[0].rpartition(":")
            connecting = asyncio.open_connection(host.strip("[]"), int(port))
        _, writer = await asyncio.wait_for(connecting, ANSWER_SECONDS)
        writer.close()
        return True
    return False


async def _relayed() -> list[Neighbour]:
    """The user's own browsers, as far as they let us in."""
    return [
        Neighbour(
            origin="relay",
            title=each.browser,
            browser="chromium",
            endpoint=each.endpoint,
            version=each.browser,
            pages=each.pages,
        )
        for each in await relay_browsers()
    ]


async def _on_port(port: int) -> Neighbour | None:
    browser = await probe(port)
    if browser is None:
        return None
    return Neighbour(
        origin="cdp",
        title=browser.browser or f"port {port}",
        browser="chromium",
        endpoint=browser.endpoint,
        version=browser.browser,
        pages=await list_pages(port),
    )


def _measure(found: list[Neighbour]) -> None:
    """Whose they are, how old, how large; asking every process is slow, so once for all."""
    listeners = _unix_listeners() if any(each.endpoint.startswith("/") for each in found) else {}
    for each in found:
        if each.origin == "relay":
            continue  # who listens is the relay, which tells nothing of the browser
        if each.endpoint.startswith("/"):
            each.owner_pid = listeners.get(each.endpoint)
        elif (port := _port(each.endpoint)) is not None:
            process = listening_browser(port)
            each.owner_pid = process.pid if process else None
        if each.owner_pid is not None:
            each.memory_bytes = tree_memory(each.owner_pid)
            began = started_at(each.owner_pid)
            each.age_seconds = round(time.time() - began, 1) if began else None


def _unix_listeners() -> dict[str, int]:
    with suppress(psutil.Error):
        connections = psutil.net_connections(kind="unix")
        return {str(c.laddr): c.pid for c in connections if c.laddr and c.pid}
    return {}


def _port(text: str) -> int | None:
    digits = text.partition("://")[2].partition("/")[0].rpartition(":")[2] or text.partition("=")[2]
    return int(digits) if digits.isdecimal() else None
