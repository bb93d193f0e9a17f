"""The observers of all sessions of a process, and their subscribers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

from pwtui.browser.session.observer import Deliver, Observer
from pwtui.protocol.events import FrameLimits

MAX_COLLECTED = 1000


@dataclass(frozen=True)
class Wanted:
    """The kinds of events that a subscriber wants: of all sessions, and of single ones."""

    kinds: frozenset[str] = frozenset()
    of_session: Mapping[str, frozenset[str]] = field(default_factory=dict)
    frames: FrameLimits | None = None

    def of(self, session_key: str) -> frozenset[str]:
        return self.kinds | self.of_session.get(session_key, frozenset())


class Observers:
    """Lets each observer publish what at least one subscriber wants."""

    def __init__(self) -> None:
        self._observers: WeakSet[Observer] = WeakSet()
        self._subscribers: dict[Deliver, Wanted] = {}

    def new(self, place: Mapping[str, Any]) -> Observer:
        """The observer of a new session; `place` has the fields that identify it."""
        observer = Observer(place, self._deliver)
        self._observers.add(observer)
        observer.watch(self.kinds_of(observer.session_key), self._frame_limits())
        return observer

    def subscribe(self, deliver: Deliver, wanted: Wanted) -> None:
        """Deliver these events from now on, in place of those that it wanted before."""
        self._subscribers[deliver] = wanted
        self._update()

    def unsubscribe(self, deliver: Deliver) -> None:
        self._subscribers.pop(deliver, None)
        self._update()

    def repeat(self, wanted: Wanted) -> None:
        """Publish the newest states again, for a new subscriber that wants these."""
        for each in list(self._observers):
            each.repeat(wanted.of(each.session_key))

    def acknowledge(self, session_key: str) -> None:
        """A subscriber can take another frame of a session."""
        for each in list(self._observers):
            if each.session_key == session_key and each.frames is not None:
                each.frames.acknowledge()

    @contextmanager
    def collecting(self, kinds: frozenset[str], profile: str) -> Iterator[list[dict[str, Any]]]:
        """The first events of a profile's sessions, as they happen; those after are counted."""
        events: list[dict[str, Any]] = []
        dropped: dict[str, Any] = {"event": "dropped", "count": 0}

        def deliver(kind: str, event: dict[str, Any]) -> None:
            if event.get("profile") != profile:
                return
            if len(events) < MAX_COLLECTED:
                events.append(event)
                return
            if not dropped["count"]:
                events.append(dropped)
            dropped["count"] += 1

        self.subscribe(deliver, Wanted(kinds))
        try:
            yield events
        finally:
            self.unsubscribe(deliver)

    async def settled(self) -> None:
        """Wait until everything that has happened is published."""
        await asyncio.gather(*(each.settled() for each in list(self._observers)))

    def kinds_of(self, session_key: str) -> frozenset[str]:
        return frozenset[str]().union(
            *(each.of(session_key) for each in self._subscribers.values())
        )

    def _deliver(self, kind: str, event: dict[str, Any]) -> None:
        for deliver, wanted in list(self._subscribers.items()):
            if kind in wanted.of(event["sessionKey"]):
                deliver(kind, event)

    def _update(self) -> None:
        for each in list(self._observers):
            if not each.has_ended:
                each.watch(self.kinds_of(each.session_key), self._frame_limits())

    def _frame_limits(self) -> FrameLimits | None:
        wanted = self._subscribers.values()
        return FrameLimits.largest(each.frames for each in wanted if each.frames)
