"""What the executor adds to the Playwright call that an operation is made of."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pwtui.browser.pool import BrowserPool
from pwtui.demo import DemoSite
from pwtui.engine.executor import Executor
from pwtui.protocol.envelope import Request
from pwtui.runtime.caller import Caller
from pwtui.state.workspace import Workspace

TURNS, FIRST_TURNS = 30, 15
IN_A_ROW, FIRST_CALLS = 13, 3


async def main() -> None:
    with DemoSite() as site, tempfile.TemporaryDirectory() as folder:
        executor = Executor(BrowserPool())
        caller = Caller(workspace=Workspace(Path(folder)), cwd=Path(folder), mode="batch")
        try:
            await executor.execute(Request(op="navigate", input={"url": site.url}), caller)
            await _compare(executor, caller)
        finally:
            await executor.close()


async def _compare(executor: Executor, caller: Caller) -> None:
    session = next(iter(executor.pool.sessions.values()))
    tab = session.active
    assert tab is not None
    page = tab.page
    pairs: list[tuple[str, dict[str, Any], Callable[[], Awaitable[object]]]] = [
        ("page.eval", {"expression": "1"}, lambda: page.evaluate("1")),
        ("page.text", {"selector": "h1"}, lambda: page.locator("h1").inner_text()),
        ("click", {"selector": "h1"}, lambda: page.locator("h1").click()),
        ("page.aria", {}, lambda: page.aria_snapshot(mode="ai")),
    ]
    print(f"{'operation':12} {'bare ms':>9} {'ours ms':>9} {'added ms':>9} {'ratio':>7}")
    for op, input, bare_call in pairs:
        request = Request(op=op, input=input)

        async def ours(request: Request = request) -> None:
            response = await executor.execute(request, caller)
            assert response.ok, response.error

        bare_ms, our_ms = await interleaved(bare_call, ours)
        added = our_ms - bare_ms
        print(f"{op:12} {bare_ms:9.2f} {our_ms:9.2f} {added:9.2f} {our_ms / bare_ms:7.2f}")


async def interleaved(*calls: Callable[[], Awaitable[object]]) -> list[float]:
    """Medians of calls that take turns, so that a busy machine is busy for all of them.

    A turn is some calls in a row, as somebody at work makes them: the first ones of each turn find
    all caches full of the other's work, and do not count. Neither do the first turns, in which the
    drivers' JavaScript is still being compiled.
    """
    times: list[list[float]] = [[] for _ in calls]
    for turn in range(TURNS):
        for index, call in enumerate(calls):
            for number in range(IN_A_ROW):
                started = time.perf_counter()
                await call()
                if turn >= FIRST_TURNS and number >= FIRST_CALLS:
                    times[index].append((time.perf_counter() - started) * 1000)
    return [statistics.median(each) for each in times]


if __name__ == "__main__":
    asyncio.run(main())
