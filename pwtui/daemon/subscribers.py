"""The clients that subscribed to events, and what each of them gets."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pwtui.daemon.filters import EventFilter, is_narrower
from pwtui.daemon.worker_link import Dropped
from pwtui.protocol.secrets import masked

if TYPE_CHECKING:
    from pwtui.daemon.connection import Connection


class Subscribers:
    """Sends events to those who want them; connections that want none cost nothing."""

    def __init__(self) -> None:
        self.event_seq = 0
        """The number of the last event; it also grows when events are not wanted any more."""
        self._connections: set[Connection] = set()

    @property
    def filters(self) -> set[EventFilter]:
        return {each.filter for each in self._connections if each.filter.kinds}

    def change(self, connection: Connection, events: frozenset[str], filter: EventFilter) -> bool:
        """Send a client these events, in place of those before.

        Returns whether other events of sessions are wanted now.
        """
        before = self.filters
        connection.subscriptions, connection.filter = events, filter
        if events or filter.kinds:
            self._connections.add(connection)
        else:
            self._connections.discard(connection)
        after = self.filters
        self.event_seq += is_narrower(before, after)
        return before != after

    def have(self, kind: str, sender: Connection | None) -> bool:
        """Whether others than the sender of a request want its events of this kind."""
        return any(kind in each.subscriptions and each is not sender for each in self._connections)

    def want(self, bound_key: str | None) -> bool:
        """Whether events of a bound browser are wanted; without a key, of any."""
        if bound_key is not None:
            return any(each.concerns(bound_key) for each in self.filters)
        return any(each.may_be_bound for each in self.filters)

    def publish(
        self,
        kind: str,
        event: dict[str, Any],
        sender: Connection | None = None,
        envelopes: Callable[[], bytes] = bytes,
    ) -> None:
        """Send an event, except to the sender of a request.

        Envelopes are members of the event in JSON.
        """
        if not self.have(kind, sender):
            return
        self.event_seq += 1
        numbered = {"event": kind, "eventSeq": self.event_seq, **masked(event)}
        text = json.dumps(numbered, ensure_ascii=False)
        data = text.encode("utf-8", "replace")
        if more := envelopes():
            data = data[:-1] + b", " + more[1:]
        for each in self._connections:
            if kind in each.subscriptions and each is not sender:
                each.outbox.event(data + b"\n")

    def publish_observed(self, kind: str, session_key: str, data: bytes) -> None:
        """Send an event of a session; `data` is JSON, and masked."""
        wanting = [each for each in self._connections if each.filter.matches(kind, session_key)]
        if wanting:
            self.event_seq += 1
            line = b'{"eventSeq": %d, %b\n' % (self.event_seq, data[1:])
            for each in wanting:
                if kind == "frame":
                    each.frames.put(session_key, line)
                else:
                    each.outbox.event(line)

    def publish_dropped(self, counts: Dropped) -> None:
        """Send each client the number of events that a worker could not send."""
        for each in self._connections:
            matching = [count for kind, key, count in counts if each.filter.matches(kind, key)]
            each.outbox.note_dropped(sum(matching))
