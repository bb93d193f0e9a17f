"""The daemon and its peers: one-shot commands, requests on an open connection, ten sessions."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright

from bench.handover import Asker, forwarding, handing_over
from bench.hostile import HOSTILE
from bench.operations import BARE, INPUTS, interleaved
from pwtui.browser.launch.find_browser import find_chromium
from pwtui.client.connection import DaemonConnection
from pwtui.client.link import DaemonLink
from pwtui.client.start import OutsideControl
from pwtui.demo import DemoSite
from pwtui.protocol.envelope import Request, RuntimeBlock
from pwtui.runtime.caller import Caller
from pwtui.state.workspace import Workspace

COMMAND_ROUNDS = 50
SLOW_ROUNDS = 5
SESSIONS = 10
REQUESTS = 50
ROUNDS = 5
CALM_REQUESTS = 80
ISOLATION_HEADS = ("p50/alone", "control", "p99/control")


async def main() -> None:
    with DemoSite() as site, environment() as root:
        await _cold_start(root, site.url)
        client = await DaemonLink("bench").connect(Caller(Workspace(root), cwd=root))
        assert client is not None
        try:
            await ask(client, "navigate", {"url": site.url})
            _one_shot(root)
            await _open_connection(client, site.url, root)
            await _ten_sessions(client, site.url, root)
            await _new_session(client, site.url)
            await _isolation(client, site.url, root)
            await _at_rest(client)
        finally:
            await client.close()
            await OutsideControl().stop()


@contextmanager
def environment() -> Iterator[Path]:
    """A separate daemon, which is stopped after the benchmark."""
    with tempfile.TemporaryDirectory(prefix="pwb-") as folder:
        root = Path(folder).resolve()
        for name in ("run", "state", "cache", "work"):
            (root / name).mkdir(mode=0o700)
        os.environ.update(
            PWTUI_RUNTIME_DIR=str(root / "run"),
            XDG_STATE_HOME=str(root / "state"),
            XDG_CACHE_HOME=str(root / "cache"),
            PW_WORKSPACE_ROOT=str(root / "work"),
        )
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        yield root / "work"


def _one_shot(root: Path) -> None:
    """Whole processes, alternating."""
    pw = str(Path(sys.executable).with_name("pw"))
    commands: dict[str, Sequence[str]] = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "pw exec ops.describe": [pw, "exec", "ops.describe", "--input", '{"op": "ops.list"}'],
        "pw exec page.eval": [pw, "exec", "page.eval", "--input", '{"expression": "1"}'],
    }
    times = {name: [] for name in commands}  # type: dict[str, list[float]]
    for _ in range(COMMAND_ROUNDS):
        for name, command in commands.items():
            times[name].append(_run(command, root))
    cli = [sys.executable, "-m", "playwright", "cli"]
    opened = subprocess.run([*cli, "open"], cwd=root, capture_output=True, env=_clienvironment())
    if opened.returncode == 0:
        eval_command = [*cli, "eval", "() => 1"]
        times["playwright cli eval"] = [_run(eval_command, root) for _ in range(SLOW_ROUNDS)]
        subprocess.run([*cli, "close"], cwd=root, capture_output=True, env=_clienvironment())
    base = statistics.median(times["python -c pass"])
    print(f"{'one-shot command':26} {'median ms':>10} {'x python -c pass':>17}")
    for name, each in times.items():
        median = statistics.median(each)
        print(f"{name:26} {median:10.1f} {median / base:17.2f}")
    if "playwright cli eval" in times:
        ours = statistics.median(times["pw exec page.eval"])
        theirs = statistics.median(times["playwright cli eval"])
        print(f"pw exec page.eval is {theirs / ours:.0f} times as fast as playwright cli eval")
    else:
        print("playwright cli could not open a browser here:", opened.stdout.decode()[:200])
    print()


async def _open_connection(client: DaemonConnection, url: str, root: Path) -> None:
    """The same operation in this process, through two processes that only hand it on, and through
    daemon and worker, in turns."""
    async with async_playwright() as playwright, forwarding(url, root) as asker:
        browser = await playwright.chromium.launch(executable_path=find_chromium(headless=True))
        page = await browser.new_page()
        await page.goto(url)
        heads = ("bare ms", "handed on", "daemon ms", "above it")
        print(f"{'open connection':16}" + "".join(f"{head:>11}" for head in heads) + "  ratio")
        for op, input in INPUTS.items():
            bare, handed, ours = await interleaved(
                partial(BARE[op], page), partial(asker.ask, op), partial(ask, client, op, input)
            )
            times = (bare, handed, ours, ours - handed)
            print(f"{op:16}" + "".join(f"{ms:11.2f}" for ms in times) + f"{ours / bare:7.2f}")
        await browser.close()
    print()


async def _ten_sessions(client: DaemonConnection, url: str, root: Path) -> None:
    """Throughput of ten concurrent profiles, compared with Playwright and ten pages.

    Each profile has a separate browser. So have the pages first; then they share one.
    """
    profiles = [f"p{number}" for number in range(SESSIONS)]
    for profile in profiles:
        await ask(client, "navigate", {"url": url}, profile)

    async def work(profile: str) -> None:
        for _ in range(REQUESTS):
            await ask(client, "page.text", {"selector": "h1"}, profile)

    async with AsyncExitStack() as stack:
        playwright = await stack.enter_async_context(async_playwright())
        askers = [
            await stack.enter_async_context(handing_over(url, root, f"h{number}"))
            for number in range(SESSIONS)
        ]

        async def handed(asker: Asker) -> None:
            for _ in range(REQUESTS):
                await asker.ask("page.text")

        async def bare(page: Any) -> None:
            for _ in range(REQUESTS):
                await page.locator("h1").inner_text()

        async def pages_of(browsers: Sequence[Any]) -> list[Any]:
            pages = [await (await browser.new_context()).new_page() for browser in browsers]
            for page in pages:
                await page.goto(url)
            return pages

        path = find_chromium(headless=True)
        browsers = [await playwright.chromium.launch(executable_path=path) for _ in profiles]
        apart = await pages_of(browsers)
        together = await pages_of([browsers[0]] * SESSIONS)
        rates: dict[str, list[float]] = {"daemon": [], "handed": [], "apart": [], "together": []}
        for _ in range(ROUNDS):
            rates["daemon"].append(await _rate(*(work(profile) for profile in profiles)))
            rates["handed"].append(await _rate(*(handed(asker) for asker in askers)))
            rates["apart"].append(await _rate(*(bare(page) for page in apart)))
            rates["together"].append(await _rate(*(bare(page) for page in together)))
        for browser in browsers:
            await browser.close()
    for profile in profiles:
        await ask(client, "session.stop", {}, profile)
    ours, served, single, shared = (statistics.median(each) for each in rates.values())
    print(f"ten sessions, a browser each: {ours:.0f} requests/s through the daemon")
    print(f"  ten servers that hand calls on: {served:.0f}/s; ours is {ours / served:.0%}")
    print(f"  bare Playwright, a browser each: {single:.0f}/s; ours is {ours / single:.0%}")
    print(f"  bare Playwright, one browser: {shared:.0f}/s; ours is {ours / shared:.0%}\n")


async def _cold_start(root: Path, url: str) -> None:
    """The first command, with nothing running, beside a script that does the same."""
    script = (
        "from playwright.sync_api import sync_playwright as start\n"
        "with start() as p:\n"
        f"    browser = p.chromium.launch(executable_path={str(find_chromium(headless=True))!r})\n"
        f"    browser.new_page().goto({url!r})\n"
        "    print('done', flush=True)\n"
    )
    navigate = [str(Path(sys.executable).with_name("pw")), "exec", "navigate", "--input"]
    commands = {
        "raw": [sys.executable, "-c", script],
        "pw": [*navigate, json.dumps({"url": url})],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(SLOW_ROUNDS):
        for name, command in commands.items():
            times[name].append(_first_line_ms(command, root))
        await OutsideControl().stop()
    raw, ours = (statistics.median(each) for each in times.values())
    print(f"cold start: {ours:.0f} ms, a Playwright script {raw:.0f} ms; ratio {ours / raw:.2f}")


async def _new_session(client: DaemonConnection, url: str) -> None:
    times = []
    for number in range(SLOW_ROUNDS):
        await asyncio.sleep(5)  # until a spare worker is there
        began = time.perf_counter()
        await ask(client, "navigate", {"url": url}, f"n{number}")
        times.append((time.perf_counter() - began) * 1000)
        await ask(client, "session.stop", {}, f"n{number}")
    print(f"a new session with a warm daemon: {statistics.median(times):.0f} ms\n")


async def _isolation(client: DaemonConnection, url: str, root: Path) -> None:
    """A calm session beside a hostile one, and the same with two bare servers."""
    print(f"{'hostile page':16}" + "".join(f"{head:>12}" for head in ISOLATION_HEADS))

    async def calm() -> list[float]:
        return await _paced(lambda: ask(client, "page.text", {"selector": "h1"}, "calm"))

    await ask(client, "navigate", {"url": url}, "calm")
    async with handing_over(url, root, "calm") as asker:
        for name, code in HOSTILE.items():
            alone, bare_alone = await calm(), await _paced(lambda: asker.ask("page.text"))
            await ask(client, "navigate", {"url": url}, "hostile")
            await ask(client, "page.eval", {"expression": f"({code}, 1)"}, "hostile")
            beside = await calm()
            await ask(client, "session.stop", {}, "hostile")
            async with async_playwright() as playwright:
                path = find_chromium(headless=True)
                browser = await playwright.chromium.launch(executable_path=path)
                page = await browser.new_page()
                await page.goto(url)
                await page.evaluate(f"({code}, 1)")
                control = await _paced(lambda: asker.ask("page.text"))
                await browser.close()
            figures = (
                statistics.median(beside) / statistics.median(alone),
                statistics.median(control) / statistics.median(bare_alone),
                _p99(beside) / _p99(control),
            )
            print(f"{name:16}" + "".join(f"{each:12.2f}" for each in figures))
    print()


async def _paced(ask: Callable[[], Awaitable[object]]) -> list[float]:
    """How long each of ten requests a second takes, in ms."""
    times = []
    for _ in range(CALM_REQUESTS):
        began = time.perf_counter()
        await ask()
        times.append((time.perf_counter() - began) * 1000)
        await asyncio.sleep(0.1)
    return times


def _p99(times: Sequence[float]) -> float:
    return sorted(times)[int(len(times) * 0.99)]


def _first_line_ms(command: Sequence[str], root: Path) -> float:
    began = time.perf_counter()
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        taken = (time.perf_counter() - began) * 1000
        process.wait()
    return taken


async def _at_rest(client: DaemonConnection) -> None:
    await ask(client, "session.stop", {})
    before = await client.control("status")
    await asyncio.sleep(10)
    after = await client.control("status")
    cpu = after["cpuSeconds"] - before["cpuSeconds"]
    print(f"at rest: {after['memoryBytes'] / 2**20:.0f} MiB, {cpu:.2f} s CPU in 10 s")


async def _rate(*work: Awaitable[None]) -> float:
    started = time.perf_counter()
    await asyncio.gather(*work)
    return SESSIONS * REQUESTS / (time.perf_counter() - started)


async def ask(
    client: DaemonConnection, op: str, input: dict[str, Any], profile: str | None = None
) -> None:
    response = await client.request(
        Request(op=op, input=input, runtime=RuntimeBlock(profile=profile))
    )
    assert response.ok, response.error


def _run(command: Sequence[str], root: Path) -> float:
    started = time.perf_counter()
    subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, check=True, env=_clienvironment())
    return (time.perf_counter() - started) * 1000


def _clienvironment() -> dict[str, str]:
    """Set the browser of Playwright's CLI, which looks for Google Chrome by default."""
    return os.environ | {
        "PLAYWRIGHT_MCP_EXECUTABLE_PATH": str(find_chromium() or ""),
        "PLAYWRIGHT_MCP_SANDBOX": "false",
    }


if __name__ == "__main__":
    asyncio.run(main())
