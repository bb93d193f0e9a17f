"""One connected extension: a browser profile whose tabs can be used."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pwtui.relay.frames import decode, encode
from pwtui.relay.send_queue import Outbox
from pwtui.relay.targets import Target

log = logging.getLogger(__name__)

REQUEST_SECONDS = 15.0

Done = Callable[[dict[str, Any] | None, str], None]
"""Takes an error, or None and the text of the result."""


class CdpError(Exception):
    """An answer that says no, as the protocol has it."""

    def __init__(self, message: str, code: int = -32000) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class ExtensionInfo:
    """What an extension says of itself."""

    install: str
    browser: str
    agent: str
    version: str


class Extension:
    """Sends requests to an extension and knows its targets by session."""

    def __init__(
        self,
        info: ExtensionInfo,
        outbox: Outbox,
        on_event: Callable[[Extension, str, str | None, str], None],
    ) -> None:
        self.info = info
        self.id = info.install
        self.targets: dict[str, Target] = {}
        self.last_detached: Target | None = None
        self.connected_at = time.time()
        self.last_seen = time.monotonic()
        self._outbox = outbox
        self._on_event = on_event
        self._pending: dict[int, Done] = {}
        self._ids = itertools.count(1)

    @property
    def tabs(self) -> list[Target]:
        return [target for target in self.targets.values() if target.is_tab]

    def find(self, target_id: str) -> Target | None:
        return next((t for t in self.targets.values() if t.id == target_id), None)

    def take(self, frame: str) -> None:
        """Handle one frame at once, so that answers and events keep their order."""
        self.last_seen = time.monotonic()
        head, body = decode(frame)
        if head.get("method") == "forwardCDPEvent":
            self._on_event(self, str(head["event"]), head.get("sessionId"), body or "{}")
        elif "id" in head:
            done = self._pending.pop(head["id"], None)
            if done is None:
                log.info("an answer without a request: %s", head["id"])
            else:
                done(head.get("error"), body or "{}")

    def forward(self, session: str, message: str, done: Done) -> None:
        """Pass a client's message on as it is; `done` is called in the order of answers."""
        id = self._expect(done)
        head = {"id": id, "method": "forwardCDPCommand", "sessionId": session}
        self._outbox.put(encode(head, message))

    def send(self, session: str, message: str) -> None:
        """A message whose answer is not waited for; an error is logged."""

        def done(error: dict[str, Any] | None, result: str) -> None:
            if error is not None:
                log.info("%s failed: %s", json.loads(message)["method"], error["message"])

        self.forward(session, message, done)

    async def command(
        self, session: str, method: str, params: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """A command of the relay itself."""
        message = json.dumps({"method": method, "params": params or {}})
        return await self._answer(lambda done: self.forward(session, message, done), method)

    async def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Something that only the extension can do."""

        def send(done: Done) -> None:
            head = {"id": self._expect(done), "method": method, "params": params or {}}
            self._outbox.put(encode(head))

        return await self._answer(send, method)

    def ping(self) -> None:
        """A message resets the time after which Chrome ends an idle worker."""
        self._outbox.put(encode({"method": "ping"}))

    def close(self, code: int, reason: str) -> None:
        self._outbox.close(code, reason)

    def gone(self) -> None:
        """The connection ended: fail what waits for it."""
        self.targets.clear()
        pending, self._pending = self._pending, {}
        for done in pending.values():
            done({"code": -32000, "message": "Extension connection closed"}, "")

    def _expect(self, done: Done) -> int:
        id = next(self._ids)
        self._pending[id] = done
        return id

    async def _answer(self, send: Callable[[Done], None], method: str) -> dict[str, Any]:
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

        def done(error: dict[str, Any] | None, result: str) -> None:
            if future.done():
                return
            if error is not None:
                future.set_exception(CdpError(str(error["message"]), int(error["code"])))
            else:
                future.set_result(json.loads(result))

        send(done)
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                return await future
        except TimeoutError:
            message = f"Extension request timeout after {REQUEST_SECONDS * 1000:g}ms: {method}"
            raise CdpError(message) from None
