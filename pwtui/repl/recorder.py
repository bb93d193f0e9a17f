"""Recording what is typed: idle, recording or paused."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import InvalidInput, IoError
from pwtui.protocol.secrets import masked
from pwtui.recordings.formats import encode, format_of
from pwtui.recordings.model import RecordedStep, Recording, as_kept, durable
from pwtui.recordings.ndjson import write_ndjson
from pwtui.recordings.variables import missing
from pwtui.state.files import write_atomic

BLANK = "about:blank"
State = Literal["idle", "recording", "paused"]


class NotRecording(InvalidInput):
    """There is no recording that this could be done to."""

    def __init__(self) -> None:
        super().__init__("nothing is being recorded", hint="start with .record [FILE]")


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
        self._steps: list[RecordedStep] = []
        self._tabs = _Numbers({})
        self.path: Path | None = None
        self.starts_at: str | None = None
        """The page that was open when the recording began; it is gone to first."""
        self.state: State = "idle"

    def __len__(self) -> int:
        return len(self._steps) + (self.starts_at is not None)

    def start(self, name: str | None, tabs: Mapping[str, Any]) -> Path:
        """Begin, on the page of the current tab, as tabs.list describes it."""
        if self.state != "idle":
            raise InvalidInput(f"already recording to {self.path}; .save or .discard it first")
        path = self._cwd / (name or f"session-{time.strftime('%Y-%m-%dT%H-%M-%S')}.pw")
        if format_of(path) is None:
            raise InvalidInput(f"{name}: a recording ends in .pw, .ndjson or .py")
        self.path, self._steps, self.state = path, [], "recording"
        self._tabs = _Numbers(tabs)
        self.starts_at = masked(self._tabs.url)
        return self._from_here(path)

    def note(self, request: Request, response: Response) -> None:
        if self.state != "recording" or not response.ok:
            return
        if request.op == "navigate" and not self._steps:
            self.starts_at = None
        request = self._tabs.renumbered(as_kept(request, response))
        kept = response.model_copy(update={"data": masked(response.data)})
        self._steps.append(RecordedStep(len(self) + 1, request, kept))

    def pause(self) -> State:
        """Pause, or go on."""
        if self.state == "idle":
            raise NotRecording
        self.state = "paused" if self.state == "recording" else "recording"
        return self.state

    def discard(self) -> int:
        if self.state == "idle":
            raise NotRecording
        count = len(self)
        self._end()
        return count

    def save(self) -> Saved:
        """Write the file."""
        if self.path is None:
            raise NotRecording
        path, count = self.path, len(self)
        steps = [*self._first_steps(), *self._steps]
        recording = Recording(path, tuple(steps))
        warnings: list[tuple[int, str]] = []
        format = format_of(path) or "pw"
        if format == "ndjson":
            text = write_ndjson(map(durable, steps), pairs=True)
        else:
            text, warnings = encode(
                recording, format, heading=f"recorded {time.strftime('%Y-%m-%d %H:%M')}"
            )
        try:
            write_atomic(path, text.encode("utf-8", "replace"), private=True)
        except OSError as error:
            raise IoError.of(f"write {path}", error) from error
        variables = missing((durable(step).request.input for step in steps), {})
        self._end()
        return Saved(self._from_here(path), count, warnings, variables)

    def _from_here(self, path: Path) -> Path:
        return path.relative_to(self._cwd) if path.is_relative_to(self._cwd) else path

    def _first_steps(self) -> list[RecordedStep]:
        if self.starts_at is None:
            return []
        return [RecordedStep(1, Request(op="navigate", input={"url": self.starts_at}))]

    def _end(self) -> None:
        self.path, self._steps, self.state, self.starts_at = None, [], "idle", None


class _Numbers:
    """A replay begins with one tab; the session that is recorded may have had many."""

    def __init__(self, tabs: Mapping[str, Any]) -> None:
        current = next((tab for tab in tabs.get("tabs", ()) if tab.get("active")), None)
        url = str(current["url"]) if current else BLANK
        self.url = None if url == BLANK else url
        self._current = current["index"] if current else 0
        self._next = tabs.get("nextIndex", 1)

    def renumbered(self, request: Request) -> Request:
        """The request with the number that its tab has in a replay."""
        target = str(request.input.get("target", ""))
        if request.op not in ("tabs.switch", "tabs.close") or not target.isdecimal():
            return request
        index = int(target)
        if index == self._current:
            index = 0
        elif index >= self._next:
            index += 1 - self._next
        else:
            raise InvalidInput(
                f"tab {index} was open before the recording began, and a replay does not have it; "
                "this step is not recorded"
            )
        return request.model_copy(update={"input": {**request.input, "target": str(index)}})
