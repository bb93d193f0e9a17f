"""One connected extension, which is one browser profile.

A frame is a line of JSON, the head, and optionally a body: the JSON of an event or a result. Bodies
may be large, so they are forwarded as text and parsed only if the relay needs them.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pwtui.relay.send_queue import SendQueue
from pwtui.relay.targets import RelayTarget

log = logging.getLogger(__name__)

REQUEST_SECONDS = 15.0

Params = dict[str, Any]
Done = Callable[[Params | None, str], None]
"""Called with an error, or with None and the JSON of the result."""


class CdpError(Exception):
    """An error response of CDP."""

    def __init__(self, message: str, code: int = -32000) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class ExtensionInfo:
    """The extension's description of itself and its browser."""

    install: str
    browser: str
    agent: str
    version: str


class ExtensionConnection:
    """Sends requests to an extension and has its targets by session."""

    def __init__(
        self,
        info: ExtensionInfo,
        queue: SendQueue,
        on_event: Callable[[ExtensionConnection, str, str | None, str], None],
    ) -> None:
        self.info = info
        self.id = info.install
        self.targets: dict[str, RelayTarget] = {}
        self.last_detached: RelayTarget | None = None
        self.connected_at = time.time()
        self.last_seen = time.monotonic()
        self.close = queue.close
        self._queue = queue
        self._on_event = on_event
        self._pending: dict[int, Done] = {}
        self._ids = itertools.count(1)

    @property
    def tabs(self) -> list[RelayTarget]:
        return [target for target in self.targets.values() if target.is_tab]

    def find(self, target_id: str) -> RelayTarget | None:
        return next((t for t in self.targets.values() if t.id == target_id), None)

    def receive(self, frame: str) -> None:
        """Handle one frame synchronously, so that results and events keep their order.

        Raises ValueError, KeyError or TypeError if it is not a frame.
        """
        self.last_seen = time.monotonic()
        line, _, body = frame.partition("\n")
        head = json.loads(line)
        if not isinstance(head, dict):
            raise TypeError("the head is not an object")
        if head.get("method") == "forwardCDPEvent":
            self._on_event(self, str(head["event"]), head.get("sessionId"), body or "{}")
        elif "id" in head:
            done = self._pending.pop(head["id"], None)
            if done is None:
                log.info("a response without a request: %s", head["id"])
            else:
                done(head.get("error"), body or "{}")

    def forward(self, session: str, message: str, done: Done) -> None:
        """Send a message to a tab unchanged; `done` is called with the response."""
        self._send({"method": "forwardCDPCommand", "sessionId": session}, done, message)

    def send(self, session: str, message: str) -> None:
        """Send a message to a tab without waiting for the response; an error is logged."""

        def done(error: Params | None, result: str) -> None:
            if error is not None:
                log.info("%s failed: %s", json.loads(message)["method"], error["message"])

        self.forward(session, message, done)

    async def command(self, session: str, method: str, params: Params | None = None) -> Params:
        """Run a command of the relay in a tab."""
        message = json.dumps({"method": method, "params": params or {}})
        return await self._answer(lambda done: self.forward(session, message, done), method)

    async def request(self, method: str, params: Params | None = None) -> Params:
        """Send a request to the extension itself."""
        head = {"method": method, "params": params or {}}
        return await self._answer(lambda done: self._send(head, done), method)

    def ping(self) -> None:
        """Keep the extension's worker alive: a message resets its idle time."""
        self._queue.put('{"method":"ping"}')

    def fail_pending(self) -> None:
        """Fail the pending requests after the end of the connection."""
        self.targets.clear()
        pending, self._pending = self._pending, {}
        for done in pending.values():
            done({"code": -32000, "message": "Extension connection closed"}, "")

    def _send(self, head: Params, done: Done, body: str | None = None) -> None:
        id = next(self._ids)
        self._pending[id] = done
        line = json.dumps({"id": id, **head}, separators=(",", ":"))
        self._queue.put(line if body is None else f"{line}\n{body}")

    async def _answer(self, send: Callable[[Done], None], method: str) -> Params:
        future: asyncio.Future[Params] = asyncio.get_running_loop().create_future()

        def done(error: Params | None, result: str) -> None:
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
