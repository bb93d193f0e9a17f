"""Recording what is typed: idle, recording or paused."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import InvalidInput, IoError
from pwtui.protocol.secrets import masked
from pwtui.recordings.envelopes import write_envelopes
from pwtui.recordings.formats import encode, format_of
from pwtui.recordings.steps import Recording, Step, as_kept, durable
from pwtui.recordings.variables import missing
from pwtui.state.files import write_atomic

State = Literal["idle", "recording", "paused"]


class NotRecording(InvalidInput):
    """There is no recording that this could be done to."""

    def __init__(self) -> None:
        super().__init__("nothing is being recorded; start with .record [FILE]")


@dataclass(frozen=True)
class Saved:
    """A recording that was written."""

    path: Path
    count: int
    warnings: list[tuple[int, str]]
    """What got lost, by step."""
    variables: list[str]

    def __str__(self) -> str:
        note = f"saved {self.count} commands to {self.path}"
        if self.variables:
            given = " ".join(f"--var {name}=…" for name in self.variables)
            note += f"; secrets became variables: replay it with {given}"
        return note


class Recorder:
    """Keeps the commands that worked, with their responses, without their secrets."""

    def __init__(self, cwd: Path) -> None:
        self._cwd = cwd
        self._steps: list[Step] = []
        self.path: Path | None = None
        self.state: State = "idle"

    def __len__(self) -> int:
        return len(self._steps)

    def start(self, name: str | None) -> Path:
        if self.state != "idle":
            raise InvalidInput(f"already recording to {self.path}; .save or .discard it first")
        path = self._cwd / (name or f"session-{time.strftime('%Y-%m-%dT%H-%M-%S')}.pw")
        if format_of(path) is None:
            raise InvalidInput(f"{name}: a recording ends in .pw, .ndjson or .py")
        self.path, self._steps, self.state = path, [], "recording"
        return path

    def note(self, request: Request, response: Response) -> None:
        if self.state == "recording" and response.ok:
            kept = response.model_copy(update={"data": masked(response.data)})
            step = Step(len(self._steps) + 1, as_kept(request, response), kept)
            self._steps.append(step)

    def pause(self) -> State:
        """Pause, or go on."""
        if self.state == "idle":
            raise NotRecording
        self.state = "paused" if self.state == "recording" else "recording"
        return self.state

    def discard(self) -> int:
        if self.state == "idle":
            raise NotRecording
        count = len(self._steps)
        self._end()
        return count

    def save(self) -> Saved:
        """Write the file."""
        if self.path is None:
            raise NotRecording
        path, count = self.path, len(self._steps)
        recording = Recording(path, tuple(self._steps))
        warnings: list[tuple[int, str]] = []
        format = format_of(path) or "pw"
        if format == "ndjson":
            text = write_envelopes(map(durable, self._steps), pairs=True)
        else:
            text, warnings = encode(
                recording, format, heading=f"recorded {time.strftime('%Y-%m-%d %H:%M')}"
            )
        try:
            write_atomic(path, text.encode("utf-8", "replace"), private=True)
        except OSError as error:
            raise IoError.of(f"write {path}", error) from error
        variables = missing((durable(step).request.input for step in self._steps), {})
        self._end()
        return Saved(path, count, warnings, variables)

    def _end(self) -> None:
        self.path, self._steps, self.state = None, [], "idle"
