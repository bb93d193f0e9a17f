"""A client of the daemon's socket that uses none of the product's code."""

from __future__ import annotations

import itertools
import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from tests.waiting import LIMIT, eventually

Message = dict[str, Any]


class Wire:
    """One connection. What was not waited for yet is kept."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(LIMIT)
        try:
            self.socket.connect(str(path))
        except BaseException:
            self.socket.close()
            raise
        self.kept: list[Message] = []
        self._received = b""
        self._numbers = itertools.count(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.socket.close()

    def send(self, *lines: Message | bytes) -> None:
        parts = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines]
        self.socket.sendall(b"".join(part + b"\n" for part in parts))

    def read(self) -> Message | None:
        """The next line; None at the end of the connection."""
        while b"\n" not in self._received:
            try:
                data = self.socket.recv(1 << 20)
            except ConnectionError:
                return None
            if not data:
                return None
            self._received += data
        line, _, self._received = self._received.partition(b"\n")
        message: Message = json.loads(line)
        return message

    def wait(self, matches: Callable[[Message], bool], what: str = "a message") -> Message:
        """The first message that matches; the others are kept for later."""
        for message in self.kept:
            if matches(message):
                self.kept.remove(message)
                return message
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            message_or_end = self.read()
            assert message_or_end is not None, f"the connection ended before {what}"
            if matches(message_or_end):
                return message_or_end
            self.kept.append(message_or_end)
        raise AssertionError(f"{what} did not come")

    def has_ended(self) -> bool:
        """Whether the daemon closes the connection."""
        end = time.monotonic() + LIMIT
        while (message := self.read()) is not None:
            assert time.monotonic() < end, "the daemon keeps sending"
            self.kept.append(message)
        return True

    def ask(self, command: str, **fields: Any) -> Message:
        """The reply to a control message."""
        name = f"k{next(self._numbers)}"
        self.send({"cmd": command, "id": name, **fields})
        return self.wait(lambda message: message.get("id") == name, f"the reply to {command}")

    def request(
        self,
        op: str,
        input: Message | None = None,
        *,
        profile: str | None = None,
        overrides: Message | None = None,
        name: str | None = None,
    ) -> str:
        """Send an envelope; its id."""
        name = name or f"r{next(self._numbers)}"
        message: Message = {"op": op, "requestId": name, "input": input or {}}
        message["runtime"] = {"profile": profile, "overrides": overrides}
        self.send(message)
        return name

    def answer(self, name: str) -> Message:
        is_it = lambda message: message.get("requestId") == name and "event" not in message  # noqa: E731
        return self.wait(is_it, f"the response to {name}")

    def call(self, op: str, input: Message | None = None, **more: Any) -> Message:
        """The response to an envelope."""
        return self.answer(self.request(op, input, **more))

    def data(self, op: str, input: Message | None = None, **more: Any) -> Any:
        """The data of an envelope that must succeed."""
        response = self.call(op, input, **more)
        assert response["ok"], response["error"]
        return response["data"]

    def event(self, kind: str, matches: Callable[[Message], bool] = lambda _: True) -> Message:
        return self.wait(lambda each: each.get("event") == kind and matches(each), f"event {kind}")

    def running(self) -> list[Message]:
        """The requests that the daemon is at."""
        found: list[Message] = self.ask("status")["requestsRunning"]
        return found

    def wait_until_running(self, count: int) -> None:
        eventually(lambda: len(self.running()) == count, f"{count} requests run")
