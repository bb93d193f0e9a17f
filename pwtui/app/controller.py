"""Connects the panel to the daemon and the disk: sends requests and keeps the store current."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from pwtui.app.history import RequestHistory
from pwtui.app.iframes import IframeLabels
from pwtui.app.inspector import OBSERVED, Inspector
from pwtui.app.past import PastKeeper
from pwtui.app.recording import PanelRecorder
from pwtui.app.session_watch import SessionWatch
from pwtui.app.settings import Settings
from pwtui.app.snapshots import SnapshotKeeper
from pwtui.app.storage import StorageReader
from pwtui.app.store import OWN, DialogView, LinkState, ProfileView, RunningView, Store
from pwtui.app.undo import UndoStack
from pwtui.client.client import Client
from pwtui.protocol.catalog import Effect, catalog
from pwtui.protocol.daemon import DaemonData
from pwtui.protocol.envelope import Request, Response, RuntimeBlock
from pwtui.protocol.errors import Cancelled, PwError, UnsupportedMode
from pwtui.protocol.models import (
    ClientInfo,
    PageEvent,
    RequestEvent,
    SessionData,
    SessionEvent,
    SessionsData,
    read,
)
from pwtui.protocol.secrets import mask_input, masked
from pwtui.runtime.caller import Caller
from pwtui.state.paths import daemon_log_file
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace
from pwtui.widgets.log_entry import LogEntry, milliseconds

STATUS_SECONDS = 2.0
SESSIONS_SECONDS = 5.0
SOON_SECONDS = 0.25
LOG_LINES = 4
LOG_TAIL_BYTES = 4096


class Controller:
    """Not loaded before the first paint, which needs neither daemon nor profiles."""

    def __init__(
        self, workspace: Workspace, store: Store, settings: Settings, past: PastKeeper
    ) -> None:
        self.workspace = workspace
        self.profiles = Profiles(workspace)
        self.store = store
        self.history = RequestHistory(settings, store.workspace)
        self.recorder = PanelRecorder(workspace, store)
        self.undo = UndoStack(store, self.profiles, self._look)
        self._past = past
        self._client = Client(OWN, on_event=self._on_event, in_process=False)
        self._caller = Caller(workspace, cwd=Path.cwd(), mode="batch")
        self._numbers = itertools.count(1)
        self._sessions_wanted = asyncio.Event()
        self._status_wanted = asyncio.Event()
        self._connected_once = False
        self._lost_at: float | None = None
        self._answered: set[int] | None = set()
        """The daemon's numbers of the requests that ended since, until what was missed is known."""
        self._task: asyncio.Task[None] | None = None
        """Adds what was missed to the log and the recording."""
        self._snapshots = SnapshotKeeper(self.store, self.ask)
        self.storage = StorageReader(self.store, self.ask)
        self._iframes = IframeLabels(self.store, self.ask, self.refresh_sessions)
        self._inspector = Inspector(
            self.store, self.ask, self._observe, self._snapshots.request_tabs
        )
        self.watch = SessionWatch(self.store)

    async def run(self) -> None:
        """Run the background tasks until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                for work in (
                    self._client.daemon.keep_connected(self._caller),
                    self._snapshots.run(),
                    self._snapshots.keep_tabs(),
                    self._iframes.run(),
                    self._inspector.run(),
                    self._poll_status(),
                    self._keep_own_sessions(),
                    self._keep_other_sessions(),
                    self._watch_profiles(),
                    self.watch.run(self._caller),
                    self.store.earlier.run(),
                ):
                    group.create_task(work)
        finally:
            self.recorder.stop()
            self.store.earlier.close()
            await self._client.close()

    # -- sending ---------------------------------------------------------------------------------

    def request(
        self, op: str, input: dict[str, Any] | None = None, *, profile: str | None = None
    ) -> Request:
        """A request for a profile (default: the active one)."""
        runtime = RuntimeBlock(profile=profile or self.store.active_profile)
        return Request(op=op, input=input or {}, runtime=runtime)

    def request_of(self, entry: LogEntry) -> Request:
        """A request of the log, to be sent again."""
        wire = {key: value for key, value in entry.request.items() if key != "requestId"}
        return Request.model_validate(wire)

    def refusal(self, request: Request) -> PwError | None:
        """Why this panel does not send a request now."""
        info = catalog().get(request.op)
        effect = info.effect_of(request.input) if info is not None else Effect.ACTS
        if effect is Effect.READS:
            return None
        if self.store.is_read_only:
            return UnsupportedMode(
                "not sent: the panel is read-only",
                hint="V lets it act again",
            )
        profile = request.profile or self.store.active_profile
        is_viewed = self.store.is_viewing and profile == self.store.active_profile
        if is_viewed and effect is Effect.ACTS:
            return UnsupportedMode(
                f"not sent: {profile} is only viewed",
                hint="C takes control of it",
            )
        return None

    async def send(self, request: Request, *, can_undo: bool = True) -> Response:
        """Send a request of the user, and log it with its response."""
        if refusal := self.refusal(request):
            return Response.failure(request.op, refusal)
        before = await self.undo.before(request) if can_undo else None
        self._past.leave()
        id = f"{OWN}-{next(self._numbers)}"
        request = request.model_copy(update={"request_id": id})
        self.history.sent(request)
        event = RequestEvent(
            seq=id,
            time=time.time(),
            client=ClientInfo(name=OWN),
            workspace=self.store.workspace,
            profile=request.profile or self.store.active_profile,
            request=_shown(request, None).to_wire(),
        )
        self._on_request(event, OWN)
        response = Response.failure(request.op, Cancelled(f"{request.op} was cancelled"))
        try:
            response = await self._client.perform(request, self._caller)
        finally:
            event.request = _shown(request, response).to_wire()
            event.response = {**response.to_wire(), "data": masked(response.data)}
            entry = self._on_response(event, OWN)
        if response.ok:
            self.history.succeeded(request, response)
            if before is not None:
                what = f"{entry.op} {entry.target}".rstrip()
                await self.undo.after(request, response, what, before)
        return response

    async def ask(self, op: str, /, **input: Any) -> Response:
        """Send a query of the panel itself, which starts no browser and is not logged."""
        return await self._look(self.request(op, input))

    async def _look(self, request: Request) -> Response:
        return await self._client.look(request, self._caller)

    async def _observe(
        self, kinds: tuple[str, ...], profile: str, frames: dict[str, int] | None = None
    ) -> None:
        await self._client.daemon.observe(kinds, profile, frames)

    async def observe_page(self) -> None:
        """Receive what happens in the pages of the active profile."""
        await self._inspector.observe(self.store.active_profile)

    async def watch_pictures(self, size: tuple[int, int] | None) -> None:
        """Receive pictures of the page, of at most this size; None: no longer."""
        await self._inspector.watch_pictures(size)

    async def acknowledge(self, session_key: str) -> None:
        """The picture of this session was shown, and the next one can be."""
        await self._client.daemon.control("ack", session=session_key)

    async def cancel(self, running: RunningView) -> None:
        if self.store.is_read_only:
            return
        if self.is_own(running):
            await self._client.cancel(request_id=str(running.seq))
        else:
            await self._client.cancel(source=running.source, seq=int(running.seq))

    def is_own(self, running: RunningView) -> bool:
        """Whether this panel sent it."""
        return running.source == OWN

    # -- profiles, sessions, daemon --------------------------------------------------------------

    def activate(self, profile: str, *, view_only: bool = False) -> None:
        """Show a profile, to work in it or only to view it."""
        self.store.activate_profile(profile, view_only=view_only)
        self.refresh_sessions()
        self.refresh_snapshot()

    def refresh_snapshot(self) -> None:
        self._snapshots.request()

    def refresh_sessions(self) -> None:
        self._sessions_wanted.set()

    def refresh_profiles(self) -> None:
        views = []
        for name in dict.fromkeys([*self.profiles.names(), self.store.active_profile]):
            with suppress(PwError):
                profile = self.profiles.load(name)
                defaults = profile.config.defaults
                views.append(
                    ProfileView(
                        name=name,
                        browser=defaults.browser or "chromium",
                        is_stale=profile.cache.is_stale(time.time()),
                        is_corrupt=any(self.profiles.folder(name).glob("*.corrupt-*")),
                        uses_daemon=defaults.use_daemon is not False,
                        endpoint=defaults.cdp_endpoint,
                    )
                )
        self.store.set_profiles(views)

    def start_daemon(self) -> None:
        self._client.daemon.resume()

    async def stop_daemon(self) -> None:
        self._client.daemon.hold()
        await self._client.daemon.control("shutdown")

    async def restart_daemon(self) -> None:
        self._client.daemon.resume()
        await self._client.daemon.control("shutdown")

    # -- events ----------------------------------------------------------------------------------

    def _on_event(self, wire: dict[str, Any]) -> None:
        is_here = wire.get("workspace") == self.store.workspace
        match wire["event"]:
            case "connection":
                self._on_connection(wire["state"], wire["problem"], wire["link"])
            case "request" if is_here:
                self._on_request(read(RequestEvent, wire), wire["link"])
            case "response" if is_here:
                self._on_response(read(RequestEvent, wire), wire["link"])
            case "request" | "response":
                event = read(RequestEvent, wire)
                self.store.elsewhere((wire["workspace"], event.effective_profile), event)
                self.store.log_elsewhere(event, wire["link"])
            case "session":
                if is_here:
                    self._on_session(read(SessionEvent, wire))
                self.refresh_sessions()
            case "page":
                if is_here:
                    self._on_page(read(PageEvent, wire))
                self.refresh_sessions()
            case kind if kind in OBSERVED:
                if is_here and wire["profile"] == self.store.active_profile:
                    self._inspector.receive(wire)

    def _on_connection(self, state: LinkState, problem: str, source: str) -> None:
        self.store.set_link(state, problem)
        if state == "connected":
            self._status_wanted.set()
            self.refresh_sessions()
            self.refresh_snapshot()
            self._connected_again()
        else:
            self._answered = set()
            self.store.fail_pending(source)
            self.store.earlier.disconnected()
            if self._connected_once:
                self._lost_at = self._lost_at or time.time()

    def _connected_again(self) -> None:
        """Log and record what others did while no daemon was connected, below a rule."""
        now, lost_at = time.time(), self._lost_at
        self._lost_at = None
        if not self._connected_once:
            self._connected_once = True
            self.store.earlier.connected()  # which logs it
        elif lost_at is not None:
            away = milliseconds((now - lost_at) * 1000)
            self.store.add_rule(f"earlier ↑   the daemon was away for {away}   now ↓")

        async def add_missed() -> None:
            since = lost_at or self.recorder.started_at
            if since is not None:
                missed = await self.store.earlier.missed(since, now, self._answered or ())
                self.recorder.catch_up(missed)
                if lost_at is not None:
                    self.store.add_missed(missed)
            self._answered = None
            self.store.caught_up()

        self._task = asyncio.create_task(add_missed())

    def _on_request(self, event: RequestEvent, source: str) -> None:
        self.store.begin(event, source)
        self._snapshots.yield_to(event.effective_profile)

    def _on_response(self, event: RequestEvent, source: str) -> LogEntry:
        entry = self.store.finish(event, source)
        if self._answered is not None and isinstance(event.seq, int):
            self._answered.add(event.seq)
        self._snapshots.request_finished()
        self.recorder.write(entry)
        info = catalog().get(entry.op)
        effect = info.effect_of(event.request.get("input") or {}) if info else Effect.ACTS
        if effect is Effect.READS:
            return entry
        if entry.profile == self.store.active_profile and (info is None or info.needs_session):
            self.refresh_snapshot()
        if effect is Effect.CONFIGURES:
            self.refresh_sessions()
            self.refresh_profiles()
        return entry

    def _on_session(self, event: SessionEvent) -> None:
        if event.change == "opened":
            self.store.session_opened(event.profile)
        else:
            self.store.session_closed(event.profile, unexpected=event.unexpected)
        if event.profile == self.store.active_profile:
            self.refresh_snapshot()

    def _on_page(self, event: PageEvent) -> None:
        if event.dialog is not None:
            self.store.open_dialog(event.profile, DialogView(event.dialog, event.tab))
        else:
            self.store.close_dialog(event.profile, event.tab)
        if event.profile == self.store.active_profile:
            self.refresh_snapshot()

    # -- polling ---------------------------------------------------------------------------------

    async def _poll_status(self) -> None:
        while True:
            reply = await self._client.daemon.control("status")
            daemon = read(DaemonData, reply) if reply is not None else None
            self.store.set_daemon(daemon, _last_log_lines(daemon_log_file(), LOG_LINES))
            await _wait(self._status_wanted, STATUS_SECONDS)

    async def _keep_own_sessions(self) -> None:
        """List the daemon's sessions after every event, and every few seconds."""
        while True:
            await _wait(self._sessions_wanted, SESSIONS_SECONDS)
            if (sessions := await self._list_sessions(others=False)) is not None:
                self.store.set_own_sessions(sessions)
            # Events come in bursts: one request for all of them.
            await asyncio.sleep(SOON_SECONDS)

    async def _keep_other_sessions(self) -> None:
        """List the browsers of other programs, which is slow."""
        while True:
            if (sessions := await self._list_sessions(others=True)) is not None:
                self.store.set_other_sessions([s for s in sessions if s.origin != "pwtui"])
            is_connected = self._client.daemon.is_connected
            await asyncio.sleep(SESSIONS_SECONDS if is_connected else SOON_SECONDS)

    async def _list_sessions(self, *, others: bool) -> list[SessionData] | None:
        if not self._client.daemon.is_connected:
            return None
        response = await self.ask("session.list", others=others)
        return read(SessionsData, response.data).sessions if response.data is not None else None

    async def _watch_profiles(self) -> None:
        """Reload the profiles when another program changes them."""
        from watchfiles import awatch

        while True:
            self.refresh_profiles()
            folder = self.workspace.profiles_dir
            while not folder.is_dir() and folder != self.workspace.root:
                folder = folder.parent
            recursive = folder == self.workspace.profiles_dir
            is_settled = False
            async for changes in awatch(
                folder, recursive=recursive, step=100, rust_timeout=1000, yield_on_timeout=True
            ):
                # The first timeout also covers changes made before the watch started.
                if changes or not is_settled:
                    self.refresh_profiles()
                is_settled = True
                if not recursive and self.workspace.profiles_dir.is_dir():
                    break


async def _wait(wanted: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await wanted.wait()
    wanted.clear()


def _shown(request: Request, response: Response | None) -> Request:
    """The request as logged: every possible secret is masked until the request succeeds."""
    if response is not None and response.ok:
        from pwtui.recordings.model import as_kept

        return as_kept(request, response)
    info = catalog().get(request.op)
    update = {
        "input": mask_input(request.input, info.input if info is not None else None),
        "runtime": request.runtime and request.runtime.masked(),
    }
    return request.model_copy(update=update)


def _last_log_lines(path: Path, count: int) -> list[str]:
    """The last lines of the daemon's log: time and message."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - LOG_TAIL_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()[-count:]
    except OSError:
        return []
    shown = []
    for line in lines:
        try:
            entry = json.loads(line)
            shown.append(f"{entry['time'][11:19]} {entry['message']}")
        except (ValueError, KeyError, TypeError):
            shown.append(line)
    return shown
