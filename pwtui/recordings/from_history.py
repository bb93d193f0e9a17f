"""A span of the history as a recording that can be replayed, or as a HAR."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pwtui.history.har import to_har
from pwtui.history.reader import Entry, HistoryReader
from pwtui.history.steps import LAST_SECONDS, Step
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import InvalidInput
from pwtui.recordings.formats import RecordingFormat, encode
from pwtui.recordings.model import Problem, RecordedStep, Recording, durable
from pwtui.recordings.variables import names_in


def recording_of(path: Path, steps: Iterable[Step]) -> Recording:
    """What can be replayed: requests that need a browser, and have ended."""
    recorded = [
        RecordedStep(
            step.entry.id,
            Request.model_validate(step.request),
            Response.model_validate(step.response),
        )
        for step in steps
        if step.request and step.response and is_replayed(step.entry.op)
    ]
    if not recorded:
        raise InvalidInput("the span has no request that can be replayed")
    return Recording(path, tuple(recorded))


def is_replayed(op: str) -> bool:
    info = catalog().get(op)
    return info is not None and info.needs_session and not info.interactive


def replay_text(
    recording: Recording, format: RecordingFormat
) -> tuple[str, list[str], list[Problem]]:
    """The text of the file, the names of its variables, and what was omitted."""
    names = list(
        dict.fromkeys(
            name
            for step in recording.steps
            if not step.failed
            for name in names_in(durable(step).request.input)
        )
    )
    heading = "from the history" + (f"; variables: {', '.join(names)}" if names else "")
    text, warnings = encode(recording, format, heading=heading)
    return text, names, warnings


def har_of(history: HistoryReader, entries: Sequence[Entry]) -> str:
    """The requests that the pages of these entries sent."""
    sessions = {entry.session for entry in entries}
    end = max(entry.time + (entry.ms or 0) / 1000 for entry in entries) + LAST_SECONDS
    events = history.events(min(entry.time for entry in entries), end, kinds=["network"])
    return to_har(event for event in events if event.session in sessions)
