"""The seven steps between an endpoint and user code that runs, and what a missing one means.

Playwright waits for each of them in silence. Whoever can name the first that did not happen knows
where to look.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Step(StrEnum):
    ENDPOINT = "endpoint"
    WEBSOCKET = "webSocket"
    VERSION = "getVersion"
    AUTO_ATTACH = "setAutoAttach"
    ATTACHED = "attachedToTarget"
    RUNTIME = "runtimeEnable"
    CONTEXT = "executionContextCreated"

    @property
    def number(self) -> int:
        return list(Step).index(self) + 1


CLIENT_STEPS = (Step.ENDPOINT, Step.WEBSOCKET, Step.VERSION, Step.AUTO_ATTACH)
TARGET_STEPS = (Step.ATTACHED, Step.RUNTIME, Step.CONTEXT)

HINTS = {
    Step.ENDPOINT: "nothing answers at this address: is the browser or the relay running?",
    Step.WEBSOCKET: "the server refused the WebSocket: check the token, Origin and path",
    Step.VERSION: "connected, but Browser.getVersion has no answer: is this a CDP endpoint?",
    Step.AUTO_ATTACH: "Target.setAutoAttach was not sent or not answered: no page is announced",
    Step.ATTACHED: "no page was announced: attach a tab with the extension's button, or open one",
    Step.RUNTIME: "Runtime.enable was not sent or not answered: is the tab frozen, or behind a "
    "dialog?",
    Step.CONTEXT: "the page has no JavaScript context yet: is it still loading, paused in a "
    "debugger, or crashed?",
}


@dataclass
class Progress:
    """How far one connection, or one page of it, has come; times in ms since it began."""

    steps: Sequence[Step]
    began: float = field(default_factory=time.monotonic)
    reached: dict[Step, float] = field(default_factory=dict)

    def reach(self, step: Step) -> None:
        """Note a step; only its first time counts."""
        if step not in self.reached:
            self.reached[step] = (time.monotonic() - self.began) * 1000

    @property
    def missing(self) -> Step | None:
        return next((step for step in self.steps if step not in self.reached), None)

    def to_wire(self) -> dict[str, Any]:
        steps = [
            {"step": step, "number": step.number, "atMs": _ms(self.reached.get(step))}
            for step in self.steps
        ]
        missing = None
        if (step := self.missing) is not None:
            now = (time.monotonic() - self.began) * 1000
            waited = now - max(self.reached.values(), default=0.0)
            missing = {
                "step": step,
                "number": step.number,
                "hint": HINTS[step],
                "waitedMs": _ms(waited),
            }
        return {"steps": steps, "missing": missing}


def _ms(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
