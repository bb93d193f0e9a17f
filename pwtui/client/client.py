"""Sends requests to the daemon, or runs them here for profiles that do not use it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pwtui.client.connection import OnEvent
from pwtui.client.link import DaemonLink
from pwtui.client.routing import place_of
from pwtui.client.start import OutsideControl
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import PwError, SessionError
from pwtui.runtime.caller import Caller

if TYPE_CHECKING:
    from pwtui.engine.executor import Executor

PRIVATE_IDLE_SECONDS = 3.0


class Client:
    """Sends requests to the daemon, started when one needs a browser, or runs them here.

    With `in_process=False` nothing runs in this process: profiles that do not use the daemon get a
    private server, which exits soon after this process, however that ends.
    """

    def __init__(
        self,
        name: str,
        *,
        idle: float | None = None,
        on_event: OnEvent | None = None,
        in_process: bool = True,
    ) -> None:
        self.daemon = DaemonLink(name, idle=idle, on_event=on_event)
        self.name = name
        self._idle = idle
        self._on_event = on_event
        self._in_process = in_process
        self._folder: str | None = None
        self._private: DaemonLink | None = None
        self._executor: Executor | None = None
        self._closing: asyncio.Task[None] | None = None
        self.missed_daemon = False
        """Whether a request ran here that a running daemon would have handled faster."""

    async def perform(self, request: Request, caller: Caller) -> Response:
        """The response; an error response when the daemon cannot be reached."""
        try:
            place = place_of(request, caller)
            if not self._in_process or place in ("daemon", "any"):
                link = self._server(place)
                start = not self._in_process or place == "daemon"
                connection = await link.connect(caller, start=start)
                if connection is not None:
                    return await connection.request(request)
                if start:
                    raise SessionError("the daemon cannot be reached: it was stopped")
                self.missed_daemon = True
        except PwError as error:
            return Response.failure(request.op, error, request_id=request.request_id)
        return await self._here().execute(request, caller)

    async def look(self, request: Request, caller: Caller) -> Response:
        """Like perform, for what only reads: it starts no browser, and no subscriber sees it."""
        try:
            link = self._server(place_of(request, caller))
            connection = await link.connect(caller, start=not self._in_process)
            if connection is None:
                raise SessionError("the daemon cannot be reached: it is not running")
            return await connection.request(request, look=True)
        except PwError as error:
            return Response.failure(request.op, error, request_id=request.request_id)

    async def cancel(
        self, *, request_id: str | None = None, source: str = "", seq: int | None = None
    ) -> bool:
        """Cancel a request of this client by its id, or one of any client by source and seq."""
        which = {"requestId": request_id} if request_id else {"seq": seq}
        for link in (self.daemon, self._private):
            if link is not None and source in ("", link.source):
                reply = await link.control("cancel", **which)
                if reply is not None and reply["cancelled"]:
                    return True
        return False

    async def close(self) -> None:
        """Close every connection, even if the caller is cancelled meanwhile."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        await self.daemon.close()
        if self._private is not None:
            await self._private.close()
            from shutil import rmtree

            rmtree(self._folder or "", ignore_errors=True)
        if self._executor is not None:
            await self._executor.close()

    def _server(self, place: str) -> DaemonLink:
        if place != "private" or self._in_process:
            return self.daemon
        if self._private is None:
            from tempfile import mkdtemp

            self._folder = mkdtemp(prefix="pwtui-")
            self._private = DaemonLink(
                self.name, folder=self._folder, idle=PRIVATE_IDLE_SECONDS, on_event=self._on_event
            )
        return self._private

    def _here(self) -> Executor:
        if self._executor is None:
            # Half a second to import: only where the daemon does not do the work.
            from pwtui.engine.executor import Executor

            self._executor = Executor(daemon=OutsideControl(idle=self._idle))
        return self._executor
