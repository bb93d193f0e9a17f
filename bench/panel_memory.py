"""The memory of a panel after a million events, of which it keeps the newest.

Run: python -m bench.panel_memory
"""

from __future__ import annotations

import asyncio
import gc
import itertools
import os
import time
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import psutil

from bench.daemon import environment
from pwtui.app.app import PanelApp
from pwtui.app.controller import Controller
from pwtui.state.workspace import Workspace

EVENTS = 1_000_000
SAMPLES = 10


async def main() -> None:
    async def no_daemon(controller: Controller) -> None:
        await asyncio.Event().wait()

    with environment() as root, patch.object(Controller, "run", no_daemon):
        app = PanelApp(Workspace(root))
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause()
            began, used = time.process_time(), [_memory()]
            source = events(str(root))
            for _ in range(SAMPLES):
                for number in range(EVENTS // SAMPLES):
                    app.controller._on_event(next(source))
                    if number % 500 == 0:
                        await asyncio.sleep(0.001)  # let it paint
                used.append(_memory())
            seconds = time.process_time() - began
    shown = ", ".join(f"{each:.0f}" for each in used)
    print(f"MiB at the start and after each {EVENTS // SAMPLES:,} events: {shown}")
    print(f"{EVENTS:,} events took {seconds:.0f} s of CPU, {seconds / EVENTS * 1e6:.0f} µs each")


def events(workspace: str) -> Iterator[dict[str, Any]]:
    """Requests of another client with their responses, and as many events of the page."""
    page = page_events(workspace)
    for seq in itertools.count(1):
        place = {"workspace": workspace, "profile": "default", "link": "1"}
        request = {"op": "click", "input": {"selector": f"#row-{seq} > a"}}
        said = {"seq": seq, "time": time.time(), "client": {"name": "agent"}, "request": request}
        yield {"event": "request", **place, **said}
        yield next(page)
        yield next(page)
        response: dict[str, Any] = {"op": "click", "ok": seq % 17 != 0, "durationMs": 12.5}
        if not response["ok"]:
            response["error"] = {"code": "TIMEOUT", "message": f"no element matches #row-{seq}"}
        yield {"event": "response", **place, **said, "response": response}


def page_events(workspace: str) -> Iterator[dict[str, Any]]:
    """Messages of the console and requests of the page, in turns."""
    for number in itertools.count(1):
        session = {"sessionKey": "a:default:chromium:headless", "time": time.time()}
        place = {"workspace": workspace, "profile": "default", "link": "1", **session}
        url = f"https://acme.test/orders/{number}"
        text = f"order {number} was shipped"
        yield {"event": "console", **place, "type": "log", "text": text, "pageUrl": url}
        sent = {"change": "finished", "request": number, "index": number, "method": "GET"}
        got = {"resourceType": "fetch", "status": 200, "durationMs": 12.5}
        yield {"event": "network", **place, **sent, "url": url, **got}


def _memory() -> float:
    gc.collect()
    return psutil.Process(os.getpid()).memory_info().rss / 2**20


if __name__ == "__main__":
    asyncio.run(main())
