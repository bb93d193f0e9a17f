"""One connected extension: a browser profile whose tabs can be used.

A frame is a line of JSON, the head, and maybe a body: the text of an event or an answer. Pages can
send much, so a body is forwarded as it came, and parsed only where the relay needs it.
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
"""Takes an error, or None and the text of the result."""


class CdpError(Exception):
    """An error answer of the protocol."""

    def __init__(self, message: str, code: int = -32000) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class ExtensionInfo:
    """The description that an extension sends when it connects."""

    install: str
    browser: str
    agent: str
    version: str


class ExtensionConnection:
    """Sends requests to an extension and knows its targets by session."""

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
        """Handle one frame at once, so that answers and events keep their order.

        Raises ValueError, KeyError or TypeError for what is not a frame.
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
                log.info("an answer without a request: %s", head["id"])
            else:
                done(head.get("error"), body or "{}")

    def forward(self, session: str, message: str, done: Done) -> None:
        """Send a message to a tab as it is; `done` is called in the order of answers."""
        self._send({"method": "forwardCDPCommand", "sessionId": session}, done, message)

    def send(self, session: str, message: str) -> None:
        """Send a message to a tab without waiting; an error is logged."""

        def done(error: Params | None, result: str) -> None:
            if error is not None:
                log.info("%s failed: %s", json.loads(message)["method"], error["message"])

        self.forward(session, message, done)

    async def command(self, session: str, method: str, params: Params | None = None) -> Params:
        """Run a command of the relay itself in a tab."""
        message = json.dumps({"method": method, "params": params or {}})
        return await self._answer(lambda done: self.forward(session, message, done), method)

    async def request(self, method: str, params: Params | None = None) -> Params:
        """Ask for what only the extension can do."""
        head = {"method": method, "params": params or {}}
        return await self._answer(lambda done: self._send(head, done), method)

    def ping(self) -> None:
        """A message resets the time after which Chrome ends an idle worker."""
        self._queue.put('{"method":"ping"}')

    def fail_pending(self) -> None:
        """The connection has ended."""
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
