"""Replays of recordings."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from textwrap import indent
from typing import Any, Literal, Protocol

from pwtui.keywords.to_line import to_line
from pwtui.protocol.envelope import Artifact, Request, Response
from pwtui.protocol.printable import counted
from pwtui.recordings.compare import Difference, differences
from pwtui.recordings.model import RecordedStep, Recording, durable
from pwtui.recordings.variables import hiding

Send = Callable[[Request], Awaitable[Response]]
StepOutcome = Literal["passed", "failed", "differs", "skipped"]


@dataclass(frozen=True)
class StepResult:
    step: RecordedStep
    line: str
    """The step as a keyword line."""
    outcome: StepOutcome
    seconds: float = 0.0
    response: Response | None = None
    different: tuple[Difference, ...] = ()

    @property
    def is_bad(self) -> bool:
        return self.outcome in ("failed", "differs")

    @property
    def stops(self) -> bool:
        """Whether later steps cannot be replayed; a response that only differs is no obstacle."""
        recorded = self.step.response
        if self.outcome == "differs" and recorded is not None and self.response is not None:
            return recorded.ok and not self.response.ok
        return self.outcome == "failed"

    @property
    def reason(self) -> str:
        if self.different:
            return "\n".join(map(str, self.different))
        error = self.response.error if self.response else None
        return f"{error.code}: {error}" if error else ""

    @property
    def artifacts(self) -> list[Artifact]:
        return list(self.response.artifacts or ()) if self.response and self.is_bad else []


@dataclass
class FileResult:
    path: Path
    steps: list[StepResult] = field(default_factory=list)
    problem: str | None = None
    """Why it could not be replayed."""
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    seconds: float = 0.0
    browser: str | None = None
    """The browser, if the recording is replayed in several."""

    @property
    def name(self) -> str:
        return f"{self.path} [{self.browser}]" if self.browser else str(self.path)

    @property
    def passed(self) -> bool:
        return self.problem is None and not any(step.is_bad for step in self.steps)

    @property
    def skipped(self) -> int:
        return sum(step.outcome == "skipped" for step in self.steps)

    def summary(self) -> str:
        """The outcome in one line, then each failure."""
        if self.problem is not None:
            return f"FAIL {self.name}\n{indent(self.problem, '  ')}"
        word, count = "PASS" if self.passed else "FAIL", len(self.steps)
        note = f", {self.skipped} not run" if self.skipped else ""
        lines = [f"{word} {self.name} ({counted(count, 'step')}{note}, {self.seconds:.1f} s)"]
        for number, step in enumerate(self.steps, 1):
            if step.is_bad:
                where = f"{self.path}:{step.step.line}: step {number} of {count}: {step.line}"
                artifacts = [f"{each.type}: {each.path}" for each in step.artifacts]
                lines.append(indent("\n".join([where, step.reason, *artifacts]), "  "))
        return "\n".join(lines)


class Watcher(Protocol):
    """Called before and after each step."""

    async def before(self, number: int, count: int, line: str) -> None: ...

    def after(self, result: StepResult) -> None: ...


async def replay(
    recording: Recording,
    perform: Send,
    watcher: Watcher,
    result: FileResult,
    *,
    keep_going: bool = False,
    compare: bool = False,
) -> None:
    """Replay the steps in order, up to the first that fails unless `keep_going`.

    Each outcome is in the result as soon as it is known.
    """
    hide = hiding(recording.values)
    began = time.monotonic()
    ended = False
    for number, recorded in enumerate(recording.steps, 1):
        step = durable(recorded)
        line = step.shown or to_line(step.request)
        # A step that failed when it was recorded is only run for a comparison.
        if ended or (recorded.failed and not compare):
            result.steps.append(StepResult(step, line, "skipped"))
            continue
        await watcher.before(number, len(recording.steps), line)
        done = await _run(step, line, perform, hide, compare=compare)
        result.steps.append(done)
        watcher.after(done)
        result.seconds = time.monotonic() - began
        ended = done.stops and not keep_going


async def _run(
    step: RecordedStep, line: str, perform: Send, hide: Callable[[Any], Any], *, compare: bool
) -> StepResult:
    began = time.monotonic()
    response = _without_values(await perform(step.request), hide)
    seconds = time.monotonic() - began
    outcome: StepOutcome = "passed" if response.ok else "failed"
    different: list[Difference] = []
    if compare and step.response is not None:
        different = differences(_without_values(step.response, hide), response)
        outcome = "differs" if different else "passed"
    return StepResult(step, line, outcome, seconds, response, tuple(different))


def _without_values(response: Response, hide: Callable[[Any], Any]) -> Response:
    """The response with variables instead of their values, except in paths of artifacts."""
    shown = Response.model_validate(hide(response.to_wire()))
    return shown.model_copy(update={"artifacts": response.artifacts})
