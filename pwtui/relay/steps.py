"""The seven steps between an endpoint and a script that runs in a page, and their hints.

Playwright waits for each of them in silence; the first that did not happen shows the cause.
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
    "nothing answers at this address: is the browser or the relay running?",
    "the server refused the WebSocket: check the token, Origin and path",
    "connected, but Browser.getVersion has no answer: is this a CDP endpoint?",
    "Target.setAutoAttach was not sent or not answered: no page is announced",
    "no page was announced: attach a tab with the extension's button, or open one",
    "Runtime.enable was not sent or not answered: is the tab frozen, or behind a dialog?",
    "the page has no JavaScript context yet: is it still loading, paused in a debugger, or "
    "crashed?",
)


@dataclass
class ConnectionProgress:
    """The steps that one connection, or one page of it, has reached; times in ms since `began`."""

    steps: Sequence[ConnectionStep]
    began: float = field(default_factory=time.monotonic)
    reached: dict[ConnectionStep, float] = field(default_factory=dict)

    def reach(self, step: ConnectionStep) -> None:
        """Note a step; only its first time counts."""
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
