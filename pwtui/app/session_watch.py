"""Follows all sessions of the machine, those of other programs among them."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from pwtui.app.store import Store, StorePart
from pwtui.client.link import DaemonLink
from pwtui.protocol.errors import PwError
from pwtui.protocol.events import read_event
from pwtui.runtime.caller import Caller

KINDS = ("pageError", "dialog", "browser", "call", "hold")
NAME = "pwtui watch"
RETRY_SECONDS = 1.0


class SessionWatch:
    """Has a connection for itself: the panel's own is for the session that is shown."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._link = DaemonLink(NAME)
        self._shows_trees = 0
        self._is_connected = asyncio.Event()
        store.listeners.append(self._changed)

    async def run(self, caller: Caller) -> None:
        try:
            with self._link.listening(self._receive, None):
                while True:
                    await self._is_connected.wait()
                    with suppress(PwError, OSError):
                        connection = await self._link.connect(caller, start=False)
                        if connection is not None:
                            await self._observe()
                            await connection.closed()
                    await asyncio.sleep(RETRY_SECONDS)
        finally:
            await self._link.close()

    async def show_trees(self, wanted: bool) -> None:
        """Follow the trees of all sessions as well, until it is not wanted any more."""
        self._shows_trees += 1 if wanted else -1
        with suppress(PwError):
            await self._observe()

    async def _observe(self) -> None:
        kinds = (*KINDS, "snapshot") if self._shows_trees > 0 else KINDS
        await self._link.observe(kinds, None)

    def _receive(self, wire: dict[str, Any]) -> None:
        event = read_event(wire)
        if event is not None:
            self._store.observed(event)

    def _changed(self, part: StorePart) -> None:
        if part == "daemon":
            if self._store.link == "connected":
                self._is_connected.set()
            else:
                self._is_connected.clear()
