"""The way to one daemon: found or started, greeted, and connected again when it exits."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from pwtui import __version__
from pwtui.client.connection import DaemonConnection, DaemonGone, Event, OnEvent
from pwtui.client.start import connect_or_start, replaced_if_older, silent
from pwtui.protocol.errors import PwError
from pwtui.runtime.caller import Caller

FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
ATTEMPTS = 3
_numbers = itertools.count(1)


class DaemonLink:
    """Has at most one connection, which all requests share.

    `on_event` gets what the daemon publishes, and `connection` events of this link with `state`
    (connecting, connected, gone, stopped) and `problem`. `source` in all of them identifies the
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
        self._on_event = on_event
        self._connection: DaemonConnection | None = None
        self._caller: Caller | None = None
        self._connecting = asyncio.Lock()
        self._conversations: set[asyncio.Task[None]] = set()
        self._wanted = asyncio.Event()
        self._wanted.set()
        self.source = ""

    @property
    def is_connected(self) -> bool:
        return self._connection is not None and self._connection.is_open

    async def connect(self, caller: Caller, *, start: bool = True) -> DaemonConnection | None:
        """A connection that knows this caller; None when no daemon runs and none is started."""
        async with self._connecting:
            if not self.is_connected:
                self._connection = await self._open(caller, start and self._wanted.is_set())
            elif self._connection is not None and caller != self._caller:
                await self._greet(self._connection, caller)
            return self._connection

    async def control(self, command: str, **fields: Any) -> dict[str, Any] | None:
        """A control message's reply; None while there is no connection."""
        if self._connection is None:
            return None
        try:
            return await self._connection.control(command, **fields)
        except PwError:
            return None

    async def keep_connected(self, caller: Caller) -> None:
        """Until cancelled: connect again when the daemon exits, with growing pauses."""
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
        """Close the connection; the next request opens another one."""
        for task in self._conversations:
            task.cancel()
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def _open(self, caller: Caller, start: bool) -> DaemonConnection | None:
        tell = caller.conversation.tell
        for _ in range(ATTEMPTS):
            connection = await DaemonConnection.connect(self._folder)
            if connection is None:
                if not start:
                    return None
                say = tell if caller.verbosity else silent
                connection, _ = await connect_or_start(say, idle=self._idle, folder=self._folder)
            try:
                greeting = await self._greet(connection, caller)
                if not await replaced_if_older(connection, greeting, tell):
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
        is_new = connection is not self._connection
        if is_new:
            self.source = str(next(_numbers))
            source = self.source
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
        if is_new and self._on_event is not None:
            await connection.control("subscribe")
        return greeting

    def _receive(self, connection: DaemonConnection, event: Event, source: str) -> None:
        if event["event"] == "tell" and self._caller is not None:
            self._caller.conversation.tell(str(event["text"]))
        elif event["event"] == "ask" and self._caller is not None:
            task = asyncio.create_task(_converse(connection, self._caller))
            self._conversations.add(task)
            task.add_done_callback(self._conversations.discard)
        elif self._on_event is not None:
            self._on_event({**event, "source": source})

    def _publish(self, state: str, problem: str = "", source: str = "") -> None:
        if self._on_event is not None:
            event = {"event": "connection", "state": state, "problem": problem}
            self._on_event({**event, "source": source or self.source})


async def _converse(connection: DaemonConnection, caller: Caller) -> None:
    await caller.conversation.wait_for_enter()
    connection.send({"cmd": "answer"})
