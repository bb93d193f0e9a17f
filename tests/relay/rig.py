"""A relay, a real browser with the extension, and helpers to inspect both."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.request import urlopen

from playwright.async_api import Browser, Playwright
from websockets.asyncio.client import ClientConnection, connect

from pwtui.browser.launch.cdp import probe_endpoint
from pwtui.browser.launch.find_browser import find_chromium
from pwtui.browser.launch.processes import end_process
from pwtui.browser.launch.relay_endpoint import ask_relay
from pwtui.relay.access import EXTENSION_ID
from pwtui.relay.aio import ensure_persistent_relay
from pwtui.relay.api import cdp_url, stop_relay
from pwtui.relay.launch import launch_browser
from pwtui.relay.server import RelayServer
from tests.waiting import until

T = TypeVar("T")

LONG = 30.0

# Every window starts two pages for suggestions under the address bar, which take longer than the
# window. The first feature is one of the product's own list, which this flag replaces.
QUICK_WINDOWS = (
    "--disable-features=DisableLoadExtensionCommandLineSwitch,"
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"
)

eventually = until


class Rig:
    """The browser of a user, with a debugging port to inspect it."""

    def __init__(self, playwright: Playwright) -> None:
        self.playwright = playwright
        self.folder = Path(tempfile.mkdtemp(prefix="pwr-", dir="/tmp")).resolve()
        self.state = self.folder / "state"
        self.port = free_port()
        self.debug_port = free_port()
        self._browser: subprocess.Popen[bytes] | None = None
        self._ids = itertools.count(1)

    async def launch(self) -> None:
        executable = find_chromium() or Path(self.playwright.chromium.executable_path)
        os.environ["XDG_STATE_HOME"] = str(self.state)
        self._browser = launch_browser(
            executable,
            self.port,
            user_data_dir=self.folder / "data",
            headless=True,
            more=(f"--remote-debugging-port={self.debug_port}", QUICK_WINDOWS),
        )
        await eventually(lambda: probe_endpoint(self.debug_port), "the browser answers")

    async def end(self) -> None:
        if self._browser is not None:
            await end_process(self._browser.pid)
            self._browser.wait(LONG)
        shutil.rmtree(self.folder, ignore_errors=True)

    async def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        return await asyncio.to_thread(ask_relay, self.port, path, body, seconds=10)

    async def trace(self) -> dict[str, Any]:
        trace: dict[str, Any] = await self.ask("/trace")
        return trace

    async def pages(self) -> list[dict[str, Any]]:
        return [page for each in (await self.trace())["extensions"] for page in each["pages"]]

    async def connected(self) -> None:
        """Wait for the extension."""

        async def is_there() -> bool:
            return bool((await self.ask("/extension-status"))["connected"])

        await eventually(is_there, "the extension is connected")

    async def open(self, url: str) -> str:
        """A tab that clients may use; its target."""
        return str((await self.ask("/open", {"url": url}))["targetId"])

    async def close_all(self) -> None:
        """Reset: one blank tab of the user, and no attached tab."""
        await self.in_worker("""(async () => {
            const fresh = await chrome.windows.create({url: "about:blank"});
            const tabs = await chrome.tabs.query({});
            await chrome.tabs.remove(tabs.map(t => t.id).filter(id => id !== fresh.tabs[0].id));
        })()""")

        async def is_empty() -> bool:
            return not await self.pages()

        await eventually(is_empty, "no tab is attached")

    @asynccontextmanager
    async def client(self, **options: Any) -> AsyncIterator[Browser]:
        """A Playwright that is connected to the relay."""
        url = cdp_url(self.port, **options)
        browser = await self.playwright.chromium.connect_over_cdp(url, timeout=LONG * 1000)
        try:
            yield browser
        finally:
            await browser.close()

    @asynccontextmanager
    async def bare(self, *, path: str = "", query: str = "") -> AsyncIterator[Cdp]:
        """A client other than Playwright."""
        url = cdp_url(self.port).replace("/cdp", f"/cdp{path}") + query
        async with connect(url, max_size=None) as socket:
            yield Cdp(socket)

    @asynccontextmanager
    async def direct(self, path: str) -> AsyncIterator[Cdp]:
        """A connection to a target of the browser that does not pass the relay."""
        url = f"ws://127.0.0.1:{self.debug_port}{path}"
        async with connect(url, max_size=None) as socket:
            yield Cdp(socket)

    @asynccontextmanager
    async def instead(self, **options: Any) -> AsyncIterator[RelayServer]:
        """A relay in this process, with options, while the other one does not run."""
        await asyncio.to_thread(stop_relay, self.port)
        server = RelayServer(**options)
        await server.start(self.port)
        try:
            yield server
        finally:
            await server.stop()
            await ensure_persistent_relay(port=self.port)
            await self.connected()

    async def in_worker(self, expression: str) -> Any:
        """The value of an expression in the extension's worker."""
        targets = await asyncio.to_thread(get_json, f"http://127.0.0.1:{self.debug_port}/json/list")
        worker = next(t for t in targets if f"{EXTENSION_ID}/worker.js" in t["url"])
        async with self.direct(f"/devtools/page/{worker['id']}") as cdp:
            answer = await cdp.send(
                "Runtime.evaluate",
                {"expression": expression, "awaitPromise": True, "returnByValue": True},
            )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def click_button(self, tab: int) -> None:
        """Click the extension's button, on a tab."""
        await self.in_worker(
            f"chrome.tabs.get({tab}).then(t => chrome.action.onClicked.dispatch(t))"
        )

    async def windows(self) -> list[dict[str, Any]]:
        """The user's windows with their tabs."""
        found: list[dict[str, Any]] = await self.in_worker(
            "chrome.windows.getAll({populate: true})"
        )
        return found

    async def tab_of(self, target: str) -> int:
        """The browser's own number of a tab."""
        found = await self.in_worker("chrome.debugger.getTargets()")
        return int(next(each["tabId"] for each in found if each["id"] == target))


class Cdp:
    """A bare CDP connection that keeps the events it saw."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.events: list[dict[str, Any]] = []
        self._ids = itertools.count(1)

    async def send(
        self, method: str, params: dict[str, Any] | None = None, session: str | None = None
    ) -> dict[str, Any]:
        answer = await self.ask(method, params, session)
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    async def ask(
        self, method: str, params: dict[str, Any] | None = None, session: str | None = None
    ) -> dict[str, Any]:
        id = await self.post(method, params, session)
        return await self._until(lambda message: message.get("id") == id)

    async def post(
        self, method: str, params: dict[str, Any] | None = None, session: str | None = None
    ) -> int:
        """Send a command without waiting for its answer; its id."""
        id = next(self._ids)
        message: dict[str, Any] = {"id": id, "method": method, "params": params or {}}
        await self.socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        return id

    async def event(self, method: str) -> dict[str, Any]:
        """The next event by this name, or the first that came already."""
        for seen in self.events:
            if seen["method"] == method:
                self.events.remove(seen)
                return seen
        return await self._until(lambda message: message.get("method") == method)

    async def _until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        async with asyncio.timeout(LONG):
            while True:
                message: dict[str, Any] = json.loads(await self.socket.recv())
                if wanted(message):
                    return message
                if "method" in message:
                    self.events.append(message)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def get_json(url: str) -> Any:
    with urlopen(url, timeout=5) as answer:
        return json.load(answer)
