"""The events of sessions, for one subscriber."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Any, Self

from pwtui.client.connection import DaemonConnection, DaemonGone, Event
from pwtui.client.link import DaemonLink
from pwtui.protocol.kinds import HAPPENINGS
from pwtui.runtime.caller import Caller

MAX_EVENTS = 50_000
"""More that were not read yet are dropped, and counted."""


class Subscription:
    """An iterator of events with a connection for itself; it ends when the daemon exits."""

    def __init__(self, link: DaemonLink, connection: DaemonConnection) -> None:
        self.state: dict[str, Any] = {}
        """The daemon's reply: the open sessions, and the number of the last event."""
        self._link = link
        self._connection = connection
        self._events: deque[Event] = deque()
        self._dropped = 0
        self._has_events = asyncio.Event()
        connection.on_event = self._receive

    @classmethod
    async def open(
        cls,
        name: str,
        caller: Caller,
        *,
        kinds: Sequence[str] = HAPPENINGS,
        session: str | None = None,
        profile: str | None = None,
    ) -> Self:
        """Subscribe; the daemon is started if none runs."""
        link = DaemonLink(name)
        connection = await link.connect(caller)
        if connection is None:
            raise DaemonGone
        subscription = cls(link, connection)
        try:
            subscription.state = await connection.control(
                "subscribe", kinds=list(kinds), session=session, profile=profile
            )
        except BaseException:
            await link.close()
            raise
        return subscription

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        while not self._events:
            if self._dropped:
                dropped, self._dropped = self._dropped, 0
                return {"event": "dropped", "count": dropped}
            self._has_events.clear()
            await self._has_events.wait()
        event = self._events.popleft()
        if event["event"] == "closed":
            raise StopAsyncIteration
        return event

    async def close(self) -> None:
        await self._link.close()

    def _receive(self, event: Event) -> None:
        if len(self._events) < MAX_EVENTS or event["event"] == "closed":
            self._events.append(event)
        else:
            self._dropped += 1
        self._has_events.set()
