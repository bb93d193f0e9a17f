"""The link to a daemon: finds or starts it, and reconnects when it exits."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from pwtui import __version__
from pwtui.client.connection import DaemonConnection, DaemonGone, Event, OnEvent
from pwtui.client.start import connect_or_start, replaced_if_older, silent
from pwtui.daemon.line_protocol import EVENTS
from pwtui.protocol.errors import PwError
from pwtui.runtime.caller import Caller

FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
ATTEMPTS = 3
_numbers = itertools.count(1)


class DaemonLink:
    """Has at most one connection, which all requests share.

    `on_event` gets what the daemon publishes, and `connection` events of this link with `state`
    (connecting, connected, gone, stopped) and `problem`. `link` in all of them identifies the
    connection: the daemon numbers requests from one again when it restarts.
    """

    def __init__(
        self,
        name: str,
        *,
        folder: str | None = None,
        idle: float | None = None,
        on_event: OnEvent | None = None,
    ) -> None:
        self._name = name
        self._folder = folder
        self._idle = idle
        self._listeners: list[tuple[OnEvent, frozenset[str]]] = []
        if on_event is not None:
            self._listeners.append((on_event, frozenset(EVENTS)))
        self._observed: dict[str, Any] = {}
        self._subscribed: dict[str, Any] = {}
        self._connection: DaemonConnection | None = None
        self._caller: Caller | None = None
        self._connecting = asyncio.Lock()
        self._is_closed = False
        self._conversations: set[asyncio.Task[None]] = set()
        self._wanted = asyncio.Event()
        self._wanted.set()
        self.source = ""
        self.has_started_daemon = False

    @property
    def is_connected(self) -> bool:
        return self._connection is not None and self._connection.is_open

    async def connect(self, caller: Caller, *, start: bool = True) -> DaemonConnection | None:
        """A connection for this caller; None if no daemon is running and none is started."""
        async with self._connecting:
            if self._is_closed:
                raise DaemonGone
            if not self.is_connected:
                self._connection = await self._open(caller, start and self._wanted.is_set())
            elif self._connection is not None and caller != self._caller:
                await self._greet(self._connection, caller)
            if self._connection is not None:
                await self._subscribe(self._connection)
            return self._connection

    @contextmanager
    def listening(self, on_event: OnEvent, kinds: Iterable[str] | None = ()) -> Iterator[None]:
        """Deliver events of these kinds from the next `connect` on: all without, none for None."""
        listener = (on_event, frozenset(() if kinds is None else kinds or EVENTS))
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    async def observe(
        self, kinds: Iterable[str], profile: str | None, frames: dict[str, int] | None = None
    ) -> None:
        """Deliver these events of a profile's sessions, or of all, also after a reconnect.

        `frames` is how large `frame` events are at most.
        """
        self._observed = {"kinds": list(kinds), "profile": profile}
        if frames is not None:
            self._observed["frames"] = frames
        if self._connection is not None and self.is_connected:
            await self._subscribe(self._connection)

    async def control(self, command: str, **fields: Any) -> dict[str, Any] | None:
        """A control message's reply; None while there is no connection."""
        if self._connection is None:
            return None
        try:
            return await self._connection.control(command, **fields)
        except PwError:
            return None

    async def keep_connected(self, caller: Caller) -> None:
        """Reconnect when the daemon exits, with increasing delays, until cancelled."""
        pause = FIRST_PAUSE
        while True:
            await self._wanted.wait()
            self._publish("connecting")
            try:
                connection = await self.connect(caller)
            except (PwError, OSError) as error:
                self._publish("gone", str(error))
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
                continue
            if connection is None:
                continue
            pause = FIRST_PAUSE
            source = self.source
            self._publish("connected")
            await connection.closed()
            await connection.close()
            self._publish("gone" if self._wanted.is_set() else "stopped", source=source)

    def hold(self) -> None:
        """Start no daemon until `resume`."""
        self._wanted.clear()

    def resume(self) -> None:
        self._wanted.set()

    async def close(self) -> None:
        """Close the connection, also one that is being opened, and open no other."""
        self._is_closed = True
        async with self._connecting:
            await self.disconnect()

    async def disconnect(self) -> None:
        """Close the connection; the next request opens another one."""
        for task in self._conversations:
            task.cancel()
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def _open(self, caller: Caller, start: bool) -> DaemonConnection | None:
        show = caller.conversation.show
        for _ in range(ATTEMPTS):
            connection = await DaemonConnection.connect(self._folder)
            if connection is None:
                if not start:
                    return None
                say = show if caller.verbosity else silent
                self.has_started_daemon = True
                connection, _ = await connect_or_start(
                    say, idle=self._idle, folder=self._folder, warm=True
                )
            try:
                greeting = await self._greet(connection, caller)
                if not await replaced_if_older(connection, greeting, show):
                    return connection
            except DaemonGone:
                pass  # it was exiting, and was asked for nothing yet
            except BaseException:
                await connection.close()
                raise
            await connection.close()
            start = True
        raise DaemonGone

    async def _greet(self, connection: DaemonConnection, caller: Caller) -> dict[str, Any]:
        if connection is not self._connection:
            source = self.source = str(next(_numbers))
            self._subscribed = {}
            connection.on_event = lambda event: self._receive(connection, event, source)
        artifacts = str(caller.artifacts_dir) if caller.artifacts_dir else None
        greeting = await connection.control(
            "hello",
            version=__version__,
            client=self._name,
            workspace=str(caller.workspace.root),
            cwd=str(caller.cwd),
            profile=caller.profile,
            mode=caller.mode,
            artifactsDir=artifacts,
            verbosity=caller.verbosity,
            impatient=caller.impatient,
        )
        self._caller = caller
        return greeting

    async def _subscribe(self, connection: DaemonConnection) -> None:
        events = frozenset[str]().union(*(kinds for _, kinds in self._listeners))
        wanted = {"events": sorted(events), **self._observed}
        if wanted != (self._subscribed or {"events": []}):
            await connection.control("subscribe", **wanted)
            self._subscribed = wanted

    def _receive(self, connection: DaemonConnection, event: Event, source: str) -> None:
        if event["event"] == "tell" and self._caller is not None:
            self._caller.conversation.show(str(event["text"]))
        elif event["event"] == "ask" and self._caller is not None:
            task = asyncio.create_task(_converse(connection, self._caller))
            self._conversations.add(task)
            task.add_done_callback(self._conversations.discard)
        else:
            self._deliver({**event, "link": source})

    def _deliver(self, event: Event) -> None:
        for on_event, kinds in list(self._listeners):
            if event["event"] in kinds or event["event"] not in EVENTS:
                on_event(event)

    def _publish(self, state: str, problem: str = "", source: str = "") -> None:
        event = {"event": "connection", "state": state, "problem": problem}
        self._deliver({**event, "link": source or self.source})


async def _converse(connection: DaemonConnection, caller: Caller) -> None:
    await caller.conversation.wait_for_enter()
    connection.send({"cmd": "answer"})
