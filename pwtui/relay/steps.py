"""The seven steps from an endpoint to a script in a page, and a hint for each.

Playwright waits for each step without a message; the first missing step shows the cause.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class ConnectionStep(StrEnum):
    ENDPOINT = "endpoint"
    WEBSOCKET = "webSocket"
    VERSION = "getVersion"
    AUTO_ATTACH = "setAutoAttach"
    ATTACHED = "attachedToTarget"
    RUNTIME = "runtimeEnable"
    CONTEXT = "executionContextCreated"

    @property
    def number(self) -> int:
        return list(ConnectionStep).index(self) + 1

    @property
    def hint(self) -> str:
        return HINTS[self.number - 1]


CLIENT_STEPS = tuple(ConnectionStep)[:4]
TARGET_STEPS = tuple(ConnectionStep)[4:]

HINTS = (
    "no server answers at this address: check that the browser or the relay is running",
    "the server refused the WebSocket: check the token, the Origin and the path",
    "no response to Browser.getVersion: check that this is a CDP endpoint",
    "Target.setAutoAttach was not sent or has no response: pages are announced only after it",
    "no page was announced: attach a tab with the extension's button, or open one",
    "Runtime.enable was not sent or has no response: the tab may be frozen or have an open dialog",
    "the page has no JavaScript context: it may be loading, paused in a debugger, or crashed",
)


@dataclass
class ConnectionProgress:
    """The steps that a connection or a page has reached; times in ms since `began`."""

    steps: Sequence[ConnectionStep]
    began: float = field(default_factory=time.monotonic)
    reached: dict[ConnectionStep, float] = field(default_factory=dict)

    def reach(self, step: ConnectionStep) -> None:
        """Record the time of a step, unless it has one."""
        self.reached.setdefault(step, self._elapsed)

    @property
    def missing(self) -> ConnectionStep | None:
        return next((step for step in self.steps if step not in self.reached), None)

    @property
    def _elapsed(self) -> float:
        return round((time.monotonic() - self.began) * 1000, 2)

    def to_wire(self) -> dict[str, Any]:
        steps = [{**_wire(step), "atMs": self.reached.get(step)} for step in self.steps]
        missing = None
        if (step := self.missing) is not None:
            waited = round(self._elapsed - max(self.reached.values(), default=0.0), 2)
            missing = {**_wire(step), "hint": step.hint, "waitedMs": waited}
        return {"steps": steps, "missing": missing}


def _wire(step: ConnectionStep) -> dict[str, Any]:
    return {"step": step, "number": step.number}
