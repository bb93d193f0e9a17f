"""Keeps the tree, the console and the requests of the active tab current."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, NamedTuple

from pwtui.app.page_state import ChooserView, DownloadView, PictureView
from pwtui.app.snapshots import Ask
from pwtui.app.store import SnapshotView, Store, StorePart
from pwtui.protocol.events import (
    ConsoleEvent,
    DownloadEvent,
    FileChooserEvent,
    FloodEvent,
    FrameEvent,
    NavigationEvent,
    NetworkEvent,
    PageErrorEvent,
    SnapshotEvent,
    TabEvent,
    UnseenEvent,
    read_event,
)
from pwtui.protocol.snapshot_update import update_snapshot
from pwtui.widgets.console_list import ConsoleRow
from pwtui.widgets.network_list import NetworkRow

KINDS = (
    *("console", "pageError", "network", "snapshot"),
    *("tab", "navigation", "fileChooser", "download"),
)

# The sizes that can be asked for.
SMALLEST, LARGEST = 64, 1600

OBSERVED = frozenset((*KINDS, "frame", "flood", "unseen"))

Observe = Callable[[tuple[str, ...], str, dict[str, int] | None], Awaitable[None]]


class Shown(NamedTuple):
    """The page that is shown."""

    profile: str
    browser: int | None
    tab: int | None
    is_connected: bool

    def follows(self, before: Shown | None) -> bool:
        """Whether it is the same one, of which more may be known by now."""
        return before is None or (
            before.profile == self.profile
            and before.browser in (None, self.browser)
            and before.tab in (None, self.tab)
        )


class Inspector:
    """Loads what happened before when another tab is shown, and adds what happens then.

    Events that arrive while it loads may be part of the replies, or newer than them.
    """

    def __init__(
        self, store: Store, ask: Ask, observe: Observe, tabs_wanted: Callable[[], object]
    ) -> None:
        self._store = store
        self._ask = ask
        self._observe = observe
        self._tabs_wanted = tabs_wanted
        self._shown: Shown | None = None
        self._listed: Shown | None = None
        """What the listed messages and requests belong to."""
        self._wanted = asyncio.Event()
        self._is_loading = False
        self._frames: dict[str, int] | None = None
        self._messages: list[ConsoleRow] = []
        """The messages that arrived while loading, as `_requests`."""
        self._requests: list[NetworkRow] = []
        store.listeners.append(self._changed)

    async def run(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            await self.load(self._store.active_profile)

    async def load(self, profile: str) -> None:
        self._is_loading, self._messages, self._requests = True, [], []
        shown, is_kept = self._page(), False
        await self.observe(profile)
        console = await self._ask("page.console")
        requests = await self._ask("requests.list", static=True, all=True)
        if console.data is None or requests.data is None:
            self._shown = None  # a dialog is open, or there is no page: ask after the next change
            is_kept = shown.follows(self._listed)  # what arrived, as a navigation that failed
        if profile == self._store.active_profile and not self._wanted.is_set() and not is_kept:
            self._store.set_inspected(
                with_newer_messages(
                    [message_row(each) for each in (console.data or {}).get("messages", ())],
                    self._messages,
                ),
                with_newer_requests(
                    [
                        self._caused(request_row(each))
                        for each in (requests.data or {}).get("requests", ())
                    ],
                    self._requests,
                ),
            )
            self._listed = shown
        self._is_loading = False

    async def watch_pictures(self, size: tuple[int, int] | None) -> None:
        """Receive pictures of at most this size; None: no pictures."""
        frames = None
        if size is not None:
            width, height = (max(SMALLEST, min(LARGEST, each)) for each in size)
            frames = {"maxWidth": width, "maxHeight": height, "quality": 70}
        if frames != self._frames:
            self._frames = frames
            if frames is None:
                self._store.page.set_picture(None)
            await self.observe(self._store.active_profile)

    async def observe(self, profile: str) -> None:
        """Receive what happens in the pages of a profile from now on."""
        kinds = KINDS if self._frames is None else (*KINDS, "frame")
        await self._observe(kinds, profile, self._frames)

    def receive(self, wire: dict[str, Any]) -> None:
        """An event of the active profile."""
        event, store = read_event(wire), self._store
        if isinstance(event, FloodEvent):
            text = f"{event.dropped:,} or more {event.kind} events were dropped: there are too many"
            store.add_message(ConsoleRow(0, "flood", text, event.time))
        if isinstance(event, SnapshotEvent):  # always of the active tab
            shown = store.snapshot
            tree = update_snapshot(shown.tree, event.text)
            if tree is not shown.tree:
                view = SnapshotView(tree, event.url, event.title, event.time, is_live=True)
                store.set_snapshot(view)
            elif not shown.is_live:
                store.set_snapshot(replace(shown, is_live=True))  # the page is as it was
        self._receive_page(event)
        active = store.page.active_tab
        # Before the tabs are known, requests are shown until the list of a tab replaces them.
        may_be_here = active is None and isinstance(event, NetworkEvent)
        if getattr(event, "tab", None) not in (None, active) and not may_be_here:
            return
        match event:
            case ConsoleEvent():
                source = _source(event.url, event.line)
                self._add_message(ConsoleRow(0, event.type, event.text, event.time, source))
            case PageErrorEvent():
                stack = event.stack or ""
                row = ConsoleRow(0, "pageerror", event.text, event.time, stack=stack)
                self._add_message(row)
            case NetworkEvent():
                request = NetworkRow(
                    number=event.request,
                    index=event.index,
                    method=event.method,
                    url=event.url,
                    type=event.resource_type,
                    status=event.status,
                    failure=event.failure or "",
                    is_pending=event.change in ("request", "response"),
                    from_cache=bool(event.from_cache),
                    size=event.sizes.response_body if event.sizes else None,
                    started=event.time - (event.duration_ms or 0.0) / 1000,
                    milliseconds=event.duration_ms,
                )
                request = self._caused(request)
                if self._is_loading and active is not None:
                    self._requests.append(request)
                store.put_request(request)

    def _caused(self, request: NetworkRow) -> NetworkRow:
        """The request, with the action that it followed if it failed."""
        if not (request.has_failed and request.started):
            return request
        cause = self._store.cause_of(self._store.active_profile, request.started)
        return replace(request, cause=cause)

    def _add_message(self, row: ConsoleRow) -> None:
        if self._is_loading:
            self._messages.append(row)
        self._store.add_message(row)

    def _receive_page(self, event: object) -> None:
        """What happens to the tabs."""
        page = self._store.page
        match event:
            case FrameEvent() if self._frames is not None:
                size = (event.viewport_width, event.viewport_height)
                page.set_picture(PictureView(event.data, size, event.session_key, event.time))
            case UnseenEvent(kind="frame"):
                page.set_picture(None, event.reason)
            case TabEvent(change="title"):
                page.update_tab(event.tab, title=event.title or "")
            case TabEvent(change="loaded", tab=int(tab)):
                page.load_ended(tab, event.time)
            case FileChooserEvent(tab=int(tab)):
                page.set_chooser(ChooserView(tab, event.multiple))
                self._tabs_wanted()
            case TabEvent():
                self._tabs_wanted()
            case NavigationEvent(frame="main"):
                page.update_tab(event.tab, url=event.url, title="")
                sent = self._store.network.newest("document", event.url)
                if event.tab is not None and sent is not None and sent.started:
                    page.load_began(event.tab, sent.started)
            case DownloadEvent():
                has_ended = event.change in ("finished", "failed")
                page.set_download(
                    DownloadView(
                        event.download,
                        event.suggested_filename,
                        event.url,
                        event.received_bytes,
                        event.total_bytes,
                        (event.failure or "") if has_ended else None,
                    )
                )

    def _changed(self, part: StorePart) -> None:
        if part not in ("page", "sessions", "profiles", "daemon"):
            return
        shown = self._page()
        if shown.is_connected and shown != self._shown:
            self._wanted.set()
        self._shown = shown

    def _page(self) -> Shown:
        store = self._store
        session = store.session_of(store.active_profile)
        pid = session.pid if session is not None else None
        return Shown(store.active_profile, pid, store.page.active_tab, store.link == "connected")


def with_newer_messages(listed: list[ConsoleRow], arrived: list[ConsoleRow]) -> list[ConsoleRow]:
    """The messages of a reply, and those that arrived meanwhile and are not part of it."""
    newest = listed[-1].time if listed else 0.0
    return [*listed, *(row for row in arrived if row.time > newest)]


def with_newer_requests(listed: list[NetworkRow], arrived: list[NetworkRow]) -> list[NetworkRow]:
    """The requests of a reply, with what arrived meanwhile."""
    rows = {row.index: row for row in listed}
    pending = {(row.method, row.url) for row in listed if row.is_pending}
    newer = []
    for row in {row.number: row for row in arrived}.values():
        if row.index in rows:
            rows[row.index] = replace(row, number=0)
        elif row.index is not None or (row.method, row.url) not in pending:
            newer.append(row)  # without an index it may be one that is listed
    return [*rows.values(), *newer]


def message_row(data: dict[str, Any]) -> ConsoleRow:
    source = _source(data.get("url"), data.get("line"))
    return ConsoleRow(0, data["type"], data["text"], data["time"], source, data.get("stack") or "")


def request_row(data: dict[str, Any]) -> NetworkRow:
    return NetworkRow(
        number=0,
        index=data["index"],
        method=data["method"],
        url=data["url"],
        type=data["resourceType"],
        status=data.get("status"),
        failure=data.get("failure") or "",
        is_pending=bool(data.get("pending")),
        from_cache=bool(data.get("cached")),
        size=data.get("bodyBytes"),
        started=data.get("startedAt") or 0.0,
        milliseconds=data.get("durationMs"),
    )


def _source(url: str | None, line: int | None) -> str:
    name = (url or "").partition("?")[0].rpartition("/")[2]
    return f"{name}:{line}" if name and line else name
