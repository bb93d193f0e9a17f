"""A server that only forwards Playwright calls: the baseline cost of a second process."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Page, async_playwright

from bench.operations import BARE
from pwtui.browser.launch.find_browser import find_chromium


class Asker(asyncio.Protocol):
    """The client: one call at a time."""

    def __init__(self) -> None:
        self._answer: asyncio.Future[object] | None = None
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self._received.endswith(b"\n") and self._answer is not None:
            received, self._received = self._received, b""
            self._answer.set_result(json.loads(received))

    async def ask(self, call: str) -> object:
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(json.dumps({"call": call}).encode())
        return await self._answer


class _Answerer(asyncio.Protocol):
    def __init__(self, page: Page) -> None:
        self._page = page
        self._tasks: set[asyncio.Task[None]] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        task = asyncio.get_running_loop().create_task(self._call(json.loads(data)["call"]))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _call(self, call: str) -> None:
        value = await BARE[call](self._page)
        self._transport.write(json.dumps({"value": value}).encode() + b"\n")


class _Forwarder(asyncio.Protocol):
    """Passes bytes on to the server behind it, as the daemon does to a worker."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._waiting = b""
        self._behind: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._connecting = asyncio.get_running_loop().create_task(self._connect())

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        forwarder = self

        class Back(asyncio.Protocol):
            def data_received(self, data: bytes) -> None:
                forwarder._transport.write(data)

        self._behind, _ = await loop.create_unix_connection(Back, self._path)
        self._behind.write(self._waiting)

    def data_received(self, data: bytes) -> None:
        if self._behind is None:
            self._waiting += data
        else:
            self._behind.write(data)


@asynccontextmanager
async def forwarding(url: str, folder: Path) -> AsyncIterator[Asker]:
    """As `handing_over`, with a process in between, as the daemon is."""
    behind = str(folder / "behind")
    async with (
        handing_over(url, folder, "behind"),
        _process(folder, "forwarder", "forward", behind) as asker,
    ):
        yield asker


@asynccontextmanager
async def handing_over(url: str, folder: Path, name: str = "handover") -> AsyncIterator[Asker]:
    """A separate process with its own page."""
    async with _process(folder, name, "serve", url) as asker:
        yield asker


@asynccontextmanager
async def _process(folder: Path, name: str, what: str, argument: str) -> AsyncIterator[Asker]:
    path = folder / name
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.handover", what, argument, str(path)),
        stdout=asyncio.subprocess.PIPE,
    )
    assert server.stdout is not None
    await server.stdout.readline()
    transport, asker = await asyncio.get_running_loop().create_unix_connection(Asker, str(path))
    try:
        yield asker
    finally:
        transport.close()
        server.terminate()
        await server.wait()


async def forward(behind: str, path: str) -> None:
    await asyncio.get_running_loop().create_unix_server(lambda: _Forwarder(behind), path)
    print("ready", flush=True)
    await asyncio.Event().wait()


async def serve(url: str, path: str) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(headless=True))
        page = await browser.new_page()
        await page.goto(url)
        await asyncio.get_running_loop().create_unix_server(lambda: _Answerer(page), path)
        print("ready", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run({"serve": serve, "forward": forward}[sys.argv[1]](*sys.argv[2:]))
