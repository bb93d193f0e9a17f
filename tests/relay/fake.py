"""A fake extension, for behaviour that the real one does not show on demand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from pwtui.relay.access import EXTENSION_ORIGIN
from pwtui.relay.server import RelayServer
from pwtui.state.relay_records import proof
from tests.relay.rig import eventually
from tests.waiting import within

TOKEN = "secret"
PAIRING = "pair"
CHALLENGE = "c" * 32

Answer = Callable[[str, dict[str, Any]], dict[str, Any] | None]


class FakeExtension:
    """Answers commands by a function; None is no answer."""

    def __init__(self, socket: ClientConnection, answer: Answer) -> None:
        self.socket = socket
        self.requests: list[str] = []
        self.commands: list[str] = []
        self._answer = answer

    async def run(self) -> None:
        with suppress(ConnectionClosed):
            async for frame in self.socket:
                await self.take(str(frame))

    async def take(self, frame: str) -> None:
        line, _, body = frame.partition("\n")
        head = json.loads(line)
        if head["method"] != "forwardCDPCommand":
            self.requests.append(head["method"])
            if "id" in head:
                await self.socket.send(json.dumps({"id": head["id"]}) + "\n{}")
            return
        command = json.loads(body)
        self.commands.append(command["method"])
        result = self._answer(command["method"], command.get("params", {}))
        if result is not None:
            await self.socket.send(f"{json.dumps({'id': head['id']})}\n{json.dumps(result)}")

    async def event(self, method: str, params: dict[str, Any], session: str | None = None) -> None:
        head = {"method": "forwardCDPEvent", "event": method, "sessionId": session}
        await self.socket.send(f"{json.dumps(head)}\n{json.dumps(params)}")

    async def attach(self, session: str, url: str) -> None:
        info = {"targetId": f"T{session}", "type": "page", "url": url, "title": ""}
        params = {"sessionId": session, "targetInfo": info, "waitingForDebugger": False}
        await self.event("Target.attachedToTarget", params)


@asynccontextmanager
async def relay(**options: Any) -> AsyncIterator[tuple[RelayServer, int]]:
    """A relay in this process."""
    server = RelayServer(lambda: TOKEN, lambda: PAIRING, **options)
    port = await server.start(0)
    try:
        yield server, port
    finally:
        await server.stop()


@asynccontextmanager
async def extension(
    port: int, answer: Answer = lambda method, params: {}, install: str = "fake"
) -> AsyncIterator[FakeExtension]:
    async with unpaired(port, install) as socket:
        first = json.loads(await within(socket.recv()))
        parts = (port, CHALLENGE, first["challenge"])
        assert first["proof"] == proof(PAIRING, "relay", *parts)
        await socket.send(json.dumps({"proof": proof(PAIRING, "extension", *parts)}))
        fake = FakeExtension(socket, answer)
        reading = asyncio.create_task(fake.run())

        async def accepted() -> bool:
            return bool(fake.requests)

        try:
            await eventually(accepted, "the relay accepted the extension")
            yield fake
        finally:
            reading.cancel()


def unpaired(port: int, install: str = "fake") -> connect:
    """A connection as an extension makes it, before anything is proved."""
    query = f"install={install}&browser=Fake/1.0&agent=Fake&challenge={CHALLENGE}"
    url = f"ws://127.0.0.1:{port}/extension?{query}"
    return connect(url, origin=Origin(EXTENSION_ORIGIN))


def client(port: int, path: str = "", query: str = "", **options: Any) -> connect:
    return connect(f"ws://127.0.0.1:{port}/cdp{path}?token={TOKEN}{query}", **options)
