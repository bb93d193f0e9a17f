"""Starts, monitors and replaces workers: one for each profile with a session."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

from pwtui.browser.launch.other_browsers import OtherBrowsers
from pwtui.browser.launch.processes import is_stopped, kill_tree
from pwtui.browser.launch.registry import remove_dead_bindings
from pwtui.daemon.filters import EventFilter, wanted_of
from pwtui.daemon.launcher import Launcher
from pwtui.daemon.shown import Shown
from pwtui.daemon.worker_link import Dropped, WorkerLink, WorkerLost
from pwtui.daemon.worker_processes import (
    end_leftovers,
    lower_priority,
    memory_of,
    remove_descriptor,
    remove_leftovers,
)
from pwtui.operations.framework.call import NoHolds, SessionHolds
from pwtui.protocol.addresses import SessionKey, is_bound_key, owner_id
from pwtui.protocol.events import BrowserEvent
from pwtui.protocol.models import SessionData

log = logging.getLogger(__name__)

START_SECONDS = 30.0
LOOK_SECONDS = 1.0
STOPPED_SECONDS = 2.0
SILENT_SECONDS = 8.0
"""A worker that does not respond for this time is killed; sooner if its process is stopped."""
IDLE_SECONDS = 1.0
"""A worker without a session exits after this time."""
SPARE_SECONDS = 60.0
"""How long a spare worker and the forking process are kept after a session was started."""
SPARE_DELAY = 2.0
"""Delay before a spare worker is started after a session was opened."""
LIST_SECONDS = 1.5
# Longer than a worker takes to close a browser that hangs, or to write a HAR file.
CLOSE_SECONDS = 13.0
REUSED_PART = 4
"""A worker that uses less than this part of the memory limit can have another session."""
MEMORY_VARIABLE = "PWTUI_WORKER_MEMORY"
SPARE_VARIABLE = "PWTUI_SPARE_WORKER"
DEFAULT_MEMORY_MIB = 1536

Publish = Callable[[str, dict[str, Any]], None]


class Workers:
    """Finds or starts the worker of a profile; has the sessions of all workers.

    A worker that observes a bound browser has the key of that in place of a profile's id.
    """

    def __init__(
        self, publish: Publish, *, launcher: Launcher | None = None, temporary: Path | None = None
    ) -> None:
        self.others = OtherBrowsers()
        self.others.on_change = lambda: publish("session", {"change": "others"})
        self.wanted_of: Callable[[str], dict[str, Any]] = lambda profile_id: {}
        """The events that the worker of a profile has to publish."""
        self.on_observed: Callable[[str, str, bytes], None] = lambda kind, session_key, data: None
        """Called with an event of a session."""
        self.on_dropped: Callable[[Dropped], None] = lambda counts: None
        """Called with the numbers of events that a worker could not send."""
        self.holds: SessionHolds = NoHolds()
        self.is_held: Callable[[str], bool] = lambda profile_id: False
        self._publish = publish
        self._launcher = launcher or Launcher()
        self._temporary = temporary
        self._of_profile: dict[str, WorkerLink] = {}
        self._spare: WorkerLink | None = None
        self._lost: dict[str, str] = {}
        self._cleaning: dict[WorkerLink, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._watching: asyncio.Task[None] | None = None
        self._last_start = 0.0
        self._is_closing = False
        self._memory_limit = _memory_limit()
        self._keeps_spare = os.environ.get(SPARE_VARIABLE) != "0"

    @property
    def sessions(self) -> list[SessionData]:
        """The sessions of profiles, as the workers last described them."""
        found = [each for worker in self._of_profile.values() for each in worker.sessions]
        return [each for each in found if each.origin == "pwtui"]

    @property
    def driver_pids(self) -> set[int]:
        workers = [*self._of_profile.values(), *filter(None, [self._spare])]
        return {each.driver.pid for each in workers if each.driver is not None}

    @property
    def bound_keys(self) -> list[str]:
        """The bound browsers that have a worker."""
        return [key for key in self._of_profile if is_bound_key(key)]

    def session_of(self, profile_id: str, shown: Shown | None) -> str | None:
        """The key of the session in which a request of this profile ran, as far as it is known."""
        worker = self._of_profile.get(profile_id)
        found = worker.sessions if worker is not None else []
        browser = shown.browser if shown is not None else None
        return next((e.session_key for e in found if browser in (None, e.browser)), None)

    def find(self, profile_id: str) -> WorkerLink | None:
        worker = self._of_profile.get(profile_id)
        return worker if worker is not None and worker.is_open else None

    def get(self, profile_id: str) -> WorkerLink:
        """The worker of a profile, started if it has none."""
        if (known := self.find(profile_id)) is not None:
            return known
        worker = self._take_idle() or self._take_spare()
        worker.hold()
        self._of_profile[profile_id] = worker
        worker.adopt(profile_id, lost=self._lost.get(profile_id))
        worker.on_sessions = lambda: self._sessions_changed(profile_id, worker)
        worker.on_event = lambda event: self._forward_event(profile_id, worker, event)
        worker.on_observed = self.on_observed
        worker.on_dropped = self.on_dropped
        worker.observe(self.wanted_of(profile_id))
        self._run(self._start(worker, profile_id))
        return worker

    def end(self, profile_id: str) -> None:
        """Let a worker exit that nothing needs any more."""
        if (worker := self._of_profile.pop(profile_id, None)) is not None:
            worker.exit()

    def warm_up(self, end: socket.socket | None = None) -> None:
        """Start a spare worker for the next session; `end` is the socket of one that runs."""
        if self._spare is None and not self._is_closing:
            self._spare = self._new()
            self._run(self._start(self._spare, end=end))

    def _take_idle(self) -> WorkerLink | None:
        """A worker whose session was closed, with a driver that runs, unless it has grown."""
        limit = self._memory_limit // REUSED_PART
        for profile_id, worker in self._of_profile.items():
            is_free = worker.is_reusable and profile_id not in self._lost
            if is_free and memory_of(worker) < limit:
                return self._of_profile.pop(profile_id)
        return None

    def _take_spare(self) -> WorkerLink:
        """The spare worker, or else a new one."""
        spare, self._spare = self._spare, None
        return spare or self._new()

    def _new(self) -> WorkerLink:
        worker = WorkerLink()
        worker.on_end = lambda: self._ended(worker)
        return worker

    # Queries about all sessions.

    async def listed(self) -> list[SessionData]:
        """All sessions; for a worker that does not respond, the last known ones."""
        workers = list(self._of_profile.values())
        found = await asyncio.gather(*map(self._sessions_of, workers))
        listed = [session for sessions in found for session in sessions]
        for session in listed:
            if session.session_key and self.is_held(owner_id(session.session_key)):
                session.held = True
        return listed

    def observe(self) -> None:
        """Let all workers publish what is wanted now."""
        for profile_id, worker in self._of_profile.items():
            worker.observe(self.wanted_of(profile_id))

    def repeat(self, filter: EventFilter) -> None:
        """Let workers publish states again that a new subscriber wants."""
        for profile_id, worker in self._of_profile.items():
            if filter.concerns(profile_id):
                worker.repeat(wanted_of([filter], profile_id))

    def acknowledge(self, session_key: str) -> None:
        """A subscriber can take another frame of a session."""
        if (worker := self.find(owner_id(session_key))) is not None:
            worker.acknowledge(session_key)

    async def states(self) -> list[dict[str, Any]]:
        """The sessions with their tabs, except for workers that do not respond."""
        found = await asyncio.gather(*(self._ask(each, "state") for each in self._workers()))
        return [session for sessions in found for session in sessions or ()]

    async def settled(self) -> bool:
        """Wait until all events so far are published; False if a worker does not respond."""
        found = await asyncio.gather(
            *(self._ask(each, "sync", CLOSE_SECONDS) for each in self._workers())
        )
        return all(found)

    def is_starting(self, workspace_id: str, profile: str) -> bool:
        worker = self.find(f"{workspace_id}:{profile}")
        return worker is not None and worker.is_busy and not worker.sessions

    async def stop(self, keys: Collection[SessionKey], pid: int | None) -> bool:
        profiles = {f"{key.workspace_id}:{key.profile}" for key in keys}
        stopped = False
        for profile_id in profiles:
            self._lost.pop(profile_id, None)
        for worker in filter(None, map(self.find, profiles)):
            had_session = bool(worker.sessions)
            try:
                stopped |= await worker.ask("stop", keys=[str(key) for key in keys], pid=pid)
            except WorkerLost:
                stopped |= had_session
        return stopped

    async def close(self) -> None:
        """End all workers: ask first, then kill."""
        self._is_closing = True
        self.others.close()
        if self._watching is not None:
            self._watching.cancel()
        for task in self._tasks:
            task.cancel()
        workers = [*self._of_profile.values(), *filter(None, [self._spare])]
        await asyncio.gather(*map(self._end, workers))
        await asyncio.gather(*self._cleaning.values(), return_exceptions=True)
        self._launcher.close()

    # Starting.

    async def _start(
        self,
        worker: WorkerLink,
        profile_id: str | None = None,
        end: socket.socket | None = None,
    ) -> None:
        """Start its process, after the profile's previous workers have exited."""
        self._last_start = time.monotonic()
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        try:
            last = [task for each, task in self._cleaning.items() if each.profile_id == profile_id]
            if last:
                await asyncio.wait(last)
            if not worker.is_attached:
                await worker.attach(end or self._launcher.start())
            worker.release()
        except BaseException as error:
            worker.loss = (f"could not be started: {error}", "workerGone")
            worker.end()
            raise

    # Watching.

    def _ended(self, worker: WorkerLink) -> None:
        """The worker has exited: remove its processes and files.

        At once, as the next request of its profile may come now.
        """
        if self._is_closing:
            return  # which does the same for all
        if worker is self._spare:
            self._spare = None
        profile_id, lost = worker.profile_id, worker.sessions
        if self._of_profile.get(profile_id) is worker:
            del self._of_profile[profile_id]
        if lost and not is_bound_key(profile_id):
            pids = ", ".join(str(each.pid) for each in lost if each.pid)
            reason = f"the last session was lost: its worker {worker.loss[0]} (process {pids})"
            log.warning("%s of %s: %s", worker.process, profile_id, reason)
            self._lost[profile_id] = reason
        cleaning = asyncio.create_task(self._clean_up(worker))
        self._cleaning[worker] = cleaning
        cleaning.add_done_callback(lambda _: self._cleaning.pop(worker))
        for session in lost:
            place = {"workspace": session.workspace, "profile": session.profile}
            event = {"change": "closed", "sessionKey": session.session_key, **place}
            self._publish("session", event | {"unexpected": True})
            self._publish_end(session)

    def _publish_end(self, session: SessionData) -> None:
        """The event of a session whose worker is lost, and cannot publish it."""
        event = BrowserEvent(
            time=time.time(),
            session_key=session.session_key or "",
            workspace=session.workspace,
            profile=session.profile,
            client=session.title if session.origin == "playwright" else None,
            change="ended",
            how="workerLost",
        )
        self.on_observed("browser", event.session_key, event.model_dump_json().encode())

    async def _clean_up(self, worker: WorkerLink) -> None:
        """Kill the leftover processes of a worker, and remove its files."""
        await asyncio.to_thread(end_leftovers, worker)
        if self._temporary is not None:
            await asyncio.to_thread(remove_leftovers, self._temporary)
        await asyncio.to_thread(remove_dead_bindings)
        for session in worker.sessions:
            remove_descriptor(session)

    async def _watch(self) -> None:
        """Monitor the workers: replace those that hang, stop those that are not needed."""
        looks = 0
        while self._of_profile or self._spare is not None or self._keeps_forker():
            began = time.monotonic()
            await asyncio.sleep(LOOK_SECONDS)
            now = time.monotonic()
            # If the daemon did not get the CPU, the workers did not either.
            is_late = now - began > 2 * LOOK_SECONDS
            looks += 1
            for profile_id, worker in list(self._of_profile.items()):
                if is_late:
                    worker.silent_since = worker.silent_since and now
                self._check(worker, now, looks)
                is_idle = not worker.is_busy and now - worker.idle_since > IDLE_SECONDS
                if is_idle and not worker.sessions:
                    self.end(profile_id)
            self._watch_spare(now)
        self._launcher.close()

    def _check(self, worker: WorkerLink, now: float, looks: int) -> None:
        if worker.process is None:
            if now - worker.created > START_SECONDS:
                self._kill(worker, "did not start", "workerGone")
                worker.end()
            return
        silent = now - worker.silent_since if worker.silent_since is not None else 0.0
        if silent > STOPPED_SECONDS and is_stopped(worker.process.pid):
            self._kill(worker, "was stopped and was killed", "workerHung")
        elif silent > SILENT_SECONDS:
            self._kill(worker, "did not respond and was killed", "workerHung")
        elif looks % 5 == 0 and (used := memory_of(worker)) > self._memory_limit:
            reason = f"used {used // 2**20} MiB of memory and was killed"
            self._kill(worker, reason, "memoryLimit")
        else:
            worker.ping()
            if worker.is_flooded(now) and worker.process is not None:
                lower_priority(worker.process)
                worker.has_low_priority = True

    def _watch_spare(self, now: float) -> None:
        age = now - self._last_start
        if age > SPARE_SECONDS and self._spare is not None:
            self._spare.exit()
            self._spare = None
        elif SPARE_DELAY < age < SPARE_SECONDS and self._keeps_spare and self.sessions:
            self.warm_up()

    def _keeps_forker(self) -> bool:
        return time.monotonic() - self._last_start < SPARE_SECONDS

    def _kill(self, worker: WorkerLink, reason: str, cause: str) -> None:
        """Kill a worker and its child processes; its requests fail, its session is lost."""
        worker.loss = (reason, cause)
        if worker.process is not None and worker.process.is_running():
            kill_tree(worker.process.pid)

    async def _end(self, worker: WorkerLink) -> None:
        worker.exit()
        end = time.monotonic() + CLOSE_SECONDS
        while worker.is_open and time.monotonic() < end:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await worker.ended.wait()
            if worker.is_open and worker.process is not None:
                worker.ping()
                silent = time.monotonic() - (worker.silent_since or inf)
                if is_stopped(worker.process.pid) or silent > SILENT_SECONDS:
                    break
        if worker.is_open:
            self._kill(worker, "did not exit and was killed", "workerHung")
            worker.end()
        await self._clean_up(worker)

    async def _sessions_of(self, worker: WorkerLink) -> list[SessionData]:
        if (found := await self._ask(worker, "sessions")) is not None:
            return [SessionData.model_validate(each) for each in found]
        return worker.sessions if worker.is_open else []

    async def _ask(self, worker: WorkerLink, what: str, seconds: float = LIST_SECONDS) -> Any:
        """The worker's reply; None if it does not respond in time."""
        with suppress(WorkerLost, TimeoutError):
            async with asyncio.timeout(seconds):
                return await worker.ask(what)
        return None

    def _workers(self) -> list[WorkerLink]:
        return [each for each in self._of_profile.values() if each.is_open]

    def _sessions_changed(self, profile_id: str, worker: WorkerLink) -> None:
        worker.idle_since = self._last_start = time.monotonic()
        if worker.sessions:
            self._lost.pop(profile_id, None)

    def _forward_event(self, profile_id: str, worker: WorkerLink, event: dict[str, Any]) -> None:
        kind = event.pop("event")
        if event.get("unexpected"):
            # The worker may exit before the profile's next request, whose response reports it.
            pids = {each.session_key: each.pid for each in worker.sessions}
            pid = pids.get(event["sessionKey"])
            process = f" (process {pid})" if pid else ""
            self._lost[profile_id] = f"the browser of the last session had exited{process}"
        self._publish(kind, event)

    def _run(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("fault in the supervision of workers", exc_info=error)


def _memory_limit() -> int:
    text = os.environ.get(MEMORY_VARIABLE, "")
    return int(text if text.isdigit() else DEFAULT_MEMORY_MIB) * 2**20
