"""`.pw` scripts: a keyword line each, `#` comments, `{{name}}` variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pwtui.keywords.errors import KeywordError
from pwtui.keywords.parser import parse
from pwtui.keywords.to_line import to_line
from pwtui.recordings.steps import Recording, RecordingError, Step
from pwtui.recordings.variables import VARIABLE


def is_comment(line: str) -> bool:
    stripped = line.strip()
    return not stripped or stripped.startswith(("#", "//"))


def read_script(path: Path, text: str, variables: Mapping[str, str]) -> Recording:
    """Every line that is wrong is named, not only the first."""
    steps: list[Step] = []
    problems: list[tuple[int, str]] = []

    def fill(word: str) -> str:
        return VARIABLE.sub(lambda match: variables.get(match[1], match[0]), word)

    for number, line in enumerate(text.splitlines(), 1):
        if is_comment(line):
            continue
        try:
            request = parse(line, fill=fill)
        except KeywordError as error:
            usage = f" (usage: {error.usage})" if error.usage else ""
            problems.append((number, f"{error}{usage}"))
            continue
        steps.append(Step(number, request, shown=line.strip() if VARIABLE.search(line) else ""))
    if problems:
        raise RecordingError(path, problems)
    return Recording(path, tuple(steps))


def write_script(steps: Iterable[Step], heading: str) -> str:
    lines = [f"# {heading}", ""]
    lines += [to_line(step.request) for step in steps]
    return "\n".join(lines) + "\n"


def lost_in_script(steps: Iterable[Step]) -> list[tuple[int, str]]:
    """What a line of keywords has no place for."""
    return [
        (step.line, f"the overrides of {step.request.op} are lost: a .pw script has none")
        for step in steps
        if step.request.runtime is not None
    ]
