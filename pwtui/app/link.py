"""The panel's connection to the daemon: kept up, told from, sent through."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pwtui.app.store import LinkState
from pwtui.daemon.client import DaemonClient, DaemonGone
from pwtui.daemon.lifecycle import idle_seconds, make_way_for_us, spawn
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import PwError, SessionError

FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
PRIVATE_IDLE_SECONDS = 3.0
HELLO_SECONDS = 10.0


class Link:
    """Connects, subscribes, and connects again when the daemon went away.

    A private link has a server of its own, for profiles that do not want the daemon; it ends soon
    after the panel, however that ends.
    """

    def __init__(
        self,
        workspace: Path,
        *,
        on_event: Callable[[dict[str, Any]], None],
        on_state: Callable[[LinkState, str], None],
        private: bool = False,
    ) -> None:
        self._workspace = workspace
        self._on_event = on_event
        self._on_state = on_state
        self._folder = tempfile.mkdtemp(prefix="pwtui-") if private else None
        self._client: DaemonClient | None = None
        self._connected = asyncio.Event()
        self._wanted = asyncio.Event()
        self._wanted.set()
        self._generation = 0
        self.source = ""
        self.client_id = -1

    @property
    def is_connected(self) -> bool:
        return self._client is not None and self._client.connected

    async def run(self) -> None:
        """Until cancelled: keep the connection up, with growing pauses between tries."""
        pause = FIRST_PAUSE
        try:
            while True:
                await self._wanted.wait()
                self._on_state("connecting", "")
                try:
                    client = await self._connect()
                except (PwError, OSError, TimeoutError) as error:
                    self._on_state("gone", str(error))
                    await asyncio.sleep(pause)
                    pause = min(pause * 2, LONGEST_PAUSE)
                    continue
                pause = FIRST_PAUSE
                self._client = client
                self._connected.set()
                self._on_state("connected", "")
                await client.closed()
                self._connected.clear()
                self._client = None
                await client.close()
                self._on_state("gone" if self._wanted.is_set() else "stopped", "")
        finally:
            if self._client is not None:
                await self._client.close()
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)

    async def send(self, request: Request, *, look: bool = False) -> Response:
        """The response; an error response when the daemon cannot be reached."""
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                await self._connected.wait()
        except TimeoutError:
            problem = SessionError("the daemon cannot be reached; see the Daemon pane")
            return Response.failure(request.op, problem, request_id=request.request_id)
        client = self._client
        try:
            if client is None:
                raise DaemonGone
            return await (client.look(request) if look else client.request(request))
        except PwError as error:
            return Response.failure(request.op, error, request_id=request.request_id)

    async def control(self, command: str, **fields: Any) -> dict[str, Any] | None:
        """A control message's reply; None while there is no connection."""
        client = self._client
        if client is None:
            return None
        try:
            return await client.control(command, **fields)
        except PwError:
            return None

    def hold(self) -> None:
        """Do not connect again until `resume`: the person stopped the daemon."""
        self._wanted.clear()

    def resume(self) -> None:
        self._wanted.set()

    async def _connect(self) -> DaemonClient:
        client = await DaemonClient.connect(self._folder)
        if client is None:
            idle = idle_seconds() if self._folder is None else PRIVATE_IDLE_SECONDS
            await spawn(idle, folder=self._folder)
            client = await self._reach()
        try:
            return await self._introduce(client)
        except BaseException:
            await client.close()
            raise

    async def _introduce(self, client: DaemonClient) -> DaemonClient:
        self._generation += 1
        source = self.source = f"{id(self)}:{self._generation}"
        client.on_event(lambda event: self._on_event({**event, "source": source}))
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                greeting = await client.hello(
                    workspace=self._workspace, cwd=Path.cwd(), client="pwtui", mode="batch"
                )
                self.client_id = greeting["clientId"]
                await client.control("subscribe")
        except BaseException:
            await client.close()
            raise
        if await make_way_for_us(client, greeting, lambda _: None):
            await client.close()
            return await self._connect()
        return client

    async def _reach(self) -> DaemonClient:
        async with asyncio.timeout(HELLO_SECONDS):
            while True:
                client = await DaemonClient.connect(self._folder)
                if client is not None:
                    return client
                await asyncio.sleep(0.02)
