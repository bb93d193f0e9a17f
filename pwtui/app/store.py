"""What the panel knows: plain data with one writer, and a signal for each part."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from pwtui.app.signals import Signal
from pwtui.client.connection import DaemonGone
from pwtui.protocol.daemon import DaemonData
from pwtui.protocol.envelope import Response
from pwtui.protocol.snapshot import SnapshotTree
from pwtui.widgets.log_entry import LogEntry
from pwtui.widgets.log_store import LogStore

Part = Literal["profiles", "sessions", "daemon", "snapshot", "running", "recording", "page"]
LinkState = Literal["connecting", "connected", "gone", "stopped"]

RATE_SECONDS = 60
KEPT_ENTRIES = 100_000


@dataclass
class ProfileView:
    """A profile as the list shows it."""

    name: str
    browser: str
    is_stale: bool = False
    is_corrupt: bool = False
    uses_daemon: bool = True
    endpoint: str | None = None
    """Where its requests go instead of to a browser that we start."""


@dataclass
class SnapshotView:
    """The newest snapshot of the active profile's page."""

    tree: SnapshotTree | None = None
    url: str = ""
    title: str = ""
    taken_at: float | None = None
    is_stale: bool = False
    is_taking: bool = False
    problem: str = ""
    nothing_open: bool = False


@dataclass
class RunningView:
    """A request that has no response yet; `seq` is the daemon's number, or the id of our own."""

    seq: int | str
    source: str
    op: str
    profile: str
    client: str
    started: float


@dataclass
class PageView:
    """The active profile's page, as its tabs tell it."""

    tabs: list[dict[str, Any]] = field(default_factory=list)

    @property
    def active_tab(self) -> int | None:
        return next((each["index"] for each in self.tabs if each.get("active")), None)


@dataclass(frozen=True)
class DialogView:
    """A dialog that blocks a page; `default` is what a prompt suggests."""

    kind: str
    message: str
    default: str
    tab: int
    opened: float


@dataclass(frozen=True)
class EndedView:
    """A browser that ended by itself, and its session as it was last known."""

    at: float
    session: dict[str, Any] | None


