"""What happens in each session, as far as the panel has seen it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pwtui.widgets.action_list import ActionRow

if TYPE_CHECKING:
    from pwtui.protocol.events import DroppedEvent, HoldEvent, ObservedEvent, SnapshotEvent
    from pwtui.protocol.models import SessionData

Owner = tuple[str, str]
"""A session for the panel: workspace and profile, or nothing and the key of a bound browser."""

CLOSE = "Close "
"""How Playwright names the calls after which a browser may exit."""
RATE_SECONDS = 60.0
_KEPT_ACTIONS = 500
_KEPT_SESSIONS = 500


def owner_of(session: SessionData) -> Owner:
    if session.origin == "pwtui" or session.profile:
        return session.workspace or "", session.profile or ""
    return "", session.session_key or f"{session.origin} {session.pid} {session.cdp_endpoint}"


@dataclass
class Activity:
    """What happened in a session, and what it is doing."""

    client: str = ""
    """Who acted last."""
    _running: dict[object, ActionRow] = field(default_factory=dict)
    last_at: float | None = None
    errors: int = 0
    held_by: str | None = None
    """Who paused it; empty if that is not known, None if it is not paused."""
    waiting: list[tuple[str, str]] = field(default_factory=list)
    """The clients and actions that are held."""
    dialog: str = ""
    snapshot: SnapshotEvent | None = None
    actions: deque[ActionRow] = field(default_factory=lambda: deque(maxlen=_KEPT_ACTIONS))

    @property
    def running(self) -> list[ActionRow]:
        return list(self._running.values())

    def began(self, id: object, action: str, client: str, at: float) -> None:
        row = self._running[id] = ActionRow(id, at, client, action)
        self.client, self.last_at = client, at
        self.actions.append(row)

    def ended(self, id: object, at: float, *, ok: bool) -> None:
        self.last_at = at
        self.errors += not ok
        if (row := self._running.pop(id, None)) is not None:
            done = row._replace(status="ok" if ok else "failed", seconds=at - row.at)
            for index in range(len(self.actions) - 1, -1, -1):
                if self.actions[index] is row:
                    self.actions[index] = done
                    break

    def rate(self, now: float) -> int:
        """The number of actions in the last minute."""
        return sum(1 for each in self.actions if each.at > now - RATE_SECONDS)


class Activities:
    """The activity of each session."""

    def __init__(self) -> None:
        self._known: dict[Owner, Activity] = {}

    def of(self, owner: Owner) -> Activity:
        known = self._known.get(owner)
        if known is None:
            if len(self._known) >= _KEPT_SESSIONS:
                del self._known[next(iter(self._known))]
            known = self._known[owner] = Activity()
        return known

    def clear(self) -> None:
        self._known.clear()

    def paused(self) -> list[Activity]:
        return [each for each in self._known.values() if each.held_by is not None]

    def receive(self, event: ObservedEvent | DroppedEvent) -> tuple[str, str] | None:
        """Take an event of any session; what a notice is about, and its text or nothing."""
        if event.event == "dropped":
            return None
        owner = (event.workspace or "", event.profile) if event.profile else ("", event.session_key)
        activity, who = self.of(owner), event.profile or event.client or "a session"
        if event.event == "pageError":
            activity.errors += 1
        elif event.event == "snapshot":
            activity.snapshot = event
        elif event.event == "call" and event.status == "running":
            activity.began(event.call, event.title, event.tool, event.time)
        elif event.event == "call":
            activity.ended(event.call, event.time, ok=event.status == "success")
        elif event.event == "dialog":
            opened = event.dialog if event.change == "opened" else None
            activity.dialog = opened.type if opened else ""
        elif event.event == "hold":
            return _hold(activity, event, who)
        elif event.event == "browser" and event.how == "exited" and not event.profile:
            if not activity.running or activity.running[0].action.startswith(CLOSE):
                return None  # programs close their browsers all the time
            text = f"the browser of {who} has exited during {activity.running[0].action}"
            return f"end of {who}", text
        return None


def _hold(activity: Activity, event: HoldEvent, who: str) -> tuple[str, str] | None:
    held = (event.client or who, event.action or "")
    if event.change == "began":
        activity.held_by = event.by or ""
        return f"pause of {who}", f"{who} is paused{f' by {event.by}' if event.by else ''}"
    if event.change == "ended":
        activity.held_by, activity.waiting = None, []
        return f"pause of {who}", f"{who} is resumed: {event.reason}" if event.reason else ""
    if event.change == "held":
        if activity.held_by is None:
            activity.held_by = ""
        activity.waiting.append(held)
    elif held in activity.waiting:
        activity.waiting.remove(held)
    return None
