"""Records in the history what the daemon does: requests, events of sessions, looks at pages."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from pwtui.daemon.filters import EventFilter
from pwtui.daemon.looks import Look, Looks, Run
from pwtui.daemon.router import Reply
from pwtui.daemon.shown import Wants
from pwtui.engine.request_echo import masked_request
from pwtui.history.database import history_file
from pwtui.history.housekeeping import Housekeeper
from pwtui.history.tables import Finished, Number, Observed, Started
from pwtui.history.writer import HistoryWriter
from pwtui.protocol.catalog import Effect, catalog
from pwtui.protocol.envelope import Request
from pwtui.protocol.errors import PwError
from pwtui.protocol.kinds import HAPPENINGS
from pwtui.protocol.secrets import masked
from pwtui.runtime.caller import Caller
from pwtui.runtime.resolve import choose_profile
from pwtui.state.config import HistoryMode
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace

log = logging.getLogger(__name__)

EVENT_SECONDS = 0.25
"""Events are written so long after the first of them."""
MAX_EVENT_BYTES = 8 * 1024 * 1024
EVENTS_AT_ONCE = 100
TIDY_SECONDS = 1.0
LONGEST_DELAY = 60.0
PRUNE_SECONDS = 600.0
MAX_WORKSPACES = 64
OBSERVED = frozenset(HAPPENINGS) - {"network"}
"""The events that are recorded as they happen; requests of pages are listed when it is idle."""
_EFFECTS = {effect: number for number, effect in enumerate(Effect)}


@dataclass(eq=False, slots=True)
class Record:
    """A request that is recorded."""

    number: Number
    started: Started
    profile_id: str
    mode: HistoryMode
    is_stored: bool = False

    @property
    def wants(self) -> Wants:
        return "recorded" if self.mode == "full" else None


class Recorder:
    """The daemon's history. A request that acts is recorded before it acts."""

    def __init__(self, run: Run, on_full: Callable[[], None]) -> None:
        self._writer = HistoryWriter(history_file())
        self._looks = Looks(run, self._is_busy)
        self._on_full = on_full
        """Called when the events of another profile are wanted, or of one no more."""
        self._profiles: dict[Workspace, Profiles] = {}
        self._full: dict[str, tuple[Workspace, str]] = {}
        """The profiles whose events are recorded."""
        self._running: set[Record] = set()
        self._listed: dict[str, set[tuple[int, str]]] = {}
        self._finished = 0
        self._events: list[Observed] = []
        self._event_bytes = 0
        self._is_dirty = asyncio.Event()
        self._ending = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def open(self) -> None:
        self._writer.open()
        self._task = asyncio.create_task(self._keep_house())

    async def stop_looking(self) -> None:
        await self._looks.close()

    async def close(self) -> None:
        self._ending.set()
        self._is_dirty.set()
        if self._task is not None:
            await self._task
        await self._write_events()
        self._writer.close()

    @property
    def problem(self) -> str | None:
        """Why requests are not recorded at the moment."""
        return self._writer.problem

    def filters(self) -> set[EventFilter]:
        """The events of sessions that are recorded."""
        return {EventFilter(OBSERVED, profile_id=each) for each in self._full}

    def begin(
        self, request: Request, caller: Caller, seq: int, client: dict[str, Any]
    ) -> Record | None:
        """Record that a request starts; None if its profile has no history."""
        profile = request.profile or caller.profile or ""
        with suppress(PwError):
            profile = choose_profile(request.profile, caller.profile)
        workspace = caller.workspace
        profile_id = workspace.profile_id(profile)
        mode = self._mode(workspace, profile)
        if mode == "full" and profile_id not in self._full:
            self._full[profile_id] = workspace, profile
            self._on_full()
        elif mode != "full" and profile_id in self._full:
            self._forget(profile_id)
        if mode == "off":
            return None
        info = catalog().get(request.op)
        effect = info.effect_of(request.input) if info is not None else Effect.READS
        started = Started(
            time=time.time(),
            effect=_EFFECTS[effect],
            op=request.op,
            client=client["name"],
            pid=client["pid"],
            workspace=str(workspace.root),
            profile=profile,
        )
        record = Record(self._writer.new_number(seq), started, profile_id, mode)
        self._running.add(record)
        self._looks.yield_to(profile_id)
        if effect is not Effect.READS:
            self._store(record, request)
        return record

    def finish(
        self,
        record: Record,
        request: Request,
        caller: Caller,
        reply: Reply,
        session: str | None,
    ) -> None:
        """Record the end of a request, before its reply is sent."""
        self._running.discard(record)
        self._finished += 1
        ms = round((time.time() - record.started.time) * 1000, 1)
        shown = reply.shown
        envelopes: tuple[bytes | None, bytes | None] = None, None
        if shown is not None and record.mode == "full":
            finished = Finished(ms, shown.ok, shown.code, shown.url, session)
            envelopes = shown.request, shown.recorded
        else:
            error = None if reply.ok else reply.response.error
            finished = Finished(ms, reply.ok, error.code if error else None, session=session)
        if record.is_stored:
            self._writer.finish(record.number, finished, *envelopes)
        else:
            self._writer.add(record.number, record.started, finished, *envelopes)
        self._is_dirty.set()
        effect = record.started.effect
        if effect == _EFFECTS[Effect.CONFIGURES]:
            self._check_modes()
        if effect == _EFFECTS[Effect.ACTS] and record.mode == "full" and session is not None:
            keep = partial(self._keep_look, record.number, session)
            self._looks.want(record.profile_id, request, caller, keep)

    def event(self, kind: str, session_key: str, data: bytes) -> None:
        """An event of a session, masked; it is written soon. Some have only other subscribers."""
        if kind in OBSERVED:
            self._note(kind, session_key, data)

    def _note(self, kind: str, session_key: str, data: bytes) -> None:
        known = self._full.get(session_key.rsplit(":", 2)[0])
        if known is None:
            return
        workspace, profile = known
        if self._event_bytes + len(data) > MAX_EVENT_BYTES:
            return
        if not self._events:
            asyncio.get_running_loop().call_later(EVENT_SECONDS, self._is_dirty.set)
        self._event_bytes += len(data)
        text = data.decode("utf-8", "replace")
        place = str(workspace.root), profile, session_key
        self._events.append(Observed(time.time(), kind, *place, text))

    def _keep_look(self, number: Number, session: str, look: Look) -> None:
        self._writer.add_look(number, look.tree.encode("utf-8", "replace"), look.picture)
        self._is_dirty.set()
        # The observer would report each as it happens, which delays the page's own request.
        before = self._listed.get(session, set())
        now = {
            (each["index"], each["url"]): each for each in look.requests if "pending" not in each
        }
        self._listed[session] = set(now)
        for key, each in now.items():
            if key not in before:
                change = "failed" if "failure" in each else "finished"
                event = {"event": "network", "change": change, **masked(each)}
                text = json.dumps(event, ensure_ascii=False)
                self._note("network", session, text.encode("utf-8", "replace"))

    def _is_busy(self, profile_id: str) -> bool:
        return any(each.profile_id == profile_id for each in self._running)

    def _store(self, record: Record, request: Request) -> None:
        """Record a request that still runs."""
        envelope = None
        if record.mode == "full":
            envelope = masked_request(request, None).to_json().encode()
        record.is_stored = self._writer.begin(record.number, record.started, envelope)

    def _mode(self, workspace: Workspace, profile: str) -> HistoryMode:
        known = self._profiles.get(workspace)
        if known is None:
            if len(self._profiles) >= MAX_WORKSPACES:
                self._profiles.clear()
            known = self._profiles[workspace] = Profiles(workspace)
        try:
            return known.read_config(profile).history
        except PwError:  # the executor reports it
            return "full"

    def _check_modes(self) -> None:
        """Record no more events of profiles whose history was turned off; their pages may be open.

        One whose history was turned on follows with its next request.
        """
        for profile_id, (workspace, profile) in list(self._full.items()):
            if self._mode(workspace, profile) != "full":
                self._forget(profile_id)

    def _forget(self, profile_id: str) -> None:
        del self._full[profile_id]
        self._on_full()

    async def _keep_house(self) -> None:
        """Between requests: write events, index, compress and prune. No request waits for it."""
        prune_at = time.monotonic() + TIDY_SECONDS
        while not self._ending.is_set():
            await _within(prune_at - time.monotonic(), self._is_dirty)
            self._is_dirty.clear()
            try:
                await self._write_events()
                await self._wait_until_quiet()
                is_due = time.monotonic() >= prune_at
                if is_due:
                    prune_at = time.monotonic() + PRUNE_SECONDS
                await self._tidy(prunes=is_due)
            except (OSError, sqlite3.Error) as error:
                log.warning("the history could not be tidied: %s", error)

    async def _wait_until_quiet(self) -> None:
        """Until no request has run for a while; with a limit, as a search needs the index.

        What was recorded meanwhile is written to the database.
        """
        end = time.monotonic() + LONGEST_DELAY
        while not self._ending.is_set() and time.monotonic() < end:
            finished = self._finished
            await _within(TIDY_SECONDS, self._ending)
            await self._write_events()
            await asyncio.to_thread(self._writer.take_over)
            if not self._running and finished == self._finished:
                return

    async def _write_events(self) -> None:
        events, self._events, self._event_bytes = self._events, [], 0
        for start in range(0, len(events), EVENTS_AT_ONCE):
            part = events[start : start + EVENTS_AT_ONCE]
            await asyncio.to_thread(self._writer.add_events, part)

    async def _tidy(self, *, prunes: bool) -> None:
        if not self._writer.is_current():
            self._writer.reopen()
        if self._writer.problem is not None:
            return
        house = Housekeeper(self._writer.path, self._writer.lock)
        try:
            running = (each.number.id for each in self._running)
            first = min(running, default=self._writer.next_id)
            await asyncio.to_thread(self._writer.take_over)
            steps: list[Callable[[], bool]] = [partial(house.tidy, first)]
            if prunes or house.has_too_much:
                steps.append(house.prune)
            for step in steps:
                while not self._ending.is_set() and await asyncio.to_thread(step):
                    pass
        finally:
            house.close()


async def _within(seconds: float, event: asyncio.Event) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(max(seconds, 0.0)):
            await event.wait()
