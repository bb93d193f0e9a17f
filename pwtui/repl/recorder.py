"""Recordings of the commands in a REPL."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pwtui.history.spans import Span, add_span
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.printable import counted
from pwtui.protocol.secrets import masked
from pwtui.recordings.formats import encode, format_of
from pwtui.recordings.model import Problem, RecordedStep, Recording, as_kept, durable
from pwtui.recordings.ndjson import write_ndjson
from pwtui.recordings.variables import missing
from pwtui.state.files import write_text

BLANK = "about:blank"
CLIENT = "pw repl"
State = Literal["idle", "recording", "paused"]


@dataclass(frozen=True)
class Saved:
    """A recording that was written."""

    path: Path
    count: int
    warnings: list[Problem]
    variables: list[str]

    def __str__(self) -> str:
        note = f"saved {counted(self.count, 'command')} to {self.path}"
        if self.variables:
            given = " ".join(f"--var {name}=…" for name in self.variables)
            note += f"; secrets became variables: replay it with {given}"
        return note


class PromptRecorder:
    """Stores the commands that succeeded with their responses, without secrets."""

    def __init__(self, cwd: Path) -> None:
        self._cwd = cwd
        self.workspace: str | None = None
        """Where its requests are in the history."""
        self._reset()

    def _reset(self) -> None:
        self.state: State = "idle"
        self.path: Path | None = None
        self.starts_at: str | None = None
        """The open page at the start; a replay opens it first."""
        self._started_at = time.time()
        self._steps: list[RecordedStep] = []
        self._tabs = _TabNumbers({})

    def __len__(self) -> int:
        return len(self._steps) + (self.starts_at is not None)

    def start(self, name: str | None, tabs: Mapping[str, Any]) -> Path:
        """Start on the page of the current tab, as tabs.list returns it."""
        if self.state != "idle":
            raise InvalidInput(f"already recording to {self.path}", hint="use .save or .discard")
        path = self._cwd / (name or f"session-{time.strftime('%Y-%m-%dT%H-%M-%S')}.pw")
        if format_of(path) is None:
            raise InvalidInput(f"{name}: must end in .pw, .ndjson or .py")
        self.path, self.state, self._started_at = path, "recording", time.time()
        self._tabs = _TabNumbers(tabs)
        self.starts_at = masked(self._tabs.url)
        return self._relative(path)

    def note(self, request: Request, response: Response) -> None:
        if self.state != "recording" or not response.ok:
            return
        if request.op == "navigate" and not self._steps:
            self.starts_at = None
        request = self._tabs.renumbered(as_kept(request, response))
        kept = response.model_copy(update={"data": masked(response.data)})
        self._steps.append(RecordedStep(len(self) + 1, request, kept))

    def pause(self) -> State:
        """Pause or resume."""
        self._require_recording()
        self.state = "paused" if self.state == "recording" else "recording"
        return self.state

    def discard(self) -> int:
        self._require_recording()
        count = len(self)
        self._reset()
        return count

    def save(self) -> Saved:
        path, count = self._require_recording(), len(self)
        steps = list(self._steps)
        if self.starts_at is not None:
            first = Request(op="navigate", input={"url": self.starts_at})
            steps.insert(0, RecordedStep(1, first))
        warnings: list[Problem] = []
        format = format_of(path) or "pw"
        if format == "ndjson":
            text = write_ndjson(map(durable, steps), pairs=True)
        else:
            heading = f"recorded {time.strftime('%Y-%m-%d %H:%M')}"
            text, warnings = encode(Recording(path, tuple(steps)), format, heading=heading)
        write_text(path, text, private=True)
        if self.workspace is not None:
            times = (self._started_at, time.time())
            add_span(Span(str(path), self.workspace, *times, CLIENT, os.getpid()))
        variables = missing((durable(step).request.input for step in steps), {})
        self._reset()
        return Saved(self._relative(path), count, warnings, variables)

    def _require_recording(self) -> Path:
        if self.path is None:
            raise InvalidInput("no recording is in progress", hint="start one with .record [FILE]")
        return self.path

    def _relative(self, path: Path) -> Path:
        return path.relative_to(self._cwd) if path.is_relative_to(self._cwd) else path


class _TabNumbers:
    """Tab indexes in a replay, which starts with one tab; the session may have had many."""

    def __init__(self, tabs: Mapping[str, Any]) -> None:
        current = next((tab for tab in tabs.get("tabs", ()) if tab.get("active")), None)
        url = str(current["url"]) if current else BLANK
        self.url = None if url == BLANK else url
        self._current = current["index"] if current else 0
        self._next = tabs.get("nextIndex", 1)

    def renumbered(self, request: Request) -> Request:
        """The request with the index of its tab in a replay."""
        target = str(request.input.get("target", ""))
        info = catalog().get(request.op)
        if info is None or not info.takes_tab or not target.isdecimal():
            return request
        index = int(target)
        if index == self._current:
            index = 0
        elif index >= self._next:
            index += 1 - self._next
        else:
            raise InvalidInput(
                f"this step is not recorded: tab {index} was open before the recording started, so "
                "a replay does not have it"
            )
        return request.model_copy(update={"input": {**request.input, "target": str(index)}})
