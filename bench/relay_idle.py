"""Checks that an idle extension stays connected: `python -m bench.relay_idle [SECONDS]`.

Chrome stops an idle worker after thirty seconds. Not part of `python -m bench`: it takes minutes.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pwtui.browser.launch.find_browser import find_chromium
from pwtui.browser.launch.processes import end_process
from pwtui.browser.launch.relay_endpoint import ask_relay
from pwtui.browser.launch.start import free_port
from pwtui.relay import api
from pwtui.relay.aio import ensure_persistent_relay
from pwtui.relay.launch import launch_browser

IDLE_SECONDS = 100.0
WAIT_SECONDS = 90.0


async def main(idle: float = IDLE_SECONDS) -> None:
    executable = find_chromium()
    assert executable is not None, "no Chromium found"
    with tempfile.TemporaryDirectory(prefix="pwb-", ignore_cleanup_errors=True) as folder:
        os.environ["XDG_STATE_HOME"] = folder
        port = free_port(0)
        await ensure_persistent_relay(port=port)
        # No debugging port: a connected debugger keeps the worker alive.
        browser = launch_browser(
            executable, port, user_data_dir=Path(folder) / "data", headless=True
        )
        try:
            first, _ = await _extension(port)
            await asyncio.sleep(idle)
            second, _ = await _extension(port)
            same = first["connectedAt"] == second["connectedAt"]
            print(f"idle for {idle:g} s without a tab: {'still' if same else 'NOT'} connected")
            await asyncio.to_thread(ask_relay, port, "/open", {"url": "about:blank"}, seconds=10)
            await asyncio.to_thread(api.stop_relay, port)
            await asyncio.sleep(idle)
            await ensure_persistent_relay(port=port)
            found, waited = await _extension(port)
            await asyncio.sleep(1)
            pages = api.ask(port, "/extension-status")["pageCount"]
            print(
                f"relay stopped for {idle:g} s: {found['browser']} reconnected after "
                f"{waited:.1f} s, {pages} tab attached again"
            )
        finally:
            await end_process(browser.pid)
            await asyncio.to_thread(api.stop_relay, port)


async def _extension(port: int) -> tuple[dict[str, Any], float]:
    """The extension, and the seconds until it was connected."""
    began = time.monotonic()
    while time.monotonic() < began + WAIT_SECONDS:
        trace = await asyncio.to_thread(ask_relay, port, "/trace")
        for extension in trace["extensions"]:
            return extension, time.monotonic() - began
        await asyncio.sleep(0.1)
    raise SystemExit(f"no extension connected within {WAIT_SECONDS:g} s")


if __name__ == "__main__":
    asyncio.run(main(*(float(argument) for argument in sys.argv[1:2])))
