"""The formats of recordings, detected by the name of a file or its content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

from pwtui.recordings.model import Problem, Recording, RecordingError, durable, refs_left
from pwtui.recordings.ndjson import read_ndjson, write_ndjson
from pwtui.recordings.pw_script import is_comment, read_script, write_script
from pwtui.recordings.pytest_reader import read_test
from pwtui.recordings.pytest_writer import write_test
from pwtui.recordings.variables import hiding, missing, missing_variables, names_in
from pwtui.state.files import read_text

RecordingFormat = Literal["pw", "ndjson", "pytest"]
FORMATS: tuple[RecordingFormat, ...] = get_args(RecordingFormat)
SUFFIXES: Mapping[str, RecordingFormat] = {
    ".pw": "pw",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".py": "pytest",
}


def format_of(path: Path) -> RecordingFormat | None:
    return SUFFIXES.get(path.suffix.lower())


def load(
    path: Path, variables: Mapping[str, str] | None = None, *, whole: bool = False
) -> Recording:
    """The recording in a file; with `whole`, a variable without a value is an error."""
    return decode_recording(path, read_text(path), variables or {}, whole=whole)


def decode_recording(
    path: Path, text: str, variables: Mapping[str, str], *, whole: bool
) -> Recording:
    format = format_of(path) or _guess_format(text)
    if whole and format == "pw":  # before a missing variable makes a line invalid
        lines = [line for line in text.splitlines() if not is_comment(line)]
        _refuse_missing(path, missing(lines, variables))
    read = {"pw": read_script, "ndjson": read_ndjson, "pytest": read_test}[format]
    try:
        recording = read(path, text, variables)
    except RecordingError as error:
        hide = hiding(variables)
        problems = [(number, hide(problem)) for number, problem in error.problems]
        raise RecordingError(path, problems) from None
    shown = [step.shown for step in recording.steps]
    if whole:
        _refuse_missing(path, missing(shown, variables))
    used = {name: variables[name] for name in names_in(shown) if name in variables}
    return replace(recording, values=used)


def encode(
    recording: Recording, format: RecordingFormat, *, heading: str = ""
) -> tuple[str, list[Problem]]:
    """The recording in another format, and what could not be converted, by line."""
    steps = tuple(durable(step) for step in recording.steps if not step.failed)
    warnings = [
        (step.line, f"{step.request.op} is omitted: it failed when it was recorded")
        for step in recording.steps
        if step.failed
    ]
    if problems := refs_left(steps):
        hint = "use locators (the keyword `locator` shows them), or record the responses too"
        raise RecordingError(recording.path, problems, hint)
    lost: list[Problem] = []
    match format:
        case "pw":
            text, lost = write_script(steps, heading or f"from {recording.path.name}")
        case "ndjson":
            text = write_ndjson(steps)
        case "pytest":
            text, lost = write_test(replace(recording, steps=steps))
    return text, warnings + lost


def _refuse_missing(path: Path, names: list[str]) -> None:
    if names:
        raise missing_variables(names, f"{path}: ")


def _guess_format(text: str) -> RecordingFormat:
    first = next((line for line in text.splitlines() if line.strip()), "")
    try:
        return "ndjson" if isinstance(json.loads(first), dict) else "pw"
    except ValueError:
        return "pw"
