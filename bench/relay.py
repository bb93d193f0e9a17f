"""The time that the relay adds to a CDP command, compared with a direct connection."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from bench.operations import interleaved
from pwtui.browser.launch.cdp import probe_endpoint
from pwtui.browser.launch.find_browser import find_chromium
from pwtui.browser.launch.processes import end_process
from pwtui.browser.launch.relay_endpoint import ask_relay
from pwtui.browser.launch.start import free_port
from pwtui.relay import api
from pwtui.relay.aio import ensure_persistent_relay
from pwtui.relay.launch import launch_browser
from pwtui.state.relay_records import relay_token

PIPELINED = 1000
BURSTS = 5


class Cdp:
    """A plain CDP connection, without the overhead of a client library."""

    def __init__(self, socket: ClientConnection, session: str | None = None) -> None:
        self._socket = socket
        self._session = session
        self._last = 0

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        id = await self.post(method, params)
        while True:
            message: dict[str, Any] = json.loads(await self._socket.recv())
            if message.get("id") == id:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result

    async def post(self, method: str, params: dict[str, Any] | None = None) -> int:
        self._last += 1
        message = {"id": self._last, "method": method, "params": params or {}}
        await self._socket.send(json.dumps(message | _of(self._session)))
        return self._last

    async def burst(self, method: str, params: dict[str, Any], count: int) -> float:
        """Commands per second when they do not wait for each other."""
        began = time.perf_counter()

        async def ask() -> None:
            for _ in range(count):
                await self.post(method, params)

        asking = asyncio.create_task(ask())
        answered = 0
        while answered < count:
            answered += "id" in json.loads(await self._socket.recv())
        await asking
        return count / (time.perf_counter() - began)


async def main() -> None:
    async with _page() as (direct, relayed):
        await _compare(direct, relayed)
        await _pipelined(direct, relayed)


async def _compare(direct: Cdp, relayed: Cdp) -> None:
    large = {"expression": "'x'.repeat(1_000_000)", "returnByValue": True}
    commands: dict[str, tuple[str, dict[str, Any]]] = {
        "Runtime.evaluate 1+1": ("Runtime.evaluate", {"expression": "1+1"}),
        "DOM.getDocument": ("DOM.getDocument", {"depth": -1}),
        "1 MB result": ("Runtime.evaluate", large),
    }
    print(f"{'command':22} {'direct ms':>10} {'relay ms':>9} {'added ms':>9}")
    for name, (method, params) in commands.items():

        async def straight(method: str = method, params: dict[str, Any] = params) -> None:
            await direct.send(method, params)

        async def around(method: str = method, params: dict[str, Any] = params) -> None:
            await relayed.send(method, params)

        direct_ms, relay_ms = await interleaved(straight, around)
        print(f"{name:22} {direct_ms:10.2f} {relay_ms:9.2f} {relay_ms - direct_ms:9.2f}")


async def _pipelined(direct: Cdp, relayed: Cdp) -> None:
    params = {"expression": "1+1"}
    rates: dict[str, list[float]] = {"direct": [], "relay": []}
    for _ in range(BURSTS):
        for name, cdp in (("direct", direct), ("relay", relayed)):
            rates[name].append(await cdp.burst("Runtime.evaluate", params, PIPELINED))
    each = {name: statistics.median(found) for name, found in rates.items()}
    added = 1000 / each["relay"] - 1000 / each["direct"]
    print(
        f"\n{PIPELINED} commands at once: {each['direct']:.0f}/s direct, {each['relay']:.0f}/s "
        f"through the relay, {added:.2f} ms more for each"
    )


@asynccontextmanager
async def _page() -> AsyncIterator[tuple[Cdp, Cdp]]:
    """One page, through both connections."""
    executable = find_chromium()
    assert executable is not None, "the benchmark needs a Chromium on the system"
    with tempfile.TemporaryDirectory(prefix="pwb-", ignore_cleanup_errors=True) as folder:
        os.environ["XDG_STATE_HOME"] = folder
        port, debug_port = free_port(0), free_port(0)
        await ensure_persistent_relay(port=port)
        browser = launch_browser(
            executable,
            port,
            user_data_dir=Path(folder) / "data",
            headless=True,
            more=(f"--remote-debugging-port={debug_port}",),
        )
        try:
            opened = await _open(port)
            assert await probe_endpoint(debug_port)
            straight = f"ws://127.0.0.1:{debug_port}/devtools/page/{opened['targetId']}"
            around = f"ws://127.0.0.1:{port}/cdp?token={relay_token()}"
            options: dict[str, Any] = {"max_size": None, "compression": None}
            async with connect(straight, **options) as one, connect(around, **options) as other:
                target = {"targetId": opened["targetId"], "flatten": True}
                session = await Cdp(other).send("Target.attachToTarget", target)
                yield Cdp(one), Cdp(other, str(session["sessionId"]))
        finally:
            await end_process(browser.pid)
            await asyncio.to_thread(api.stop_relay, port)


async def _open(port: int) -> dict[str, Any]:
    for _ in range(200):
        if api.ask(port, "/extension-status")["connected"]:
            break
        await asyncio.sleep(0.1)
    opened: dict[str, Any] = await asyncio.to_thread(
        ask_relay, port, "/open", {"url": "about:blank"}
    )
    return opened


def _of(session: str | None) -> dict[str, str]:
    return {} if session is None else {"sessionId": session}


if __name__ == "__main__":
    asyncio.run(main())
