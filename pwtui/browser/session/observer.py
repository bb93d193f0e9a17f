"""Observes a session and publishes the events that subscribers want.

What the engine listens to anyway (console, dialogs, downloads, navigations) is taken from the tabs.
Everything else has a watch, which has listeners only while its kind is wanted: Playwright forwards
an event only while it is listened to.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, Literal, Protocol

from playwright.async_api import BrowserContext, Download, Frame, Page

from pwtui.browser.session.console import PAGE_ERROR, ConsoleEntry
from pwtui.browser.session.download_watch import DownloadWatch
from pwtui.browser.session.frame_watch import FrameWatch
from pwtui.browser.session.limits import Feed
from pwtui.browser.session.network_watch import NetworkWatch
from pwtui.browser.session.page_watch import Document, PageWatch, Report
from pwtui.browser.session.snapshot_watch import SnapshotWatch
from pwtui.browser.session.socket_watch import SocketWatch
from pwtui.browser.session.tab import Tab
from pwtui.browser.session.tab_watch import TabWatch
from pwtui.browser.session.user_watch import UserWatch
from pwtui.protocol.events import (
    BrowserEvent,
    ConsoleEvent,
    DialogEvent,
    FileChooserEvent,
    FloodEvent,
    FrameLimits,
    NavigationEvent,
    PageErrorEvent,
    SessionEventBase,
    TabEvent,
    UnseenEvent,
)
from pwtui.protocol.secrets import masked

SETTLE_SECONDS = 3.0
ACTING_SECONDS = 0.05
"""How long after an action its events may still arrive in a page."""

Deliver = Callable[[str, dict[str, Any]], None]


class Watch(Protocol):
    """Listens for the events of one kind."""

    def close(self) -> None: ...


@dataclass(slots=True)
class _Span:
    """When a request ran."""

    begun: float
    end: float = inf


class Observer:
    """Publishes the events of one session. `deliver` gets the kind and the masked event."""

    def __init__(self, place: Mapping[str, Any], deliver: Deliver) -> None:
        self.kinds: frozenset[str] = frozenset()
        self.session_key: str = place["sessionKey"]
        self.has_ended = False
        self._place = place
        self._deliver = deliver
        self.of_context: dict[str, Callable[[Observer, BrowserContext], Watch]] = {
            "network": NetworkWatch
        }
        """The watches that a context has, by the kind of their events."""
        self.may_run_scripts = True
        """False in a browser of another program: no script is run in its pages."""
        self._contexts: set[BrowserContext] = set()
        self._requests = 0
        self._acting: deque[_Span] = deque(maxlen=100)
        self.frame_limits = FrameLimits()
        self.active_tab: Callable[[], Tab | None] = lambda: None
        self._page_watches: dict[Page, PageWatch] = {}
        self._tabs: dict[Page, Tab] = {}
        self._watches: dict[tuple[str, Page | BrowserContext | None], Watch] = {}
        self.numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: itertools.count(1))
        """Counts the requests, WebSockets and downloads of the session."""
        self._tasks: set[asyncio.Task[None]] = set()

    def attach(self, context: BrowserContext, active_tab: Callable[[], Tab | None]) -> None:
        """Observe this context and the tabs that are added."""
        self._contexts.add(context)
        self.active_tab = active_tab
        self._update()

    def detach(self, context: BrowserContext) -> None:
        """The context was closed."""
        self._contexts.discard(context)
        self._update()

    def begin_request(self, *, acts: bool) -> _Span:
        """A request runs in the session until `end_request`."""
        self._requests += 1
        if self._snapshots is not None:
            self._snapshots.hold()
        span = _Span(time.time())
        if acts:
            self._acting.append(span)
        return span

    def end_request(self, span: _Span) -> None:
        self._requests -= 1
        span.end = time.time() + ACTING_SECONDS
        if self._snapshots is not None:
            self._snapshots.release()

    def was_acting(self, moment: float) -> bool:
        """Whether a request acted in the session then."""
        return any(each.begun <= moment <= each.end for each in self._acting)

    @property
    def is_busy(self) -> bool:
        """Whether a request runs."""
        return self._requests > 0

    def watch(self, kinds: frozenset[str], limits: FrameLimits | None = None) -> None:
        """Publish events of these kinds from now on, frames of this size."""
        self.kinds = kinds
        self._update()
        if limits is not None:
            self.frame_limits = limits
            self.activated()

    def repeat(self, kinds: Collection[str]) -> None:
        """Publish the newest state again, for a new subscriber."""
        for watch in (self._snapshots, self.frames):
            if watch is not None and watch.kind in kinds:
                watch.repeat()

    async def pause_frames(self) -> None:
        """Publish no frames until `resume_frames`: a page has one screencast, for a video now."""
        if self.frames is not None:
            await self.frames.pause()

    def resume_frames(self) -> None:
        if self.frames is not None:
            self.frames.resume()

    def activated(self) -> None:
        """Another tab may be the active one."""
        for watch in (self._snapshots, self.frames):
            if watch is not None:
                watch.changed()

    def page_changed(self) -> None:
        """The program that owns the browser has done something."""
        if self._snapshots is not None:
            self._snapshots.changed()

    def page_watch(self, tab: Tab) -> PageWatch | None:
        return self._page_watches.get(tab.page)

    def add(self, tab: Tab) -> None:
        self._tabs[tab.page] = tab
        tab.observe = partial(self._receive, tab)
        console = tab.console
        console.on_entry = partial(self._on_entry, tab)
        console.messages.on_resume = partial(self.flooded, "console", console.messages, tab)
        console.errors.on_resume = partial(self.flooded, "pageError", console.errors, tab)
        self._update()
        self._on_tab(tab, "opened")
        if titles := self._titles(tab):
            titles.ask()  # a popup may be loaded already

    def remove(self, tab: Tab) -> None:
        self._on_tab(tab, "closed")
        self._tabs.pop(tab.page, None)
        self._update()
        self.activated()

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
        wire, limit = event.to_wire(), model.text_limit
        # Cut first, as masking takes time; and again after it: half a secret is not recognised.
        wire = _cut(masked(_cut(wire, 2 * limit)), limit)
        self._deliver(wire["kind"] if model in _ABOUT_A_KIND else wire["event"], wire)

    def flooded(self, kind: str, feed: Feed[Any], tab: Tab | None, dropped: int) -> None:
        if kind in self.kinds:
            is_exact = None if feed.can_stop else True
            fields = {"kind": kind, "dropped": dropped, "is_exact": is_exact}
            self.publish(FloodEvent, tab, pauses=feed.pauses, **fields)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a task that queries the browser for an event."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _update(self) -> None:
        """Start and stop watches to match the wanted kinds."""
        wanted: set[tuple[str, Page | BrowserContext | None]] = set()
        for kind in self.kinds & self.of_context.keys():
            wanted.update((kind, context) for context in self._contexts)
        if self._contexts:
            kinds = self.kinds if self.may_run_scripts else self.kinds - {"user"}
            wanted.update((kind, None) for kind in kinds & _OF_SESSION.keys())
        for kind in self.kinds & _OF_TAB.keys():
            wanted.update((kind, page) for page in self._tabs)
        for key in self._watches.keys() - wanted:
            self._watches.pop(key).close()
        for kind, place in wanted - self._watches.keys():
            if place is None:
                self._watches[kind, place] = _OF_SESSION[kind](self)
            elif isinstance(place, Page):
                self._watches[kind, place] = _OF_TAB[kind](self, self._tabs[place])
            else:
                self._watches[kind, place] = self.of_context[kind](self, place)
        self._update_page_watches()

    def _update_page_watches(self) -> None:
        wants = {_IN_PAGES[kind] for kind in self.kinds & _IN_PAGES.keys() if self.may_run_scripts}
        for page, watch in list(self._page_watches.items()):
            if page not in self._tabs or watch.wants != wants:
                self._page_watches.pop(page).close()
        if wants:
            for page in self._tabs.keys() - self._page_watches.keys():
                tab = self._tabs[page]
                self._page_watches[page] = PageWatch(
                    tab, wants, self._on_report, lambda: self.is_busy
                )

    @property
    def _snapshots(self) -> SnapshotWatch | None:
        watch = self._watches.get(("snapshot", None))
        return watch if isinstance(watch, SnapshotWatch) else None

    @property
    def frames(self) -> FrameWatch | None:
        watch = self._watches.get(("frame", None))
        return watch if isinstance(watch, FrameWatch) else None

    def _on_report(self, tab: Tab, document: Document, report: Report) -> None:
        if "title" in report and (titles := self._titles(tab)):
            titles.show(report["title"])
        users = self._watches.get(("user", None))
        if isinstance(users, UserWatch):
            if "user" in report:
                users.take(tab, document, report)
            if "transition" in report:
                users.navigated(tab, report["transition"])
        if "changed" in report and self._snapshots and tab is self.active_tab():
            self._snapshots.changed()

    def _on_entry(self, tab: Tab, entry: ConsoleEntry) -> None:
        fields: dict[str, Any] = {
            "time": entry.time,
            "text": entry.text,
            "page_url": entry.page_url,
        }
        if entry.type == PAGE_ERROR:
            if "pageError" in self.kinds:
                self.publish(PageErrorEvent, tab, stack=entry.stack, **fields)
        elif "console" in self.kinds:
            self.publish(
                ConsoleEvent, tab, type=entry.type, url=entry.url, line=entry.line, **fields
            )

    def _receive(self, tab: Tab, what: str, source: object = None) -> None:
        if what == "dialogclosed":
            self.activated()  # the page can answer again
        match what:
            case "dialog" | "dialogclosed" if "dialog" in self.kinds:
                change = "opened" if what == "dialog" else "closed"
                self.publish(DialogEvent, tab, change=change, dialog=tab.prompts.dialog)
            case "filechooser" if "fileChooser" in self.kinds and tab.prompts.chooser:
                self.publish(FileChooserEvent, tab, multiple=tab.prompts.chooser.multiple)
            case "crashed":
                self._on_tab(tab, what)
            case "download" if isinstance(source, Download):
                watch = self._watches.get(("download", tab.page))
                if isinstance(watch, DownloadWatch):
                    watch.begin(source)
            case "navigation" if isinstance(source, Frame):
                self._on_navigation(tab, source)

    def _on_tab(self, tab: Tab, change: str) -> None:
        if "tab" in self.kinds:
            self.publish(TabEvent, tab, change=change, url=tab.url, title=tab.title or None)

    def _titles(self, tab: Tab) -> TabWatch | None:
        watch = self._watches.get(("tab", tab.page))
        return watch if isinstance(watch, TabWatch) else None

    def _on_navigation(self, tab: Tab, frame: Frame) -> None:
        if "navigation" in self.kinds:
            which = "child" if frame.parent_frame else "main"
            self.publish(
                NavigationEvent, tab, url=frame.url, frame=which, frame_name=frame.name or None
            )
        if watch := self.page_watch(tab):
            watch.look()
        elif titles := self._titles(tab):
            titles.ask()


_OF_TAB: dict[str, Callable[[Observer, Tab], Watch]] = {
    "websocket": SocketWatch,
    "download": DownloadWatch,
    "tab": TabWatch,
}
_OF_SESSION: dict[str, Callable[[Observer], Watch]] = {
    "user": UserWatch,
    "snapshot": SnapshotWatch,
    "frame": FrameWatch,
}
_IN_PAGES = {"snapshot": "changes", "tab": "title", "user": "user"}
"""What the script in a page reports for a kind."""
_ABOUT_A_KIND = (FloodEvent, UnseenEvent)


def _cut(value: Any, limit: int) -> Any:
    if isinstance(value, str):
        more = len(value) - limit
        return value if more <= 0 else f"{value[:limit]}… ({more} more characters)"
    if isinstance(value, dict):
        return {key: _cut(item, limit) for key, item in value.items()}
    return value
