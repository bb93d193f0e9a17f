"""Observes a session: publishes what happens in it, as far as a subscriber wants to know.

What the engine listens to anyway (console, dialogs, downloads, navigations) is taken from the tabs.
Everything else has a watch, which has listeners only while its kind is wanted: Playwright forwards
an event only while it is listened to.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Literal, Protocol

from playwright.async_api import BrowserContext, Download, Error, Frame, Page

from pwtui.browser.session.console import PAGE_ERROR, ConsoleEntry
from pwtui.browser.session.limits import Feed
from pwtui.browser.session.network_watch import NetworkWatch
from pwtui.browser.session.socket_watch import SocketWatch
from pwtui.browser.session.tab import Tab
from pwtui.browser.session.title_watch import TitleWatch
from pwtui.protocol.events import (
    BrowserEvent,
    ConsoleEvent,
    DialogEvent,
    DownloadEvent,
    FileChooserEvent,
    FloodEvent,
    NavigationEvent,
    PageErrorEvent,
    SessionEventBase,
    TabEvent,
)
from pwtui.protocol.secrets import masked

SETTLE_SECONDS = 3.0
TEXT_LIMIT = 10_000

Deliver = Callable[[str, dict[str, Any]], None]


class Watch(Protocol):
    """Listens for the events of one kind."""

    def close(self) -> None: ...


class Observer:
    """Publishes the events of one session. `deliver` gets the kind and the masked event."""

    def __init__(self, place: Mapping[str, Any], deliver: Deliver) -> None:
        self.kinds: frozenset[str] = frozenset()
        self.session_key: str = place["sessionKey"]
        self.has_ended = False
        self._place = place
        self._deliver = deliver
        self._context: BrowserContext | None = None
        self._tabs: dict[Page, Tab] = {}
        self._watches: dict[tuple[str, Page | None], Watch] = {}
        self.numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: itertools.count(1))
        """Counts the requests, WebSockets and downloads of the session."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._downloads: set[asyncio.Task[None]] = set()

    def attach(self, context: BrowserContext) -> None:
        """Observe this context and the tabs that are added."""
        self._context = context
        self._update()

    def watch(self, kinds: frozenset[str]) -> None:
        """Publish events of these kinds from now on."""
        self.kinds = kinds
        self._update()

    def add(self, tab: Tab) -> None:
        self._tabs[tab.page] = tab
        tab.observe = partial(self._receive, tab)
        console = tab.console
        console.on_entry = partial(self._on_entry, tab)
        console.messages.on_resume = partial(self.flooded, "console", console.messages, tab)
        console.errors.on_resume = partial(self.flooded, "pageError", console.errors, tab)
        self._update()
        self._on_tab(tab, "opened")
        self._ask_title(tab)  # a popup may be loaded already

    def remove(self, tab: Tab) -> None:
        self._on_tab(tab, "closed")
        self._tabs.pop(tab.page, None)
        self._update()

    def ended(self, how: Literal["closed", "exited"]) -> None:
        """The session has ended: publish that, and nothing more."""
        if "browser" in self.kinds:
            self.publish(BrowserEvent, change="ended", how=how)
        self.has_ended = True
        self.watch(frozenset())

    async def settled(self) -> None:
        """Wait until everything that has happened is published."""
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=SETTLE_SECONDS)

    def tab_of(self, page: Page) -> Tab | None:
        return self._tabs.get(page)

    def publish(self, model: type[SessionEventBase], tab: Tab | None = None, **fields: Any) -> None:
        index = tab.index if tab is not None else None
        event = model.model_validate({"time": time.time(), "tab": index, **self._place, **fields})
        wire = event.to_wire()
        # Cut first, as masking takes time; and again after it: half a secret is not recognised.
        wire = _cut(masked(_cut(wire, 2 * TEXT_LIMIT)), TEXT_LIMIT)
        self._deliver(wire["kind"] if model is FloodEvent else wire["event"], wire)

    def flooded(self, kind: str, feed: Feed[Any], tab: Tab | None, dropped: int) -> None:
        if kind in self.kinds:
            self.publish(FloodEvent, tab, kind=kind, dropped=dropped, pauses=feed.pauses)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run what must ask the browser before it can publish an event."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _update(self) -> None:
        """Have exactly the watches that are wanted."""
        wanted: set[tuple[str, Page | None]] = set()
        if self._context is not None and "network" in self.kinds:
            wanted.add(("network", None))
        for kind in self.kinds & _OF_TAB.keys():
            wanted.update((kind, page) for page in self._tabs)
        for key in self._watches.keys() - wanted:
            self._watches.pop(key).close()
        for kind, page in wanted - self._watches.keys():
            if page is not None:
                self._watches[kind, page] = _OF_TAB[kind](self, self._tabs[page])
            elif self._context is not None:
                self._watches[kind, page] = NetworkWatch(self, self._context)

    def _on_entry(self, tab: Tab, entry: ConsoleEntry) -> None:
        fields: dict[str, Any] = {"text": entry.text, "page_url": entry.page_url}
        if entry.type == PAGE_ERROR:
            if "pageError" in self.kinds:
                self.publish(PageErrorEvent, tab, stack=entry.stack, **fields)
        elif "console" in self.kinds:
            self.publish(
                ConsoleEvent, tab, type=entry.type, url=entry.url, line=entry.line, **fields
            )

    def _receive(self, tab: Tab, what: str, source: object = None) -> None:
        match what:
            case "dialog" | "dialogclosed" if "dialog" in self.kinds:
                change = "opened" if what == "dialog" else "closed"
                self.publish(DialogEvent, tab, change=change, dialog=tab.prompts.dialog)
            case "filechooser" if "fileChooser" in self.kinds and tab.prompts.chooser:
                self.publish(FileChooserEvent, tab, multiple=tab.prompts.chooser.multiple)
            case "crashed":
                self._on_tab(tab, "crashed")
            case "download" if "download" in self.kinds and isinstance(source, Download):
                self._on_download(tab, source)
            case "navigation" if isinstance(source, Frame):
                self._on_navigation(tab, source)

    def _on_tab(self, tab: Tab, change: str) -> None:
        if "tab" in self.kinds:
            self.publish(TabEvent, tab, change=change, url=tab.url, title=tab.title or None)

    def _on_navigation(self, tab: Tab, frame: Frame) -> None:
        if "navigation" in self.kinds:
            which = "child" if frame.parent_frame else "main"
            self.publish(
                NavigationEvent, tab, url=frame.url, frame=which, frame_name=frame.name or None
            )
        self._ask_title(tab)

    def _ask_title(self, tab: Tab) -> None:
        watch = self._watches.get(("tab", tab.page))
        if isinstance(watch, TitleWatch):
            watch.ask()

    def _on_download(self, tab: Tab, download: Download) -> None:
        fields = {
            "download": next(self.numbers["download"]),
            "url": download.url,
            "suggested_filename": download.suggested_filename,
        }
        self.publish(DownloadEvent, tab, change="started", **fields)
        # Not one of the tasks that `settled` waits for: it has not happened yet.
        task = asyncio.create_task(self._follow(tab, download, fields))
        self._downloads.add(task)
        task.add_done_callback(self._downloads.discard)

    async def _follow(self, tab: Tab, download: Download, fields: dict[str, Any]) -> None:
        """Publish the end of a download."""
        failure: str | None = "the browser has exited"
        with suppress(Error):
            failure = await download.failure()
        change = "failed" if failure else "finished"
        if "download" in self.kinds:
            self.publish(DownloadEvent, tab, change=change, failure=failure, **fields)


_OF_TAB: dict[str, Callable[[Observer, Tab], Watch]] = {
    "websocket": SocketWatch,
    "tab": TitleWatch,
}


def _cut(value: Any, limit: int) -> Any:
    if isinstance(value, str):
        more = len(value) - limit
        return value if more <= 0 else f"{value[:limit]}… ({more} more characters)"
    if isinstance(value, dict):
        return {key: _cut(item, limit) for key, item in value.items()}
    return value
