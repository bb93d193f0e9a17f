"""When the panel looks at the page: after changes, when nobody else is at work."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from pwtui.app.store import DialogView, PageView, SnapshotView, Store
from pwtui.protocol.envelope import Request, Response, RuntimeBlock
from pwtui.protocol.snapshot import parse

QUIET_SECONDS = 0.15
Send = Callable[[Request], Awaitable[Response]]


def look_request(op: str, profile: str, /, **input: object) -> Request:
    return Request(op=op, input=dict(input), runtime=RuntimeBlock(profile=profile))


class SnapshotKeeper:
    """Keeps the store's snapshot fresh.

    It waits for a moment without changes and for an idle session, so that it never delays a request
    of anybody; a request that comes while it looks makes it stop and look again later. Only whole
    snapshots are taken: a partial one would end the life of all other refs.
    """

    def __init__(self, store: Store, send: Send) -> None:
        self._store = store
        self._send = send
        self._wanted = asyncio.Event()
        self._idle = asyncio.Event()
        self._taking: asyncio.Future[Response] | None = None

    def request(self) -> None:
        """Something changed: look soon."""
        self._store.mark_snapshot_stale()
        self._wanted.set()

    def make_way(self, profile: str) -> None:
        """Somebody works in this profile now."""
        if profile == self._store.active_profile and self._taking is not None:
            self._taking.cancel()
            self._wanted.set()

    def someone_finished(self) -> None:
        self._idle.set()

    async def run(self) -> None:
        while True:
            await self._wanted.wait()
            await self._quiet()
            await self._take()

    async def _quiet(self) -> None:
        """Until no more changes come and nobody works in the profile."""
        while True:
            self._wanted.clear()
            await asyncio.sleep(QUIET_SECONDS)
            if self._wanted.is_set():
                continue
            if not self._store.is_busy(self._store.active_profile):
                return
            self._idle.clear()
            await self._idle.wait()

    async def _take(self) -> None:
        store = self._store
        profile = store.active_profile
        if store.link != "connected":
            return
        self._taking = asyncio.ensure_future(
            self._send(look_request("page.aria", profile, tree=False))
        )
        try:
            response = await self._taking
            tabs = await self._send(look_request("tabs.list", profile))
        except asyncio.CancelledError:
            if self._taking is not None and self._taking.cancelled():
                return
            raise
        finally:
            self._taking = None
        if profile == store.active_profile:
            self._show(response, tabs)

    def _show(self, response: Response, tabs: Response) -> None:
        store = self._store
        store.set_page(PageView(tabs=(tabs.data or {}).get("tabs", [])))
        details = response.error.details or {} if response.error else {}
        if dialog := details.get("dialog"):
            store.open_dialog(store.active_profile, dialog_view(dialog, details["tab"]))
        elif response.ok and store.page.active_tab is not None:
            store.close_dialog(store.active_profile, store.page.active_tab)
        data = response.data
        if data is None:
            view = replace(store.snapshot, is_stale=store.snapshot.tree is not None)
            view.problem = str(response.error) if response.error else "no snapshot"
            view.nothing_open = details.get("cause") == "nothingOpen"
            store.set_snapshot(view)
            return
        store.set_snapshot(
            SnapshotView(
                tree=parse(data["snapshot"]),
                url=data["url"],
                title=data["title"],
                taken_at=time.time(),
            )
        )


def dialog_view(dialog: dict[str, Any], tab: int) -> DialogView:
    """A dialog as the daemon describes it."""
    default = str(dialog.get("defaultValue") or "")
    return DialogView(dialog["type"], dialog["message"], default, tab, time.time())
