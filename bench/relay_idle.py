"""Whether the extension stays when nothing happens: `python -m bench.relay_idle [SECONDS]`.

Chrome ends an idle worker after thirty seconds. It is not run with the other benchmarks: it waits.
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
    assert executable is not None, "this needs a Chromium on the system"
    with tempfile.TemporaryDirectory(prefix="pwb-", ignore_cleanup_errors=True) as folder:
        os.environ["XDG_STATE_HOME"] = folder
        port = free_port(0)
        await ensure_persistent_relay(port=port)
        # No debugging port: whoever looks at a worker from outside keeps it alive.
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
                f"relay away for {idle:g} s: {found['browser']} back after {waited:.1f} s, "
                f"{pages} tab attached again"
            )
        finally:
            await end_process(browser.pid)
            await asyncio.to_thread(api.stop_relay, port)


async def _extension(port: int) -> tuple[dict[str, Any], float]:
    """The extension, and how long it was waited for."""
    began = time.monotonic()
    while time.monotonic() < began + WAIT_SECONDS:
        trace = await asyncio.to_thread(ask_relay, port, "/trace")
        for extension in trace["extensions"]:
            return extension, time.monotonic() - began
        await asyncio.sleep(0.1)
    raise SystemExit(f"no extension connected within {WAIT_SECONDS:g} s")


if __name__ == "__main__":
    asyncio.run(main(*(float(argument) for argument in sys.argv[1:2])))
