"""The state of the panel: plain data with one writer, and listeners for its changes."""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pwtui.app.activity import Activities, Activity, Owner, owner_of
from pwtui.app.earlier import EarlierLog
from pwtui.app.notices import Notices
from pwtui.app.page_state import PageState, PictureView
from pwtui.protocol.catalog import Effect, catalog
from pwtui.protocol.snapshot import SnapshotTree
from pwtui.widgets.console_list import ConsoleLog, ConsoleRow
from pwtui.widgets.log_entry import LogEntry, call_on_wire
from pwtui.widgets.log_store import LogStore
from pwtui.widgets.network_list import NetworkLog, NetworkRow
from pwtui.widgets.text import cut

if TYPE_CHECKING:
    from pwtui.protocol.daemon import DaemonData
    from pwtui.protocol.events import CallEvent, DroppedEvent, ObservedEvent
    from pwtui.protocol.models import DialogInfo, RequestEvent, SessionData

StorePart = Literal[
    "profiles",
    "sessions",
    "daemon",
    "snapshot",
    "running",
    "recording",
    "past",
    "page",
    "console",
    "network",
    "notices",
    "storage",
    "picture",
]
LinkState = Literal["connecting", "connected", "gone", "stopped"]

OWN = "pwtui"
"""The source of this panel's own requests."""
RATE_SECONDS = 60
KEPT_ENTRIES = 20_000
"""Older ones are read from the history."""
NEWEST_ENTRIES, CAUSE_SECONDS, LONGEST_TARGET = 100, 1.0, 40
"""Where the cause of something is searched, and how long after its end it can be one."""


@dataclass
class ProfileView:
    """A profile of the workspace."""

    name: str
    browser: str
    is_stale: bool = False
    is_corrupt: bool = False
    uses_daemon: bool = True
    endpoint: str | None = None
    """The browser that it is attached to; without, pwtui starts one."""


@dataclass
class SnapshotView:
    """The latest snapshot of the active profile's page."""

    tree: SnapshotTree | None = None
    url: str = ""
    title: str = ""
    taken_at: float | None = None
    is_stale: bool = False
    is_live: bool = False
    """The daemon sends another one when the page changes."""
    problem: str = ""
    nothing_open: bool = False


@dataclass(frozen=True)
class PastView:
    """How the page was after a request, as the history has it."""

    entry: LogEntry
    snapshot: SnapshotView
    before: SnapshotTree | None = None
    """The tree before this one."""
    picture: PictureView | None = None
    console: list[ConsoleRow] = field(default_factory=list)
    network: list[NetworkRow] = field(default_factory=list)
    is_exact: bool = False
    """The tree was recorded after this very request."""


@dataclass
class RunningView:
    """A running request; `seq` is the daemon's number, or the request id of the panel's own."""

    seq: int | str
    source: str
    started: float
    entry: LogEntry

    @property
    def op(self) -> str:
        return self.entry.op

    @property
    def profile(self) -> str:
        return self.entry.profile


@dataclass(frozen=True)
class DialogView:
    """A dialog that blocks a page."""

    info: DialogInfo
    tab: int
    opened: float = field(default_factory=time.time)


class EndedView(NamedTuple):
    """A browser that exited by itself, and the last known data of its session."""

    at: float
    session: SessionData | None


