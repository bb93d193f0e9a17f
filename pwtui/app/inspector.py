"""Keeps the tree, the console and the requests of the active tab current."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pwtui.app.snapshots import Ask
from pwtui.app.store import SnapshotView, Store, StorePart
from pwtui.protocol.events import (
    ConsoleEvent,
    FloodEvent,
    NetworkEvent,
    PageErrorEvent,
    SnapshotEvent,
    read_event,
)
from pwtui.protocol.snapshot import parse_snapshot
from pwtui.widgets.console_list import ConsoleRow
from pwtui.widgets.network_list import NetworkRow

KINDS = ("console", "pageError", "network", "snapshot")

Observe = Callable[[tuple[str, ...], str], Awaitable[None]]


class Inspector:
    """Loads what happened before when another tab is shown, and adds what happens then.

    The reply and the events come through one connection: events before the reply are part of it.
    """

    def __init__(self, store: Store, ask: Ask, observe: Observe) -> None:
        self._store = store
        self._ask = ask
        self._observe = observe
        self._shown: tuple[object, ...] = ()
        self._wanted = asyncio.Event()
        store.listeners.append(self._changed)

    async def run(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            profile = self._store.active_profile
            await self._observe(KINDS, profile)
            console = await self._ask("page.console")
            requests = await self._ask("requests.list", static=True, all=True)
            if profile == self._store.active_profile and not self._wanted.is_set():
                self._store.set_inspected(
                    [_message(each) for each in (console.data or {}).get("messages", ())],
                    [_request(each) for each in (requests.data or {}).get("requests", ())],
                )

    def receive(self, wire: dict[str, Any]) -> None:
        """An event of the active profile."""
        event, store = read_event(wire), self._store
        if isinstance(event, FloodEvent):
            text = f"{event.dropped:,} or more {event.kind} events were dropped: there are too many"
            store.add_message(ConsoleRow(0, "flood", text, event.time))
        if isinstance(event, SnapshotEvent):  # always of the active tab
            shown = store.snapshot
            if shown.tree is not None and shown.tree.render() == event.text:
                shown.is_live = True  # the page is as it was
            else:
                tree = parse_snapshot(event.text)
                view = SnapshotView(tree, event.url, event.title, event.time, is_live=True)
                store.set_snapshot(view)
        if getattr(event, "tab", None) not in (None, store.active_tab):
            return
        match event:
            case ConsoleEvent():
                source = _source(event.url, event.line)
                store.add_message(ConsoleRow(0, event.type, event.text, event.time, source))
            case PageErrorEvent():
                stack = event.stack or ""
                row = ConsoleRow(0, "pageerror", event.text, event.time, stack=stack)
                store.add_message(row)
            case NetworkEvent():
                store.put_request(
                    NetworkRow(
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
                )

    def _changed(self, part: StorePart) -> None:
        if part not in ("page", "sessions", "profiles", "daemon"):
            return
        store = self._store
        session = store.session_of(store.active_profile)
        is_connected = store.link == "connected"
        shown = (store.active_profile, session and session.pid, store.active_tab, is_connected)
        if is_connected and shown != self._shown:
            self._wanted.set()
        self._shown = shown


def _message(data: dict[str, Any]) -> ConsoleRow:
    source = _source(data.get("url"), data.get("line"))
    return ConsoleRow(0, data["type"], data["text"], data["time"], source, data.get("stack") or "")


def _request(data: dict[str, Any]) -> NetworkRow:
    return NetworkRow(
        number=0,
        index=data["index"],
        method=data["method"],
        url=data["url"],
        type=data["resourceType"],
        status=data.get("status"),
        failure=data.get("failure") or "",
        is_pending=bool(data.get("pending")),
        milliseconds=data.get("durationMs"),
    )


def _source(url: str | None, line: int | None) -> str:
    name = (url or "").partition("?")[0].rpartition("/")[2]
    return f"{name}:{line}" if name and line is not None else name
