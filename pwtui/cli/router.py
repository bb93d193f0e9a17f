"""Who carries a command's requests out: the daemon, or this process."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pwtui.cli.terminal import Terminal
from pwtui.daemon.client import DaemonClient, DaemonGone
from pwtui.daemon.lifecycle import OutsideControl, connect_or_start, make_way_for_us
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import InvalidInput, PwError
from pwtui.runtime.caller import Caller
from pwtui.runtime.resolve import choose_profile, resolve_runtime
from pwtui.state.profiles import Profiles

if TYPE_CHECKING:
    from pwtui.engine.executor import Executor


class Router:
    """Sends requests to the daemon, started when one needs a browser, or runs them here."""

    def __init__(self, terminal: Terminal, name: str, *, idle: float | None = None) -> None:
        self._terminal = terminal
        self._name = name
        self._idle = idle
        self._client: DaemonClient | None = None
        self._local: Executor | None = None
        self._asked: set[asyncio.Task[None]] = set()

    async def perform(self, request: Request, caller: Caller) -> Response:
        try:
            if _wants_daemon(request, caller):
                client = await self.connect(caller, start=False)
                if client is None and _needs_browser(request, caller):
                    client = await self.connect(caller, start=True)
                if client is not None:
                    return await client.request(request)
        except InvalidInput:
            pass  # what is wrong with the request, the executor says best
        except PwError as error:
            if isinstance(error, DaemonGone):
                self._client = None
            return Response.failure(request.op, error, request_id=request.request_id)
        return await self._here().execute(request, caller)

    async def close(self) -> None:
        for task in self._asked:
            task.cancel()
        if self._client is not None:
            await self._client.close()
        if self._local is not None:
            await self._local.close()

    @property
    def is_connected(self) -> bool:
        return self._client is not None and self._client.connected

    async def look(self, request: Request) -> Response | None:
        """For what only looks: starts nothing and is told to nobody; None without a connection."""
        if self._client is None or not self._client.connected:
            return None
        return await self._client.look(request)

    async def disconnect(self) -> None:
        """Let the daemon go; the next request connects again."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def connect(self, caller: Caller, *, start: bool) -> DaemonClient | None:
        """The connection to the daemon; None when none runs and none is to be started."""
        if self._client is not None and self._client.connected:
            return self._client
        client = await DaemonClient.connect()
        if client is None:
            if not start:
                return None
            client, _ = await connect_or_start(self._say(caller), idle=self._idle)
        try:
            greeting = await self._greet(client, caller)
        except DaemonGone:
            # It was just ending. Nothing was asked of it yet, so the next one may be.
            await client.close()
            client, _ = await connect_or_start(self._say(caller), idle=self._idle)
            greeting = await self._greet(client, caller)
        if await make_way_for_us(client, greeting, self._terminal.err):
            await client.close()
            client, _ = await connect_or_start(self._say(caller), idle=self._idle)
            await self._greet(client, caller)
        self._client = client
        return client

    async def _greet(self, client: DaemonClient, caller: Caller) -> dict[str, Any]:
        client.on_event(lambda event: self._take(client, event))
        artifacts = str(caller.artifacts_dir) if caller.artifacts_dir else None
        return await client.hello(
            workspace=caller.workspace.root,
            cwd=caller.cwd,
            client=self._name,
            profile=caller.profile,
            mode=caller.mode,
            artifactsDir=artifacts,
            verbosity=caller.verbosity,
            impatient=caller.impatient,
        )

    def _take(self, client: DaemonClient, event: dict[str, Any]) -> None:
        if event["event"] == "tell":
            self._terminal.tell(str(event["text"]))
        elif event["event"] == "ask":
            task = asyncio.create_task(self._answer(client))
            self._asked.add(task)
            task.add_done_callback(self._asked.discard)

    async def _answer(self, client: DaemonClient) -> None:
        await self._terminal.wait_for_enter()
        client.send({"cmd": "answer"})

    def _say(self, caller: Caller) -> Any:
        return self._terminal.err if caller.verbosity else lambda _: None

    def _here(self) -> Executor:
        if self._local is None:
            # Half a second to import: only where the daemon does not do the work.
            from pwtui.engine.executor import Executor

            control = OutsideControl(lambda _: None, idle=self._idle)
            self._local = Executor(daemon=control)
        return self._local


def _wants_daemon(request: Request, caller: Caller) -> bool:
    info = catalog().get(request.op)
    if info is not None and info.runs_in == "client":
        return False
    name = choose_profile(request.profile, caller.profile)
    config = Profiles(caller.workspace).peek(name)
    return resolve_runtime(name, request.overrides, config, caller.workspace).use_daemon


def _needs_browser(request: Request, caller: Caller) -> bool:
    info = catalog().get(request.op)
    if info is None or (info.interactive and caller.mode == "batch"):
        return False
    return info.runs_in == "session"
