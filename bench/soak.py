"""Memory over time: sessions at a steady rate, and bare Playwright that does the same.

`python -m bench.soak [MINUTES [REQUESTS_PER_SECOND]]` prints the private memory of each kind of
process at the beginning, in the middle and at the end, and its growth in the second half.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import psutil
from playwright.async_api import BrowserContext, Page, async_playwright

from bench.daemon import ask, environment
from pwtui.browser.launch.find_browser import find_chromium
from pwtui.client.connection import DaemonConnection
from pwtui.client.link import DaemonLink
from pwtui.client.start import OutsideControl
from pwtui.demo import DemoSite
from pwtui.runtime.caller import Caller
from pwtui.state.workspace import Workspace

MINUTES, RATE = 10.0, 4.0
SAMPLE_SECONDS = 10.0
NEW_TAB_EVERY = 40
HISTORY = {"full 1": "full", "full 2": "full", "off": "off"}
"""The history of each profile."""
CHATTY = "console.log('x'.repeat(500)), fetch('/').then(answer => answer.text())"

Points = defaultdict[str, list[tuple[float, float]]]


def _operations(url: str) -> dict[str, tuple[dict[str, Any], Callable[[Page], Awaitable[object]]]]:
    """Each operation with its input, and the call of Playwright that does the same."""
    heading = {"selector": "h1"}
    return {
        "navigate": ({"url": url}, lambda page: page.goto(url)),
        "page.eval": ({"expression": CHATTY}, lambda page: page.evaluate(CHATTY)),
        "page.aria": ({}, lambda page: page.aria_snapshot(mode="ai")),
        "page.text": (heading, lambda page: page.locator("h1").inner_text()),
        "click": (heading, lambda page: page.locator("h1").click()),
        "screenshot": ({"inline": True}, lambda page: page.screenshot()),
        "page.html": ({}, lambda page: page.content()),
    }


async def main(minutes: float = MINUTES, rate: float = RATE) -> None:
    points: Points = defaultdict(list)
    with DemoSite() as site, environment() as root:
        client = await DaemonLink("bench").connect(Caller(Workspace(root), cwd=root))
        assert client is not None
        try:
            await _run(client, site.url, minutes * 60, rate, points)
        finally:
            await client.close()
            await OutsideControl().stop()
    head = (
        f"{'process':18}{'first MB':>10}{'middle':>10}{'last':>10}{'MB/min in the second half':>28}"
    )
    print(head)
    for name, each in sorted(points.items()):
        sizes = [size for _, size in each]
        print(
            f"{name:18}{sizes[0]:13.1f}{sizes[len(sizes) // 2]:13.1f}{sizes[-1]:13.1f}"
            f"{_slope(each[len(each) // 2 :]):13.2f}"
        )


async def _run(
    client: DaemonConnection, url: str, seconds: float, rate: float, points: Points
) -> None:
    for profile, mode in HISTORY.items():
        await ask(client, "profile.set", {"name": profile, "settings": {"history": mode}}, profile)
        await ask(client, "navigate", {"url": url}, profile)
    daemon = int((await client.control("status"))["pid"])
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(headless=True))
        context = await browser.new_context()
        page = await context.new_page()
        await page.goto(url)
        end = time.monotonic() + seconds
        work = [_in_session(client, url, each, rate, end) for each in HISTORY]
        await asyncio.gather(
            *work, _bare(context, page, url, rate, end), _sample(daemon, end, points)
        )
        await browser.close()


async def _in_session(
    client: DaemonConnection, url: str, profile: str, rate: float, end: float
) -> None:
    operations, chance, count = _operations(url), random.Random(profile), 0
    while time.monotonic() < end:
        op = chance.choice(list(operations))
        await ask(client, op, operations[op][0], profile)
        if (count := count + 1) % NEW_TAB_EVERY == 0:
            await ask(client, "tabs.new", {"url": url}, profile)
            await ask(client, "tabs.close", {}, profile)
        await asyncio.sleep(1 / rate)


async def _bare(context: BrowserContext, page: Page, url: str, rate: float, end: float) -> None:
    operations, chance, count = _operations(url), random.Random("bare"), 0
    while time.monotonic() < end:
        await operations[chance.choice(list(operations))][1](page)
        if (count := count + 1) % NEW_TAB_EVERY == 0:
            second = await context.new_page()
            await second.goto(url)
            await second.close()
        await asyncio.sleep(1 / rate)


async def _sample(daemon: int, end: float, points: Points) -> None:
    began = time.monotonic()
    while time.monotonic() < end:
        sizes = await asyncio.to_thread(_sizes, daemon)
        for name, size in sizes.items():
            points[name].append((time.monotonic() - began, size))
        await asyncio.sleep(SAMPLE_SECONDS)


def _sizes(daemon: int) -> dict[str, float]:
    """The private memory of each kind of process, in MB; for all sessions together."""
    sizes: defaultdict[str, float] = defaultdict(float)
    sizes["daemon"] = _private(psutil.Process(daemon))
    # The first worker is started by its client, beside the daemon.
    found = {*psutil.Process(daemon).children(recursive=True), *psutil.Process().children(True)}
    for process in found:
        with suppress(psutil.Error):
            line = [process, *process.parents()]
            is_ours = any(_kind(each) == "worker" for each in line)
            if process.pid != daemon:
                sizes[f"{'' if is_ours else 'bare '}{_kind(process)}"] += _private(process)
    return sizes


def _kind(process: psutil.Process) -> str:
    command = " ".join(process.cmdline())
    if "run-driver" in command:
        return "driver"
    return "worker" if "worker_process" in command else "browser"


def _private(process: psutil.Process) -> float:
    return float(process.memory_full_info().uss) / 1e6


def _slope(points: list[tuple[float, float]]) -> float:
    """MB a minute, by least squares."""
    count = len(points)
    middle = sum(at for at, _ in points) / count
    mean = sum(size for _, size in points) / count
    spread = sum((at - middle) ** 2 for at, _ in points) or 1.0
    return 60 * sum((at - middle) * (size - mean) for at, size in points) / spread


if __name__ == "__main__":
    asyncio.run(main(*map(float, sys.argv[1:3])))