class Store:
    """Everything that the widgets show. Only its methods change it."""

    def __init__(self, profile: str, workspace: str) -> None:
        self.workspace = workspace
        self.listeners: list[Callable[[StorePart], object]] = []
        """Called with each part that changed."""
        self.active_profile = profile
        self.profiles: list[ProfileView] = []
        self.own_sessions: list[SessionData] | None = None
        """None until the daemon has answered."""
        self.other_sessions: list[SessionData] = []
        self.activities = Activities()
        self._calls: dict[tuple[str, int], int] = {}
        """The log entries of running calls of other programs, by session and number."""
        self.notices = Notices(self._emit)
        self.is_read_only = False
        """Nothing acts from this panel."""
        self.control_profile = profile
        """The profile that the user works in; another one is only viewed."""
        self.dialogs: dict[str, DialogView] = {}
        """By profile of this workspace."""
        self.ended: dict[str, EndedView] = {}
        self._closed: set[str] = set()
        self._lost: list[SessionData] = []
        self._has_restarted = False
        """The daemon exited by itself; what was lost is known with the next list."""
        self.daemon: DaemonData | None = None
        self.daemon_at: float | None = None
        self.daemon_log: list[str] = []
        self.link: LinkState = "connecting"
        self.is_behind = True
        """What others do, or did while no daemon was connected, is not all known."""
        self.link_problem = ""
        self.snapshot = SnapshotView()
        self.page = PageState(self._emit)
        """Of the active profile."""
        self.console = ConsoleLog()
        """Of the active tab, as `network`."""
        self.network = NetworkLog()
        self.earlier = EarlierLog(workspace, OWN)
        self.past: PastView | None = None
        """The moment that is shown in place of now."""
        self.log = LogStore(KEPT_ENTRIES, self.earlier)
        self.running: dict[int, RunningView] = {}
        """By the number of their log entry."""
        self._elsewhere: dict[tuple[str, int | str], LogEntry] = {}
        """The running requests of other workspaces."""
        self._places: dict[str, str] = {}
        """The URL of each profile's page."""
        self.recording_path: str | None = None
        self.recorded = 0
        self._arrivals: Counter[int] = Counter()
        # A restarted daemon counts from one again; these numbers are unique.
        self._numbers = itertools.count(1)

    # -- profiles and sessions -------------------------------------------------------------------

    @property
    def is_viewing(self) -> bool:
        """Whether the shown profile is only viewed: nothing acts in it from this panel."""
        return self.active_profile != self.control_profile

    def set_read_only(self, wanted: bool) -> None:
        self.is_read_only = wanted
        self._emit("sessions", "page", "profiles")

    def take_control(self) -> None:
        """Act in the profile that was only viewed."""
        self.control_profile = self.active_profile
        self._emit("sessions", "page", "profiles")

    def activity_of(self, session: SessionData) -> Activity:
        return self.activities.of(owner_of(session))

    def observed(self, event: ObservedEvent | DroppedEvent) -> None:
        """An event of any session."""
        is_here = event.event == "dropped" or event.workspace in (None, self.workspace)
        if notice := self.activities.receive(event):
            self.notices.add(notice[1], about=notice[0], is_bad=False)
        if event.event == "call" and is_here:
            self._log_call(event)
        elif event.event == "unseen" and event.client and is_here:
            self.note(event.client, "unseen", f"{event.kind} events: {event.reason}")
        elif event.event == "browser":
            self._fail_calls(event.session_key)
        self._emit("sessions")

    def elsewhere(self, owner: Owner, event: RequestEvent) -> None:
        """A request in another workspace has started or ended."""
        activity, response = self.activities.of(owner), event.response
        if response is None:
            activity.began(event.seq, str(event.request["op"]), event.client.name, event.time)
        else:
            activity.ended(event.seq, time.time(), ok=bool(response.get("ok")))
        self._emit("sessions")

    def activate_profile(self, name: str, *, view_only: bool = False) -> None:
        """Show a profile; its session is only viewed, or the user works in it from now on."""
        if not view_only and self.control_profile != name:
            self.control_profile = name
            self._emit("sessions", "page", "profiles")
        if name != self.active_profile:
            self.active_profile = name
            self.snapshot = SnapshotView()
            self.page.forget()
            self.set_inspected([], [])
            self._emit("profiles", "sessions", "snapshot", "page")

    def set_profiles(self, profiles: list[ProfileView]) -> None:
        if profiles != self.profiles:
            self.profiles = profiles
            self._emit("profiles")

    @property
    def sessions(self) -> list[SessionData]:
        return [*(self.own_sessions or ()), *self.other_sessions]

    def set_own_sessions(self, sessions: list[SessionData] | None) -> None:
        if sessions == self.own_sessions:
            return
        if sessions is not None:
            # A browser whose driver was killed sends no event.
            for profile in self._profiles_in(self.own_sessions) - self._profiles_in(sessions):
                if profile not in self._closed:
                    self.session_closed(profile, unexpected=True)
        self.own_sessions = sessions
        if sessions is not None and self._has_restarted:
            self._report_restart(sessions)
        self._emit("sessions", "profiles")

    def _report_restart(self, sessions: list[SessionData]) -> None:
        self._has_restarted = False
        kept = {session.session_key for session in sessions}
        lost = [each for each in self._lost if each.session_key not in kept]
        for each in filter(self.is_here, lost):
            self._closed.add(each.profile or "")
            self.ended[each.profile or ""] = EndedView(time.time(), each)
        names = [
            each.title
            if self.is_here(each)
            else f"{PurePath(each.workspace or '').name}:{each.title}"
            for each in lost
        ]
        what = f"lost sessions: {', '.join(names)}" if lost else "no session was lost"
        self.notices.add(f"the daemon exited and was started again; {what}", is_bad=bool(lost))

    def _profiles_in(self, sessions: list[SessionData] | None) -> set[str]:
        return {session.profile or "" for session in sessions or () if self.is_here(session)}

    def set_other_sessions(self, sessions: list[SessionData]) -> None:
        if sessions != self.other_sessions:
            self.other_sessions = sessions
            self._emit("sessions")

    def is_here(self, session: SessionData) -> bool:
        """Whether a session belongs to this workspace; others may use the same profile names."""
        return bool(session.profile) and session.workspace == self.workspace

    def session_of(self, profile: str) -> SessionData | None:
        """The session that a profile's requests go to; an earlier one may still be running."""
        here = [s for s in self.sessions if self.is_here(s) and s.profile == profile]
        view = next((each for each in self.profiles if each.name == profile), None)
        if view is not None and view.endpoint is not None:
            return next((s for s in here if s.cdp_endpoint == view.endpoint), None)
        return next(iter(sorted(here, key=lambda s: s.attached)), None)

    def session_opened(self, profile: str) -> None:
        self.ended.pop(profile, None)
        self._closed.discard(profile)
        self._emit("sessions", "page")

    def session_closed(self, profile: str, *, unexpected: bool) -> None:
        self.close_dialog(profile)
        self._closed.add(profile)
        if unexpected:
            self.ended[profile] = EndedView(time.time(), self.session_of(profile))
            self.note(profile, "browser", "exited unexpectedly: it crashed or was killed", ok=False)
            self.notices.add(f"the browser of {profile} exited unexpectedly")
        if profile == self.active_profile:
            self.mark_snapshot_stale()
        self._emit("sessions", "page")

    # -- the page --------------------------------------------------------------------------------

    def open_dialog(self, profile: str, dialog: DialogView) -> None:
        known = self.dialogs.get(profile)
        info = dialog.info
        if known is None or (known.info.message, known.tab) != (info.message, dialog.tab):
            self.dialogs[profile] = dialog
            self.note(profile, "dialog", f'{info.type} "{info.message}"')
            self._emit("page", "sessions")

    def close_dialog(self, profile: str, tab: int | None = None) -> None:
        """Remove the dialog of a tab, or of any tab."""
        known = self.dialogs.get(profile)
        if known is not None and tab in (None, known.tab):
            del self.dialogs[profile]
            self._emit("page", "sessions")

    def set_snapshot(self, snapshot: SnapshotView) -> None:
        before, self.snapshot = self.snapshot, snapshot
        self._emit("snapshot")
        if (before.tree is None, before.nothing_open) != (
            snapshot.tree is None,
            snapshot.nothing_open,
        ):
            self._emit("console", "network", "storage")  # why they are empty

    def mark_snapshot_stale(self) -> None:
        if self.snapshot.tree is not None and not self.snapshot.is_stale:
            self.snapshot.is_stale = True
            self._emit("snapshot")

    def set_inspected(self, console: list[ConsoleRow], network: list[NetworkRow]) -> None:
        """Replace what is known of the console and the requests."""
        self.console.replace(console)
        self.network.replace(network)
        self._emit("console", "network")

    def add_message(self, row: ConsoleRow) -> None:
        self.console.add(row)
        self._emit("console")

    def put_request(self, row: NetworkRow) -> None:
        self.network.put(row)
        self._emit("network")

    def clear_console(self) -> None:
        self.console.clear()
        self._emit("console")

    def restore_console(self) -> str:
        """Show again what was cleared; returns why that is not possible."""
        has_some = self.console.restore()
        self._emit("console")
        return "" if has_some else "another page is shown"

    def looked_at(self, part: StorePart) -> None:
        """The errors of a part are not new any more."""
        if part == "console":
            self.console.new_errors = 0
        elif part == "network":
            self.network.new_failures = 0

    # -- the past --------------------------------------------------------------------------------

    def set_past(self, past: PastView | None) -> None:
        """Show a moment of the past, or now."""
        if past is not self.past:
            self.past = past
            self._emit("past", "snapshot", "page", "picture", "console", "network")

    @property
    def shown_snapshot(self) -> SnapshotView:
        return self.past.snapshot if self.past is not None else self.snapshot

    @property
    def shown_picture(self) -> PictureView | None:
        return self.past.picture if self.past is not None else self.page.picture

    @property
    def shown_console(self) -> list[ConsoleRow]:
        return self.past.console if self.past is not None else list(self.console.rows)

    @property
    def shown_network(self) -> list[NetworkRow]:
        return self.past.network if self.past is not None else self.network.rows

    # -- the daemon ------------------------------------------------------------------------------

    def set_daemon(self, daemon: DaemonData | None, log_lines: list[str]) -> None:
        self.daemon_log = log_lines
        if daemon is not None:
            self.daemon_at = time.time()
            self.daemon = daemon
        self._emit("daemon")

    def set_link(self, state: LinkState, problem: str = "") -> None:
        if state == "gone" and self.own_sessions is not None:
            self._lost = [s for s in self.own_sessions if s.owner == "daemon" and not s.attached]
            self._has_restarted = True
        self.link, self.link_problem = state, problem
        if state != "connected":
            self.is_behind = True
            self.activities.clear()
            self.snapshot.is_stale = self.snapshot.tree is not None
            self.dialogs.clear()
            self.set_own_sessions(None)
        self._emit("daemon", "running", "snapshot", "console", "network", "storage")

    # -- requests --------------------------------------------------------------------------------

    def set_recording(self, path: str | None) -> None:
        self.recording_path = path
        self.recorded = 0
        self._emit("recording")

    def caught_up(self) -> None:
        """What happened while no daemon was connected is known and recorded."""
        self.is_behind = False
        self._emit("recording")

    def count_recorded(self) -> None:
        self.recorded += 1
        self._emit("recording")

    def note(self, profile: str, what: str, message: str, *, ok: bool = True) -> None:
        """Log something that was not caused by a request."""
        entry = LogEntry.event(next(self._numbers), time.time(), profile, what, message, ok=ok)
        self.log.add([entry])

    def begin(self, event: RequestEvent, source: str) -> None:
        """Log a new request; `source` is the connection that reported it."""
        if isinstance(event.seq, int):
            if event.seq in self.earlier.recent:
                return  # it was read from the history
            self.earlier.started(event.seq)
        now = time.time()
        entry = self._entry(event)
        self._count_arrival(int(now))
        activity = self.activities.of((self.workspace, entry.profile))
        activity.began(entry.seq, entry.op, entry.client, entry.time)
        self.running[entry.seq] = RunningView(event.seq, source, now, entry)
        self.log.add([entry])
        self._emit("running")

    def finish(self, event: RequestEvent, source: str) -> LogEntry:
        """Log a response; the event repeats the request with its secrets masked."""
        assert event.response is not None
        known = self.running.values()
        begun = next((r for r in known if (r.seq, r.source) == (event.seq, source)), None)
        if begun is None:  # sent before the panel connected
            entry = self._entry(event)
            entry.time -= (entry.duration_ms or 0) / 1000
            entry.recorded = self.recording_path is not None
            activity = self.activities.of((self.workspace, entry.profile))
            activity.began(entry.seq, entry.op, entry.client, entry.time)
            activity.ended(entry.seq, time.time(), ok=not entry.failed)
            if not self.earlier.refresh(event.seq):
                self.log.add([entry])
            return entry
        begun.entry.recorded = self.recording_path is not None
        self._answer(begun.entry, event.request, event.response)
        return begun.entry

    def _log_call(self, event: CallEvent) -> None:
        """Log a call of another program in its own browser."""
        key = event.session_key, event.call
        seq = self._calls.pop(key, None) if event.status != "running" else None
        if seq is not None:
            request, response = call_on_wire(event)
            self.log.finish(seq, request, response or {})
            return
        entry = LogEntry.of_call(next(self._numbers), event)
        if entry.pending:
            self._calls[key] = entry.seq
        self.log.add([entry])

    def _fail_calls(self, session_key: str | None = None) -> None:
        """The results of calls will not be known: their observer has ended."""
        for key in [each for each in self._calls if session_key in (None, each[0])]:
            seq = self._calls.pop(key)
            if (entry := self.log.known(seq)) is not None:
                error = {"code": "UNKNOWN", "message": "the observer ended before the call did"}
                self.log.finish(seq, entry.request, {"ok": False, "error": error})

    def log_elsewhere(self, event: RequestEvent, source: str) -> None:
        """Log a request of another workspace, or its response."""
        key = (source, event.seq)
        if event.response is None:
            entry = self._elsewhere[key] = self._entry(event)
            entry.workspace = PurePath(event.workspace).name or "?"
            self.log.add([entry])
        elif (begun := self._elsewhere.pop(key, None)) is not None:
            self.log.finish(begun.seq, event.request, event.response)

    def fail_pending(self, source: str) -> None:
        """Fail the requests of a connection that was lost."""
        from pwtui.client.connection import DaemonGone
        from pwtui.protocol.envelope import Response

        self._fail_calls()
        for running in [each for each in self.running.values() if each.source == source]:
            failure = Response.failure(running.op, DaemonGone())
            self._answer(running.entry, running.entry.request, failure.to_wire())
        self._emit("running")

    def _entry(self, event: RequestEvent) -> LogEntry:
        profile = event.effective_profile
        return LogEntry(
            seq=next(self._numbers),
            time=event.time,
            client=event.client.name,
            profile=profile,
            op=event.request["op"],
            request=event.request,
            response=event.response,
            place=self._place(profile),
            seen=self._seen(profile, (event.request.get("input") or {}).get("ref")),
        )

    def _place(self, profile: str) -> str:
        """The URL of a profile's page."""
        shown = self.snapshot.url if profile == self.active_profile else ""
        return self._places.get(profile) or shown

    def _seen(self, profile: str, ref: object) -> str:
        """The element of a ref, as the tree shows it."""
        tree = self.snapshot.tree if profile == self.active_profile else None
        index = tree.find_ref(ref) if tree is not None and isinstance(ref, str) else None
        if tree is None or index is None:
            return ""
        node = tree.nodes[index]
        return f'{node.role} "{node.name}"' if node.name else node.role

    def add_rule(self, text: str) -> None:
        """Log a line between what was before and after."""
        self.log.add([LogEntry.rule(next(self._numbers), time.time(), text)])

    def add_missed(self, entries: list[LogEntry]) -> None:
        """Log what happened while no daemon was connected."""
        for entry in entries:
            entry.seq = next(self._numbers)
        self.log.add(entries)

    def _answer(self, entry: LogEntry, request: dict[str, Any], response: dict[str, Any]) -> None:
        del self.running[entry.seq]
        activity = self.activities.of((self.workspace, entry.profile))
        activity.ended(entry.seq, time.time(), ok=bool(response["ok"]))
        self.log.finish(entry.seq, request, response)
        if entry.url:
            self._places[entry.profile] = entry.url
        self._emit("running")

    def cause_of(self, profile: str, moment: float) -> str:
        """The action during which, or soon after which, something happened."""
        for entry in itertools.islice(reversed(self.log.entries), NEWEST_ENTRIES):
            if entry.profile != profile or entry.is_event or entry.time > moment:
                continue
            info = catalog().get(entry.op)
            if info is None or info.effect_of(entry.request.get("input") or {}) is Effect.READS:
                continue
            end = math.inf if entry.pending else entry.time + (entry.duration_ms or 0) / 1000
            if moment > end + CAUSE_SECONDS:
                return ""
            at = time.strftime("%H:%M:%S", time.localtime(entry.time))
            return f"{entry.op} {cut(entry.target, LONGEST_TARGET)} {at}"
        return ""

    def is_busy(self, profile: str) -> bool:
        return any(running.profile == profile for running in self.running.values())

    def rates(self, seconds: int = RATE_SECONDS) -> list[int]:
        """Requests per second for the last seconds, the latest last."""
        now = int(time.time())
        return [self._arrivals[second] for second in range(now - seconds + 1, now + 1)]

    def _count_arrival(self, second: int) -> None:
        self._arrivals[second] += 1
        if len(self._arrivals) > 2 * RATE_SECONDS:
            recent = {at: n for at, n in self._arrivals.items() if at > second - RATE_SECONDS}
            self._arrivals = Counter(recent)

    def _emit(self, *parts: StorePart) -> None:
        for part in parts:
            for listener in self.listeners:
                listener(part)
