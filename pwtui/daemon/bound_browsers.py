"""Observes the browsers that other Playwright programs bound, while a subscriber wants to know.

Each has a worker, like a profile. It starts when the first subscriber comes, and exits when the
last one has left and nothing is held.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from pwtui.browser.launch.other_browsers import bound_session, unix_listeners
from pwtui.browser.launch.registry import bound_browsers
from pwtui.daemon.worker_link import WorkerLink, WorkerLost
from pwtui.daemon.workers import Workers
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.events import UnseenEvent
from pwtui.protocol.models import SessionData

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
"""How often the registry is read while a subscriber wants to know."""
MAX_LOSSES = 2
"""How many workers may exit before a browser counts as one that cannot be observed."""
JOIN_SECONDS = 8.0
"""How long a new subscriber waits for the browsers that are there."""


class BoundBrowsers:
    """Has a worker for each bound browser that is wanted.

    `is_wanted` gets the key of a browser, or None to ask about any that may come.
    """

    def __init__(self, workers: Workers, is_wanted: Callable[[str | None], bool]) -> None:
        self._workers = workers
        self._is_wanted = is_wanted
        self._sessions: dict[str, SessionData] = {}
        """All that were found, by their keys; those of this daemon have no entry."""
        self._known: set[str] = set()
        self._joining: dict[str, asyncio.Task[None]] = {}
        self._failed: set[str] = set()
        self._losses: Counter[str] = Counter()
        self._used: Counter[str] = Counter()
        self._following: asyncio.Task[None] | None = None
        self._has_looked = asyncio.Event()
        self._must_look = asyncio.Event()

    def update(self) -> None:
        """Subscribers have changed."""
        self._end_unwanted()
        if self._has_work():
            self._has_looked.clear()
            self._must_look.set()
            if self._following is None or self._following.done():
                self._following = asyncio.create_task(self._follow())

    async def joined(self) -> None:
        """Wait until the wanted browsers that are there are observed, but not for long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(JOIN_SECONDS):
                if self._has_work():
                    await self._has_looked.wait()
                await asyncio.gather(*self._joining.values())

    async def key_of(self, name: str) -> str:
        """The key of the browser that was bound with this name; raises InvalidInput."""
        await self._look()
        keys = [key for key, each in self._sessions.items() if each.title == name]
        if len(keys) == 1:
            return keys[0]
        problem = f"{len(keys)} browsers have the name" if keys else "there is no session"
        raise InvalidInput(f"session: {problem} {name!r}", hint="see `session.list` for its key")

    async def worker_of(self, session_key: str) -> WorkerLink | None:
        """The worker of a browser, started if it has none; None if it cannot be observed."""
        await self._look()
        self._join(session_key)
        await asyncio.gather(*filter(None, [self._joining.get(session_key)]))
        return self._workers.find(session_key) if session_key not in self._failed else None

    @contextmanager
    def using(self, session_key: str) -> Iterator[None]:
        """Keep the worker of a browser meanwhile."""
        self._used[session_key] += 1
        try:
            yield
        finally:
            self._used[session_key] -= 1
            self.update()

    def close(self) -> None:
        for task in (*self._joining.values(), *filter(None, [self._following])):
            task.cancel()

    def _has_work(self) -> bool:
        return self._is_wanted(None) or any(map(self._is_held, self._workers.bound_keys))

    def _is_held(self, key: str) -> bool:
        """Whether the program's actions are held, or soon will be."""
        worker = self._workers.find(key)
        sessions = worker.sessions if worker is not None else []
        return self._used[key] > 0 or any(each.held for each in sessions)

    async def _follow(self) -> None:
        while self._has_work():
            self._must_look.clear()
            await self._look(self._trusted())
            for key in self._sessions:
                if self._is_wanted(key):
                    self._join(key)
            self._end_unwanted()
            if not self._must_look.is_set():
                self._has_looked.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._must_look.wait()

    async def _look(self, trusted: frozenset[str] = frozenset()) -> None:
        """Read the registry; what listens there is not asked for trusted keys."""
        ours = {each.ws_endpoint for each in self._workers.sessions}
        ours |= {each.cdp_endpoint for each in self._workers.sessions}
        drivers = self._workers.driver_pids
        found = await asyncio.to_thread(_found, frozenset(self._known), trusted)
        self._known &= found.keys()
        self._failed &= found.keys()
        for key in self._sessions.keys() - found.keys():
            del self._sessions[key]
        for key, new in found.items():
            if new is not None:
                self._known.add(key)
                session, listener = new
                if listener not in drivers and session.ws_endpoint not in ours:
                    self._sessions[key] = session

    def _trusted(self) -> frozenset[str]:
        """Browsers that are observed, or will not be: their programs need not notice us."""
        return frozenset(
            key
            for key in self._known
            if key not in self._sessions
            or key in self._failed
            or not self._is_wanted(key)
            or self._workers.find(key) is not None
        )

    def _join(self, key: str) -> None:
        is_there = self._workers.find(key) is not None or key in self._joining
        if is_there or key in self._failed or key not in self._sessions:
            return
        task = self._joining[key] = asyncio.create_task(self._start(self._sessions[key], key))
        task.add_done_callback(lambda _: self._joining.pop(key, None))

    async def _start(self, session: SessionData, key: str) -> None:
        worker = self._workers.get(key)
        problem: str | None
        try:
            problem = await worker.ask("join", session=session.to_wire())
            self._losses.pop(key, None)
        except WorkerLost as error:
            self._losses[key] += self._is_wanted(key)  # or it was ended meanwhile
            problem = error.message if self._losses[key] > MAX_LOSSES else None
        if problem is not None:
            log.warning("cannot observe %s (%s): %s", session.title, key, problem)
            self._failed.add(key)
            event = UnseenEvent(
                time=time.time(),
                session_key=key,
                workspace=session.workspace,
                client=session.title,
                kind="browser",
                reason=problem,
            )
            self._workers.on_observed("browser", key, event.model_dump_json().encode())

    def _end_unwanted(self) -> None:
        for key in self._workers.bound_keys:
            if not self._is_wanted(key) and not self._is_held(key):
                self._workers.end(key)


def _found(
    known: frozenset[str], trusted: frozenset[str]
) -> dict[str, tuple[SessionData, int | None] | None]:
    """All live entries by their keys; described, with the process that listens, if new."""
    entries = [each for each in bound_browsers() if each.session_key in trusted or each.is_live]
    is_new = any(each.session_key not in known for each in entries)
    listeners = unix_listeners() if is_new else {}
    found: dict[str, tuple[SessionData, int | None] | None] = {}
    for each in entries:
        listener = listeners.get(each.endpoint)
        is_known = each.session_key in known
        found[each.session_key] = None if is_known else (bound_session(each, listener), listener)
    return found
