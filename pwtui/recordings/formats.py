"""The formats of recordings: known by the name of the file, else by its content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pwtui.protocol.errors import InvalidInput, IoError
from pwtui.recordings.envelopes import read_envelopes, write_envelopes
from pwtui.recordings.generate import write_test
from pwtui.recordings.pw_script import is_comment, lost_in_script, read_script, write_script
from pwtui.recordings.steps import Recording, RecordingError, durable, refs_left
from pwtui.recordings.understand import read_test
from pwtui.recordings.variables import hiding, missing, missing_variables, names_in

Format = Literal["pw", "ndjson", "pytest"]
FORMATS: tuple[Format, ...] = ("pw", "ndjson", "pytest")
SUFFIXES: Mapping[str, Format] = {
    ".pw": "pw",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".py": "pytest",
}


def format_of(path: Path) -> Format | None:
    return SUFFIXES.get(path.suffix.lower())


def load(
    path: Path,
    variables: Mapping[str, str] | None = None,
    *,
    whole: bool = False,
) -> Recording:
    """The recording in a file; `whole` refuses one whose variables are not all given."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise IoError.of(f"read {path}", error) from error
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8 text") from None
    return decode(path, text, variables or {}, whole=whole)


def decode(path: Path, text: str, variables: Mapping[str, str], *, whole: bool) -> Recording:
    try:
        recording = _read(path, text, variables, whole=whole)
    except RecordingError as error:
        hide = hiding(variables)
        problems = [(number, hide(problem)) for number, problem in error.problems]
        raise RecordingError(path, problems) from None
    shown = [step.shown for step in recording.steps]
    if whole:
        _refuse_missing(path, missing(shown, variables))
    used = {name: variables[name] for name in names_in(shown) if name in variables}
    return replace(recording, values=used)


def _read(path: Path, text: str, variables: Mapping[str, str], *, whole: bool) -> Recording:
    match format_of(path) or _looks_like(text):
        case "pw":
            if whole:
                lines = [line for line in text.splitlines() if not is_comment(line)]
                _refuse_missing(path, missing(lines, variables))
            return read_script(path, text, variables)
        case "ndjson":
            return read_envelopes(path, text, variables)
        case "pytest":
            return read_test(path, text, variables)


def encode(
    recording: Recording, format: Format, *, heading: str = ""
) -> tuple[str, list[tuple[int, str]]]:
    """The recording in another format, and what got lost on the way, by line."""
    kept = [step for step in recording.steps if not step.failed]
    warnings = [
        (step.line, f"{step.request.op} failed when it was recorded, and is left out")
        for step in recording.steps
        if step.failed
    ]
    steps = tuple(durable(step) for step in kept)
    if problems := refs_left(steps):
        raise RecordingError(recording.path, problems)
    match format:
        case "pw":
            heading = heading or f"from {recording.path.name}"
            return write_script(steps, heading), warnings + lost_in_script(steps)
        case "ndjson":
            return write_envelopes(steps), warnings
        case "pytest":
            text, more = write_test(replace(recording, steps=steps))
            return text, warnings + more


def _refuse_missing(path: Path, names: list[str]) -> None:
    if names:
        raise missing_variables(names, f"{path}: ")


def _looks_like(text: str) -> Format:
    first = next((line for line in text.splitlines() if line.strip()), "")
    try:
        return "ndjson" if isinstance(json.loads(first), dict) else "pw"
    except ValueError:
        return "pw"
