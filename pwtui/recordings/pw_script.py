"""`.pw` scripts: one keyword line per step, `#` comments, `{{name}}` variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pwtui.keywords.errors import KeywordError
from pwtui.keywords.parser import parse
from pwtui.keywords.to_line import to_line
from pwtui.recordings.model import Problem, RecordedStep, Recording, RecordingError
from pwtui.recordings.variables import VARIABLE, fill_variables


def is_comment(line: str) -> bool:
    stripped = line.strip()
    return not stripped or stripped.startswith(("#", "//"))


def read_script(path: Path, text: str, variables: Mapping[str, str]) -> Recording:
    """The steps of a script; the error names every invalid line."""
    steps: list[RecordedStep] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), 1):
        if is_comment(line):
            continue
        try:
            request = parse(line, fill=lambda word: str(fill_variables(word, variables)))
        except KeywordError as error:
            usage = f" (usage: {error.usage})" if error.usage else ""
            problems.append((number, f"{error}{usage}"))
        else:
            shown = line.strip() if VARIABLE.search(line) else ""
            steps.append(RecordedStep(number, request, shown=shown))
    if problems:
        raise RecordingError(path, problems)
    return Recording(path, tuple(steps))


def write_script(steps: Iterable[RecordedStep], heading: str) -> tuple[str, list[Problem]]:
    """The script, and what a keyword line cannot express."""
    lines = [f"# {heading}", "", *(to_line(step.request) for step in steps)]
    lost = [
        (step.line, f"the overrides of {step.request.op} are lost: a .pw script cannot have any")
        for step in steps
        if step.request.runtime is not None
    ]
    return "\n".join(lines) + "\n", lost
