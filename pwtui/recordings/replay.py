"""Carrying a recording out again, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pwtui.keywords.to_line import to_line
from pwtui.protocol.envelope import Artifact, Request, Response
from pwtui.recordings.compare import Difference, differences
from pwtui.recordings.model import RecordedStep, Recording, durable
from pwtui.recordings.variables import hiding

Perform = Callable[[Request], Awaitable[Response]]
Outcome = Literal["passed", "failed", "differs", "skipped"]


@dataclass(frozen=True)
class StepResult:
    step: RecordedStep
    line: str
    """The step as a keyword line."""
    outcome: Outcome
    seconds: float = 0.0
    response: Response | None = None
    different: tuple[Difference, ...] = ()

    @property
    def is_bad(self) -> bool:
        return self.outcome in ("failed", "differs")

    @property
    def stops(self) -> bool:
        """Whether the steps after it have lost their ground; another text is no reason."""
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
    """What came of one file."""

    path: Path
    steps: list[StepResult] = field(default_factory=list)
    problem: str | None = None
    """Why it could not be replayed at all."""
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return self.problem is None and not any(step.is_bad for step in self.steps)

    @property
    def bad(self) -> list[StepResult]:
        return [step for step in self.steps if step.is_bad]


@dataclass(frozen=True)
class Watcher:
    """Called for each step as it comes."""

    before: Callable[[int, int, str], Awaitable[bool]]
    """Number, count and line of the step that is next; False ends the replay."""
    after: Callable[[StepResult], None]


async def replay(
    recording: Recording,
    perform: Perform,
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
        # What failed then has no place in a replay, but has in a comparison.
        is_left_out = recorded.failed and not compare
        step = durable(recorded)
        line = step.shown or to_line(step.request)
        if ended or is_left_out:
            result.steps.append(StepResult(step, line, "skipped"))
            continue
        if not await watcher.before(number, len(recording.steps), line):
            ended = True
            result.steps.append(StepResult(step, line, "skipped"))
            continue
        done = await _carry_out(step, line, perform, hide, compare=compare)
        result.steps.append(done)
        watcher.after(done)
        result.seconds = time.monotonic() - began
        ended = done.stops and not keep_going


def _without_values(response: Response, hide: Callable[[Any], Any]) -> Response:
    """The response with variables in place of their values; paths must still lead to the files."""
    shown = Response.model_validate(hide(response.to_wire()))
    return shown.model_copy(update={"artifacts": response.artifacts})


async def _carry_out(
    step: RecordedStep, line: str, perform: Perform, hide: Callable[[Any], Any], *, compare: bool
) -> StepResult:
    began = time.monotonic()
    response = _without_values(await perform(step.request), hide)
    seconds = time.monotonic() - began
    outcome: Outcome = "passed" if response.ok else "failed"
    different: list[Difference] = []
    if compare and step.response is not None:
        different = differences(_without_values(step.response, hide), response)
        outcome = "differs" if different else "passed"
    return StepResult(step, line, outcome, seconds, response, tuple(different))
