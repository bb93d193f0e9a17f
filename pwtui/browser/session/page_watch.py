"""Runs a script beside the documents of a tab, which reports what changes in them.

In Chromium it runs in an isolated world, which a page cannot see. A question is answered when
something has happened, so that no CDP domain has to be enabled: its events would be forwarded, and
a page could flood them.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from playwright.async_api import CDPSession, Error, Frame, JSHandle, Page

from pwtui.browser.page.scripts import script
from pwtui.browser.session.tab import Tab

WORLD = "pwtui"
MAX_FRAMES = 50
SCAN_SECONDS = 0.05
BUSY_SECONDS = 1.0
"""A request delays a look at the documents at most so long."""
REPORT_SECONDS = 0.05
"""The least time between two reports of a document."""

Report = dict[str, Any]


class Script(Protocol):
    """The script's object in one document."""

    async def call(self, method: str, argument: Any = None) -> Any: ...


@dataclass(frozen=True)
class _Isolated:
    """In an isolated world of Chromium."""

    session: CDPSession
    object_id: str

    async def call(self, method: str, argument: Any = None) -> Any:
        reply = await self.session.send(
            "Runtime.callFunctionOn",
            {
                "objectId": self.object_id,
                "functionDeclaration": f"function(it) {{ return this.{method}(it) }}",
                "arguments": [{"value": argument}],
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        return reply["result"].get("value")


@dataclass(frozen=True)
class _InPage:
    """In the page's own world, under no name: for browsers without CDP."""

    handle: JSHandle

    async def call(self, method: str, argument: Any = None) -> Any:
        return await self.handle.evaluate(f"(it, argument) => it.{method}(argument)", argument)


Start = Callable[[str], Awaitable[Script]]
"""Runs the source of the script in one document."""


@dataclass(eq=False)
class Document:
    """One document of a frame, and the task that waits for its reports."""

    start: Start
    frame: Frame | None
    script: Script | None = None
    task: asyncio.Task[None] | None = field(default=None, repr=False)


class PageWatch:
    """Reports what happens in the frames of a tab. `wants` are `changes`, `title`, `user`."""

    def __init__(
        self,
        tab: Tab,
        wants: Collection[str],
        on_report: Callable[[Tab, Document, Report], None],
        is_busy: Callable[[], bool],
    ) -> None:
        self.wants = frozenset(wants)
        self._tab = tab
        self._on_report = on_report
        self._is_busy = is_busy
        """Whether a request runs."""
        self._source = f"({script('page_watch')})({json.dumps({'wants': sorted(wants)})})"
        self._has_cdp = has_cdp(tab.page)
        self._sessions: dict[Frame, CDPSession] = {}
        self._in_process: set[tuple[Frame, str]] = set()
        self._documents: dict[object, Document] = {}
        self._is_first = True
        self._scanning = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._latest = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        self._start(self._scan())

    def look(self) -> None:
        """There may be other frames or documents."""
        if self._timer is None:
            self._latest = time.monotonic() + BUSY_SECONDS
            self._wait()

    async def arm(self) -> None:
        """Report the next change of each document."""
        await self._scan()
        scripts = [each.script for each in self._documents.values() if each.script]
        await asyncio.gather(*(each.call("arm") for each in scripts), return_exceptions=True)

    def close(self) -> None:
        self.look()  # a timer that never fires: no other one is started
        if self._timer is not None:
            self._timer.cancel()
        for task in list(self._tasks):
            task.cancel()
        for session in self._sessions.values():
            self._start(_detach(session))

    def _wait(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(SCAN_SECONDS, self._look)

    def _look(self) -> None:
        if self._is_busy() and time.monotonic() < self._latest:
            self._wait()  # it would delay the request, most of all one that loads a page
            return
        self._timer = None
        self._start(self._scan())

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _scan(self) -> None:
        """Run the script in each document that does not have it yet."""
        async with self._scanning:
            found = await self._find()
            for key in self._documents.keys() - found.keys():
                if task := self._documents.pop(key).task:
                    task.cancel()
            new = [key for key in found if key not in self._documents]
            for key, each in found.items():
                known = self._documents.setdefault(key, each)
                # Playwright may have learnt of the frame's URL since.
                known.frame = known.frame or each.frame
            await asyncio.gather(*(self._open(key) for key in new))

    async def _find(self) -> dict[object, Document]:
        """The documents by what identifies them."""
        frames = [each for each in self._tab.page.frames if not each.is_detached()]
        if not self._has_cdp:
            return {each: Document(_in_page(each), each) for each in frames[:MAX_FRAMES]}
        await self._open_sessions(frames)
        found: dict[object, Document] = {}
        for owner, session in list(self._sessions.items()):
            try:
                tree = await session.send("Page.getFrameTree")
            except Error:  # the frame was removed, or has another process
                del self._sessions[owner]
                continue
            for each in _flat(tree["frameTree"]):
                # Playwright does not say which of its frames this is: the first one like it.
                url = each["url"] + each.get("urlFragment", "")
                frame = next((it for it in frames if it.url == url), None)
                if frame is not None:
                    frames.remove(frame)
                if len(found) < MAX_FRAMES:
                    start = _isolated(session, each["id"])
                    found[session, each["id"], each["loaderId"]] = Document(start, frame)
        return found

    async def _open_sessions(self, frames: list[Frame]) -> None:
        """One for the page, and one for each frame that has another process."""
        page = self._tab.page
        for frame in frames[:MAX_FRAMES]:
            place = (frame, frame.url)
            if frame in self._sessions or place in self._in_process:
                continue
            is_main = frame is page.main_frame
            try:
                new = await page.context.new_cdp_session(page if is_main else frame)
                self._sessions[frame] = new
            except Error:
                if not is_main:
                    self._in_process.add(place)

    async def _open(self, key: object) -> None:
        document = self._documents[key]
        try:
            document.script = await document.start(self._source)
        except Error:
            del self._documents[key]
        else:
            document.task = self._start(self._follow(key, document))
            if "user" in self.wants and document.frame is self._tab.page.main_frame:
                await self._report_transition(document)

    async def _report_transition(self, document: Document) -> None:
        """Report how the main frame came to its document, such as `typed` or `link`."""
        session = self._sessions.get(self._tab.page.main_frame)
        is_first, self._is_first = self._is_first, False
        if is_first or session is None:
            return
        with suppress(Error):
            history = await session.send("Page.getNavigationHistory")
            kind = history["entries"][history["currentIndex"]]["transitionType"]
            self._on_report(self._tab, document, {"transition": kind})

    async def _follow(self, key: object, document: Document) -> None:
        """Pass on the reports of a document until there is another one in its place."""
        assert document.script is not None
        with suppress(Error):
            while True:
                report = await document.script.call("next")
                self._on_report(self._tab, document, report)
                if "user" not in report:  # which may be followed by the end of the document
                    await asyncio.sleep(REPORT_SECONDS)
        if self._documents.get(key) is document:
            del self._documents[key]
        self._on_report(self._tab, document, {"changed": True})
        self.look()


def has_cdp(page: Page) -> bool:
    browser = page.context.browser
    return browser is not None and browser.browser_type.name == "chromium"


def _in_page(frame: Frame) -> Start:
    async def start(source: str) -> Script:
        return _InPage(await frame.evaluate_handle(source))

    return start


def _isolated(session: CDPSession, frame_id: str) -> Start:
    async def start(source: str) -> Script:
        world = await session.send(
            "Page.createIsolatedWorld", {"frameId": frame_id, "worldName": WORLD}
        )
        made = await session.send(
            "Runtime.evaluate",
            {"expression": source, "contextId": world["executionContextId"]},
        )
        return _Isolated(session, made["result"]["objectId"])

    return start


def _flat(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield tree["frame"]
    for child in tree.get("childFrames", ()):
        yield from _flat(child)


async def _detach(session: CDPSession) -> None:
    with suppress(Error):
        await session.detach()
