"""What the panel can do, without any widget: sends, records, refreshes, and writes the store."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from watchfiles import awatch

from pwtui.app.export import ExportKind, export_lines, write_export
from pwtui.app.settings import PastRequest, Settings
from pwtui.app.snapshots import SnapshotKeeper, dialog_view, look_request
from pwtui.app.store import ProfileView, RunningView, Store, profile_of
from pwtui.client.client import Client
from pwtui.client.start import daemon_data
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Request, Response, RuntimeBlock
from pwtui.protocol.errors import Cancelled, PwError
from pwtui.protocol.secrets import mask_input, masked
from pwtui.recordings.model import RecordedStep, as_kept, refs_left, replayable, with_variables
from pwtui.runtime.caller import Caller
from pwtui.state.journal import Journal
from pwtui.state.paths import daemon_log_file
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace
from pwtui.widgets.log_entry import LogEntry

STATUS_SECONDS = 2.0
SESSIONS_SECONDS = 5.0
SOON_SECONDS = 0.25
LOG_LINES = 4
LOG_TAIL_BYTES = 4096
OWN = "pwtui"
"""The source of the requests that this panel sends; those of others come from a connection."""
# After these nothing on the page can be different.
_LOOKS_ONLY = (
    *("page.", "ops.", "profile.", "session.", "daemon.", "har.", "protect.", "auth."),
    *("verify.", "requests.", "cookies.", "localstorage.", "sessionstorage.", "trace.", "video."),
)
_ACTS_ANYWAY = ("page.eval", "page.run", "page.resize")


class Controller:
    """The panel's only way to the daemon and to the disk."""

    def __init__(self, workspace: Workspace, profile: str) -> None:
        self.workspace = workspace
        self.profiles = Profiles(workspace)
        self.settings = Settings()
        self.store = Store(profile, str(workspace.root))
        self._caller = Caller(workspace, cwd=Path.cwd(), mode="batch")
        self._client = Client(OWN, on_event=self._on_event, in_process=False)
        self._numbers = itertools.count(1)
        self._keeper = SnapshotKeeper(self.store, self.look)
        self._journal: Journal | None = None
        self._sessions_wanted = asyncio.Event()
        self._operations: list[dict[str, Any]] = []
        self._operations_of = ""
        self.last_action: Request | None = None
        self._sent: dict[str, dict[str, Any]] = {}
        """The input of each request by its id, as it was sent; on disk and in the log it holds no
        secret."""
        self.history = [
            past.request
            for past in self.settings.now.history
            if past.workspace == str(workspace.root)
        ]
        """What was sent from here in this and earlier runs; locators where there were refs."""
        self.typed: list[str] = []

    async def run(self) -> None:
        """Everything that goes on in the background, until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                for work in (
                    self._client.daemon.keep_connected(self._caller),
                    self._keeper.run(),
                    self._poll_status(),
                    self._keep_own_sessions(),
                    self._keep_other_sessions(),
                    self._watch_profiles(),
                ):
                    group.create_task(work)
        finally:
            await self._client.close()
            self.stop_recording()

    # -- sending ------------------------------------------------------------------------------

    def request(
        self, op: str, input: dict[str, Any] | None = None, *, profile: str | None = None
    ) -> Request:
        """An envelope for the active profile."""
        runtime = RuntimeBlock(profile=profile or self.store.active_profile)
        return Request(op=op, input=input or {}, runtime=runtime)

    async def send(self, request: Request) -> Response:
        """Send what the person asked for, and log it with its response."""
        self._remember(request)
        id = f"{OWN}-{next(self._numbers)}"
        self._sent[id] = request.input
        request = request.model_copy(update={"request_id": id})
        event = {
            "source": OWN,
            "seq": id,
            "time": time.time(),
            "client": {"name": OWN},
            "profile": request.profile or self.store.active_profile,
        }
        self._on_request({**event, "request": _shown(request, None).to_wire()})
        response = Response.failure(request.op, Cancelled(f"{request.op} was cancelled"))
        try:
            response = await self._client.perform(request, self._caller)
        finally:
            shown = {**response.to_wire(), "data": masked(response.data)}
            self._on_response(
                {**event, "request": _shown(request, response).to_wire(), "response": shown}
            )
        if response.ok:
            self._keep(request, response)
        if request.op.startswith(("session.", "connect", "tabs.")):
            self.refresh_sessions()
        if request.op.startswith(("profile.", "connect", "protect.", "har.")):
            self.refresh_profiles()
        return response

    async def ask(self, op: str, /, **input: Any) -> Response:
        """A question of the panel itself about the active profile."""
        return await self.look(look_request(op, self.store.active_profile, **input))

    async def operations(self) -> list[dict[str, Any]]:
        """What this panel can send; what needs a person at a terminal is refused by the engine."""
        if self._operations_of != self._client.daemon.source and self._client.daemon.is_connected:
            source = self._client.daemon.source
            known = (await self.ask("ops.list")).data or {"operations": []}
            self._operations = [each for each in known["operations"] if not each["interactive"]]
            self._operations_of = source if self._operations else ""
        return self._operations

    async def cancel(self, running: RunningView) -> bool:
        if self.is_own(running):
            return await self._client.cancel(request_id=str(running.seq))
        return await self._client.cancel(source=running.source, seq=int(running.seq))

    def is_own(self, running: RunningView) -> bool:
        """Whether this panel sent it."""
        return running.source == OWN

    def refresh_snapshot(self) -> None:
        self._keeper.request()

    # -- profiles, sessions, daemon -------------------------------------------------------------

    def activate(self, profile: str) -> None:
        self.store.activate_profile(profile)
        self.refresh_sessions()
        self._keeper.request()

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

    def refresh_sessions(self) -> None:
        self._sessions_wanted.set()

    async def start_daemon(self) -> None:
        self._client.daemon.resume()

    async def stop_daemon(self) -> None:
        self._client.daemon.hold()
        await self._client.daemon.control("shutdown")

    async def restart_daemon(self) -> None:
        self._client.daemon.resume()
        await self._client.daemon.control("shutdown")

    # -- recording and export -------------------------------------------------------------------

    def start_recording(self) -> Path:
        self._journal = Journal.start(self.workspace)
        self.store.set_recording(str(self._journal.path))
        return self._journal.path

    def stop_recording(self) -> Path | None:
        journal, self._journal = self._journal, None
        if journal is None:
            return None
        journal.close()
        self.store.set_recording(None)
        return journal.path

    def record_only(self, request: Request, schema: dict[str, Any]) -> None:
        """Put an envelope into the recording without sending it, and without its secrets."""
        if self._journal is None:
            self.start_recording()
        assert self._journal is not None
        hidden = with_variables(mask_input(request.input, schema), self.store.recorded + 1)
        shown = {**request.to_wire(), "input": hidden}
        self._journal.write({"request": shown, "time": time.time()})
        self.store.count_recorded()

    def export(
        self, path: Path, entries: Iterable[LogEntry], kind: ExportKind, *, with_secrets: bool
    ) -> int:
        """Write the entries as NDJSON; the number of lines."""
        chosen = [self._unmasked(entry) if with_secrets else entry for entry in entries]
        lines = export_lines(chosen, kind)
        write_export(path, lines)
        return len(lines)

    # -- inside -----------------------------------------------------------------------------------

    def _remember(self, request: Request) -> None:
        self.history = _with_newest(self.history, request.to_wire())
        if request.op in ("click", "dblclick", "hover", "check", "uncheck", "press", "select"):
            self.last_action = request

    def _keep(self, request: Request, response: Response) -> None:
        """Only what worked: which values of a failed request are secret is not known."""
        wire = request.model_copy(update={"request_id": None}).to_wire()
        answer = response.to_wire()
        self.history = [each for each in self.history if each != wire]
        kept = replayable(as_kept(request, response).to_wire(), answer)
        self.history = _with_newest(self.history, kept)
        if not refs_left([RecordedStep(0, Request.model_validate(kept))]):
            self.settings.remember(PastRequest(workspace=self.store.workspace, request=kept))

    async def look(self, request: Request) -> Response:
        """Send what only reads: it starts nothing, and is in no log."""
        return await self._client.look(request, self._caller)

    def _on_connection(self, event: dict[str, Any]) -> None:
        self.store.set_link(event["state"], event["problem"])
        if event["state"] == "connected":
            self.refresh_sessions()
            self._keeper.request()
        else:
            self.store.lose(event["source"])

    def _on_event(self, event: dict[str, Any]) -> None:
        is_here = event.get("workspace") == str(self.workspace.root)
        match event["event"]:
            case "connection":
                self._on_connection(event)
            case "request" if is_here:
                self._on_request(event)
            case "response" if is_here:
                self._on_response(event)
            case "session" | "page" as kind:
                if is_here:
                    (self._on_session if kind == "session" else self._on_page)(event)
                self.refresh_sessions()

    def _on_session(self, event: dict[str, Any]) -> None:
        profile = event["profile"]
        if event["change"] == "opened":
            self.store.session_opened(profile)
        else:
            self.store.session_closed(profile, unexpected=event["unexpected"])
        if profile == self.store.active_profile:
            self._keeper.request()

    def _on_page(self, event: dict[str, Any]) -> None:
        profile, dialog = event["profile"], event.get("dialog")
        if dialog is not None:
            self.store.open_dialog(profile, dialog_view(dialog, event["tab"]))
        else:
            self.store.close_dialog(profile, event["tab"])
        if profile == self.store.active_profile:
            self._keeper.request()

    def _on_request(self, event: dict[str, Any]) -> None:
        self.store.begin(event)
        self._keeper.make_way(profile_of(event))

    def _on_response(self, event: dict[str, Any]) -> None:
        entry = self.store.finish(event)
        self._keeper.someone_finished()
        if entry is None:
            return
        if self._journal is not None:
            self._journal.write(
                {"request": event["request"], "response": event["response"], "time": entry.time}
            )
            self.store.count_recorded()
        if profile_of(event) == self.store.active_profile:
            self._keeper_after(entry.op)

    def _keeper_after(self, op: str) -> None:
        if op in _ACTS_ANYWAY or not op.startswith(_LOOKS_ONLY):
            self._keeper.request()

    def _unmasked(self, entry: LogEntry) -> LogEntry:
        """What this panel sent itself is known with its secrets."""
        request = entry.request
        given = self._sent.get(request.get("requestId") or "")
        if given is None:
            return entry
        return LogEntry(
            seq=entry.seq,
            time=entry.time,
            client=entry.client,
            profile=entry.profile,
            op=entry.op,
            request={**request, "input": given},
            response=entry.response,
        )

    async def _poll_status(self) -> None:
        while True:
            reply = await self._client.daemon.control("status")
            self.store.set_daemon(daemon_data(reply) if reply is not None else None)
            self.store.daemon_log = _last_log_lines(daemon_log_file(), LOG_LINES)
            await asyncio.sleep(STATUS_SECONDS)

    async def _keep_own_sessions(self) -> None:
        """What the daemon has in memory: at once when an event comes, else now and then."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(SESSIONS_SECONDS):
                    await self._sessions_wanted.wait()
            self._sessions_wanted.clear()
            if self._client.daemon.is_connected:
                response = await self.ask("session.list", others=False)
                if response.data is not None:
                    self.store.set_own_sessions(response.data["sessions"])
            # Changes come in bursts; one look serves them all.
            await asyncio.sleep(SOON_SECONDS)

    async def _keep_other_sessions(self) -> None:
        """Browsers of other programs have to be searched for; nothing waits for them."""
        while True:
            if self._client.daemon.is_connected:
                response = await self.ask("session.list")
                if response.data is not None:
                    found = response.data["sessions"]
                    others = [each for each in found if each["origin"] != "pwtui"]
                    self.store.set_other_sessions(others)
                await asyncio.sleep(SESSIONS_SECONDS)
            else:
                await asyncio.sleep(SOON_SECONDS)

    async def _watch_profiles(self) -> None:
        """Changes that other programs make to the profiles show by themselves."""
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
                # What came between the last look and the first second of watching counts, too.
                if changes or not is_settled:
                    self.refresh_profiles()
                is_settled = True
                if not recursive and self.workspace.profiles_dir.is_dir():
                    break


def _shown(request: Request, response: Response | None) -> Request:
    """The request as the log shows it: until it has succeeded, without what may be a secret."""
    if response is not None and response.ok:
        return as_kept(request, response)
    info = catalog().get(request.op)
    update = {
        "input": mask_input(request.input, info.input if info is not None else None),
        "runtime": request.runtime and request.runtime.masked(),
    }
    return request.model_copy(update=update)


def _with_newest(history: list[dict[str, Any]], wire: dict[str, Any]) -> list[dict[str, Any]]:
    """The history with this at its end, and only there."""
    return [*(each for each in history if each != wire), wire]


def _last_log_lines(path: Path, count: int) -> list[str]:
    """The end of the daemon's log: time and message."""
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
