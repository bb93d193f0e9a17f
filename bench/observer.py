"""The cost of observing sessions: of a request, and until an event arrives.

`python -m bench.observer FOLDER` compares a request without subscribers with the one of another
checkout.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pwtui.browser.session.observers import Wanted
from pwtui.browser.session.pool import BrowserPool
from pwtui.demo import DemoSite
from pwtui.engine.executor import Executor
from pwtui.protocol.envelope import Request
from pwtui.protocol.kinds import HAPPENINGS, KINDS
from pwtui.runtime.caller import Caller
from pwtui.state.workspace import Workspace

ROUNDS, CALLS = 6, 60
EVENTS = 20
BESIDE_ROUNDS = 4
BESIDE_CALLS = 400
EVENT_SECONDS = 10.0
SCRIPTS = {
    "pageError": "setTimeout(() => { throw new Error(String(Date.now())) }, 5); 1",
    "console": "setTimeout(() => console.log(String(Date.now())), 5); 1",
    "dialog": "setTimeout(() => alert(String(Date.now())), 5); 1",
}
REQUESTS = f"""
import asyncio, json, tempfile, time
from pathlib import Path
from pwtui.browser.session.pool import BrowserPool
from pwtui.engine.executor import Executor
from pwtui.protocol.envelope import Request
from pwtui.runtime.caller import Caller
from pwtui.state.workspace import Workspace

async def main():
    folder = Path(tempfile.mkdtemp())
    executor = Executor(BrowserPool())
    caller = Caller(workspace=Workspace(folder), cwd=folder, mode="batch")
    await executor.execute(Request(op="navigate", input={{"url": "data:text/html,<h1>x"}}), caller)
    request, taken = Request(op="page.eval", input={{"expression": "1"}}), []
    for _ in range({BESIDE_CALLS}):
        begun = time.perf_counter()
        await executor.execute(request, caller)
        taken.append(1000 * (time.perf_counter() - begun))
    await executor.close()
    print(json.dumps(sorted(taken)[{BESIDE_CALLS} // 2]))

asyncio.run(main())
"""
"""The median of a request in milliseconds, with any version of the package."""


async def main() -> None:
    with DemoSite() as site, tempfile.TemporaryDirectory() as folder:
        executor = Executor(BrowserPool())
        caller = Caller(workspace=Workspace(Path(folder)), cwd=Path(folder), mode="batch")
        try:
            await executor.execute(Request(op="navigate", input={"url": site.url}), caller)
            await _requests(executor, caller)
            await _events(executor, caller)
        finally:
            await executor.close()


async def _requests(executor: Executor, caller: Caller) -> None:
    """A request with subscribers, compared with one without."""
    observers = executor.pool.observers
    request = Request(op="page.eval", input={"expression": "1"})
    subscriptions = {"none": (), "all but states": HAPPENINGS, "all": KINDS}
    taken: dict[str, list[float]] = {name: [] for name in subscriptions}

    def deliver(kind: str, event: dict[str, Any]) -> None:
        pass

    for _ in range(ROUNDS):
        for name, kinds in subscriptions.items():
            observers.subscribe(deliver, Wanted(frozenset(kinds)))
            for _ in range(CALLS):
                begun = time.perf_counter()
                await executor.execute(request, caller)
                taken[name].append(time.perf_counter() - begun)
    observers.unsubscribe(deliver)
    alone = statistics.median(taken["none"])
    print(f"{'page.eval, subscribed to':28} {'ms':>7} {'ratio':>7}")
    for name, seconds in taken.items():
        median = statistics.median(seconds)
        print(f"{name:28} {1000 * median:7.2f} {median / alone:7.2f}")


async def _events(executor: Executor, caller: Caller) -> None:
    """How long after it happened an event arrives, compared with a request."""
    arrived: asyncio.Queue[tuple[float, dict[str, Any]]] = asyncio.Queue()

    def deliver(kind: str, event: dict[str, Any]) -> None:
        if event.get("change") != "closed":
            arrived.put_nowait((time.time(), event))

    executor.pool.observers.subscribe(deliver, Wanted(frozenset(SCRIPTS)))
    print(f"\n{'event of a timer':28} {'ms':>7} {'largest':>7}")
    for name, script in SCRIPTS.items():
        delays = []
        for _ in range(EVENTS):
            await executor.execute(Request(op="page.eval", input={"expression": script}), caller)
            async with asyncio.timeout(EVENT_SECONDS):
                at, event = await arrived.get()
            said = event["dialog"]["message"] if name == "dialog" else event["text"]
            delays.append(1000 * at - float(said.rpartition(" ")[2]))
            if name == "dialog":
                await executor.execute(Request(op="dialog.accept"), caller)
        print(f"{name:28} {statistics.median(delays):7.1f} {max(delays):7.1f}")


def beside(folder: Path) -> None:
    """A request without subscribers here and in another checkout, in turns."""
    places = {"here": Path.cwd(), "there": folder}
    taken: dict[str, list[float]] = {name: [] for name in places}
    for _ in range(BESIDE_ROUNDS):
        for name, place in places.items():
            run = subprocess.run(
                [sys.executable, "-c", REQUESTS],
                cwd=place,
                env=os.environ | {"PYTHONPATH": str(place)},
                stdout=subprocess.PIPE,
                check=True,
            )
            taken[name].append(json.loads(run.stdout))
    here, there = min(taken["here"]), min(taken["there"])
    print(f"here {here:.3f} ms, there {there:.3f} ms: ratio {here / there:.3f}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        beside(Path(sys.argv[1]).resolve())
    else:
        asyncio.run(main())
