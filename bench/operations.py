"""The time that the executor adds to the Playwright call of an operation."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from playwright.async_api import Page

from pwtui.browser.session.pool import BrowserPool
from pwtui.demo import DemoSite
from pwtui.engine.executor import Executor
from pwtui.protocol.envelope import Request
from pwtui.runtime.caller import Caller
from pwtui.state.workspace import Workspace

INPUTS: dict[str, dict[str, Any]] = {
    "page.eval": {"expression": "1"},
    "page.text": {"selector": "h1"},
    "click": {"selector": "h1"},
    "page.aria": {"tree": False},
}
BARE: dict[str, Callable[[Page], Awaitable[object]]] = {
    "page.eval": lambda page: page.evaluate("1"),
    "page.text": lambda page: page.locator("h1").inner_text(),
    "click": lambda page: page.locator("h1").click(),
    "page.aria": lambda page: page.aria_snapshot(mode="ai"),
}
"""The Playwright call of each operation."""

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
    print(f"{'operation':12} {'bare ms':>9} {'ours ms':>9} {'added ms':>9} {'ratio':>7}")
    for op, input in INPUTS.items():
        request = Request(op=op, input=input)

        async def ours(request: Request = request) -> None:
            response = await executor.execute(request, caller)
            assert response.ok, response.error

        bare_ms, our_ms = await interleaved(partial(BARE[op], tab.page), ours)
        added = our_ms - bare_ms
        print(f"{op:12} {bare_ms:9.2f} {our_ms:9.2f} {added:9.2f} {our_ms / bare_ms:7.2f}")


async def interleaved(*calls: Callable[[], Awaitable[object]]) -> list[float]:
    """Medians of calls that alternate, so that the load of the machine is the same for all.

    A turn is several calls in a row. The first calls of each turn do not count, as the other calls
    have filled the CPU caches; nor do the first turns, while the driver's JavaScript is compiled.
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
