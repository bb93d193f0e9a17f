"""Takes snapshots of the page after changes, while its session is idle."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import replace
from typing import Protocol

from pwtui.app.store import DialogView, SnapshotView, Store
from pwtui.protocol.envelope import Response
from pwtui.protocol.models import AriaData, DialogInfo, TabsData, read
from pwtui.protocol.snapshot_update import update_snapshot

QUIET_SECONDS = 0.15


class Ask(Protocol):
    def __call__(self, op: str, /, **input: object) -> Awaitable[Response]: ...


class SnapshotKeeper:
    """Keeps the store's snapshot current.

    It waits until there are no changes and the session is idle, so that it delays no request. A
    request that arrives meanwhile cancels the snapshot, which is taken again later. Only complete
    snapshots are taken: a partial one would invalidate all other refs.
    """

    def __init__(self, store: Store, ask: Ask) -> None:
        self._store = store
        self._ask = ask
        self._wanted = asyncio.Event()
        self._idle = asyncio.Event()
        self._taking: asyncio.Future[Response] | None = None
        self._tabs_wanted = asyncio.Event()

    def request(self) -> None:
        """The page may have changed: take a snapshot soon."""
        self._store.mark_snapshot_stale()
        self._wanted.set()

    def request_tabs(self) -> None:
        """The tabs may have changed."""
        self._tabs_wanted.set()

    async def keep_tabs(self) -> None:
        while True:
            await self._tabs_wanted.wait()
            self._tabs_wanted.clear()
            profile = self._store.active_profile
            tabs = await self._ask("tabs.list")
            if profile == self._store.active_profile and tabs.data is not None:
                self._store.page.set_tabs(read(TabsData, tabs.data).tabs)

    def yield_to(self, profile: str) -> None:
        """A request started in this profile: cancel the snapshot."""
        if profile == self._store.active_profile and self._taking is not None:
            self._taking.cancel()
            self._wanted.set()

    def request_finished(self) -> None:
        self._idle.set()

    async def run(self) -> None:
        while True:
            await self._wanted.wait()
            await self._wait_until_quiet()
            await self._take()

    async def _wait_until_quiet(self) -> None:
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
        profile, started = store.active_profile, time.time()
        if store.link != "connected":
            return
        self._taking = asyncio.ensure_future(self._ask("page.aria", tree=False))
        try:
            response = await self._taking
            tabs = await self._ask("tabs.list")
        except asyncio.CancelledError:
            # Cancelled by `yield_to`, unless this task itself was cancelled.
            this = asyncio.current_task()
            if this is not None and this.cancelling():
                raise
            return
        finally:
            self._taking = None
        if profile == store.active_profile:
            store.page.set_tabs(read(TabsData, tabs.data).tabs if tabs.data is not None else [])
            # The event of a later change may be here before the reply is read.
            if not (store.snapshot.is_live and (store.snapshot.taken_at or 0.0) > started):
                self._show(response)

    def _show(self, response: Response) -> None:
        store = self._store
        details = response.error.details or {} if response.error else {}
        if dialog := details.get("dialog"):
            view = DialogView(read(DialogInfo, dialog), details["tab"])
            store.open_dialog(store.active_profile, view)
        elif response.ok and store.page.active_tab is not None:
            store.close_dialog(store.active_profile, store.page.active_tab)
        if response.data is None:
            failed = replace(store.snapshot, is_stale=store.snapshot.tree is not None)
            failed.problem = str(response.error) if response.error else "no snapshot"
            failed.nothing_open = details.get("cause") == "nothingOpen"
            store.set_snapshot(failed)
            return
        aria = read(AriaData, response.data)
        tree = update_snapshot(store.snapshot.tree, aria.snapshot)
        is_live = store.snapshot.is_live and store.snapshot.url == aria.url
        store.set_snapshot(SnapshotView(tree, aria.url, aria.title, time.time(), is_live=is_live))