class Store:
    """Everything the widgets show. Only its methods change it."""

    def __init__(self, profile: str, workspace: str) -> None:
        self.workspace = workspace
        self.changed: Signal[Part] = Signal()
        self.active_profile = profile
        self.profiles: list[ProfileView] = []
        self.own_sessions: list[dict[str, Any]] | None = None
        """None is what is not known yet."""
        self.other_sessions: list[dict[str, Any]] = []
        self.dialogs: dict[str, DialogView] = {}
        """By profile, of this workspace."""
        self.ended: dict[str, EndedView] = {}
        self._closed: set[str] = set()
        self.daemon: DaemonData | None = None
        self.daemon_at: float | None = None
        self.link: LinkState = "connecting"
        self.link_problem = ""
        self.snapshot = SnapshotView()
        self.page = PageView()
        self.running: dict[int, RunningView] = {}
        self.log = LogStore(KEPT_ENTRIES)
        self.last_request: dict[str, LogEntry] = {}
        self.daemon_log: list[str] = []
        self.recording_path: str | None = None
        self.recorded = 0
        self._arrivals: Counter[int] = Counter()
        # A daemon that starts again counts from one again; our numbers are never used twice.
        self._numbers = itertools.count(1)
        self._number_of: dict[tuple[str, int | str], int] = {}

    def activate_profile(self, name: str) -> None:
        if name != self.active_profile:
            self.active_profile = name
            self.snapshot = SnapshotView()
            self.page = PageView()
            self._emit("profiles", "sessions", "snapshot", "page")

    def set_profiles(self, profiles: list[ProfileView]) -> None:
        if profiles != self.profiles:
            self.profiles = profiles
            self._emit("profiles")

    @property
    def sessions(self) -> list[dict[str, Any]]:
        return [*(self.own_sessions or ()), *self.other_sessions]

    def set_own_sessions(self, sessions: list[dict[str, Any]] | None) -> None:
        if sessions == self.own_sessions:
            return
        if sessions is not None:
            # A browser whose driver died sends no event.
            for profile in self._profiles_in(self.own_sessions) - self._profiles_in(sessions):
                if profile not in self._closed:
                    self.session_closed(profile, unexpected=True)
        self.own_sessions = sessions
        self._emit("sessions", "profiles")

    def _profiles_in(self, sessions: list[dict[str, Any]] | None) -> set[str]:
        return {str(each["profile"]) for each in sessions or () if self.is_here(each)}

    def set_other_sessions(self, sessions: list[dict[str, Any]]) -> None:
        if sessions != self.other_sessions:
            self.other_sessions = sessions
            self._emit("sessions")

    def open_dialog(self, profile: str, dialog: DialogView) -> None:
        known = self.dialogs.get(profile)
        if known is None or (known.message, known.tab) != (dialog.message, dialog.tab):
            self.dialogs[profile] = dialog
            self.note(profile, "dialog", f'{dialog.kind} "{dialog.message}"')
            self._emit("page", "sessions")

    def close_dialog(self, profile: str, tab: int | None = None) -> None:
        """The dialog of a tab, or whatever dialog there was."""
        known = self.dialogs.get(profile)
        if known is not None and tab in (None, known.tab):
            del self.dialogs[profile]
            self._emit("page", "sessions")

    def session_opened(self, profile: str) -> None:
        self.ended.pop(profile, None)
        self._closed.discard(profile)
        self._emit("sessions", "page")

    def session_closed(self, profile: str, *, unexpected: bool) -> None:
        self.close_dialog(profile)
        self._closed.add(profile)
        if unexpected:
            self.ended[profile] = EndedView(time.time(), self.session_of(profile))
            self.note(profile, "browser", "ended by itself: it crashed or was killed", ok=False)
        if profile == self.active_profile:
            self.mark_snapshot_stale()
        self._emit("sessions", "page")

    def note(self, profile: str, what: str, said: str, *, ok: bool = True) -> None:
        """Put into the log what no request has caused."""
        entry = LogEntry.event(next(self._numbers), time.time(), profile, what, said, ok=ok)
        self.log.add([entry])

    def set_daemon(self, daemon: DaemonData | None) -> None:
        if daemon is not None:
            self.daemon_at = time.time()
            self.daemon = daemon
        self._emit("daemon")

    def set_link(self, state: LinkState, problem: str = "") -> None:
        self.link, self.link_problem = state, problem
        if state != "connected":
            self.snapshot.is_stale = self.snapshot.tree is not None
            self.dialogs.clear()
            self.set_own_sessions(None)
        self._emit("daemon", "running", "snapshot")

    def set_page(self, page: PageView) -> None:
        self.page = page
        self._emit("page")

    def set_snapshot(self, snapshot: SnapshotView) -> None:
        self.snapshot = snapshot
        self._emit("snapshot")

    def mark_snapshot_stale(self) -> None:
        if self.snapshot.tree is not None and not self.snapshot.is_stale:
            self.snapshot.is_stale = True
            self._emit("snapshot")

    def set_recording(self, path: str | None) -> None:
        self.recording_path = path
        self.recorded = 0
        self._emit("recording")

    def count_recorded(self) -> None:
        self.recorded += 1
        self._emit("recording")

    def begin(self, event: dict[str, Any]) -> None:
        """A request of some client was sent."""
        now = time.time()
        profile = profile_of(event)
        request = event["request"]
        seq = next(self._numbers)
        self._number_of[event["source"], event["seq"]] = seq
        entry = LogEntry(
            seq=seq,
            time=event["time"],
            client=event["client"]["name"],
            profile=profile,
            op=request["op"],
            request=request,
            response=None,
        )
        self._count_arrival(int(now))
        self.log.add([entry])
        self.last_request[profile] = entry
        self.running[seq] = RunningView(
            event["seq"],
            event["source"],
            entry.op,
            profile,
            entry.client,
            now,
        )
        self._emit("running")

    def finish(self, event: dict[str, Any]) -> LogEntry | None:
        """It was answered; the request comes again, now with its secrets masked."""
        seq = self._number_of.pop((event["source"], event["seq"]), None)
        if seq is None:
            return self._finish_older(event)
        self.running.pop(seq, None)
        entry = self.log.finish(seq, event["request"], event["response"])
        if entry is not None:
            entry.recorded = self.recording_path is not None
        self._emit("running")
        return entry

    def _finish_older(self, event: dict[str, Any]) -> LogEntry:
        """It was sent before the panel came."""
        entry = LogEntry.from_event({**event, "seq": next(self._numbers)})
        entry.profile = profile_of(event)
        entry.recorded = self.recording_path is not None
        self.log.add([entry])
        return entry

    def lose(self, source: str) -> None:
        """A daemon went away with its requests; nobody will ever answer them."""
        for seq, running in list(self.running.items()):
            if running.source == source:
                del self.running[seq], self._number_of[source, running.seq]
                if (begun := self.log.known(seq)) is not None:
                    failure = Response.failure(running.op, DaemonGone())
                    self.log.finish(seq, begun.request, failure.to_wire())
        self._emit("running")

    def is_busy(self, profile: str) -> bool:
        return any(each.profile == profile for each in self.running.values())

    def is_here(self, session: dict[str, Any]) -> bool:
        """Whether a session is of this workspace; others have profiles of the same names."""
        return bool(session.get("profile")) and session.get("workspace") == self.workspace

    def session_of(self, profile: str) -> dict[str, Any] | None:
        """The session that requests of a profile go to; one that was left may still run."""
        here = [s for s in self.sessions if self.is_here(s) and s["profile"] == profile]
        view = next((each for each in self.profiles if each.name == profile), None)
        if view is not None and view.endpoint is not None:
            return next((s for s in here if s.get("cdpEndpoint") == view.endpoint), None)
        return next(iter(sorted(here, key=lambda s: bool(s.get("attached")))), None)

    def rates(self, seconds: int = RATE_SECONDS) -> list[int]:
        """Requests in each of the last seconds, the newest last."""
        now = int(time.time())
        return [self._arrivals[second] for second in range(now - seconds + 1, now + 1)]

    def _count_arrival(self, second: int) -> None:
        self._arrivals[second] += 1
        if len(self._arrivals) > 2 * RATE_SECONDS:
            recent = {at: n for at, n in self._arrivals.items() if at > second - RATE_SECONDS}
            self._arrivals = Counter(recent)

    def _emit(self, *parts: Part) -> None:
        for part in parts:
            self.changed.emit(part)


def profile_of(event: dict[str, Any]) -> str:
    """The profile that a request ran in, as far as its event tells."""
    runtime = (event.get("response") or {}).get("effectiveRuntime") or {}
    return str(runtime.get("profile") or event.get("profile") or "default")
