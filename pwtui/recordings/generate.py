"""A recording as a pytest-playwright test that a person would keep."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pwtui.recordings.python_steps import NotInPython, lines_of
from pwtui.recordings.python_text import constant_name
from pwtui.recordings.steps import Recording, Step
from pwtui.recordings.variables import names_in

# Operations that only look: a test has no use for them.
_LOOKING = frozenset(
    """
    page.aria page.text page.html page.read page.elements page.snapshot page.coords page.coords-all
    page.console page.locator page.highlight page.title page.url page.find cookies.list cookies.get
    localstorage.list localstorage.get sessionstorage.list sessionstorage.get requests.list
    requests.show requests.body route.list tabs.list dialog.show session.status session.list
    session.start session.stop profile.show profile.list ops.list ops.describe
    """.split()
)


def write_test(recording: Recording) -> tuple[str, list[tuple[int, str]]]:
    """The source of a test, and what it leaves out, by line of the recording."""
    body: list[str] = []
    warnings: list[tuple[int, str]] = []
    before_last = 0
    for step in recording.steps:
        op, input = step.request.op, step.request.input
        if op in _LOOKING:
            continue
        try:
            lines = lines_of(op, input)
        except NotInPython as reason:
            warnings.append((step.line, f"{op} is left out: {reason}"))
            body.append(f"# {op} is left out: {reason}")
            continue
        if op in ("dialog.accept", "dialog.dismiss"):
            # A test says before the action how its dialog is answered.
            body[before_last:before_last] = lines
            continue
        before_last = len(body)
        body += lines
        if "words" in input:
            warnings.append((step.line, f"the locator for {input['words']!r} is a guess; check it"))
    return _module(recording.name, recording.steps, body), warnings


def _module(name: str, steps: Sequence[Step], body: list[str]) -> str:
    text = "\n".join(body)
    used = dict.fromkeys(each for step in steps for each in names_in(step.request.input))
    imports = [f"import {name}" for name in ("os", "re") if _uses(name, text, used)]
    names = ["Page"] + (["expect"] if "expect(" in text else [])
    head = [
        *imports,
        *([""] if imports else []),
        f"from playwright.sync_api import {', '.join(names)}",
    ]
    constants = [f'{constant_name(each)} = os.environ["{constant_name(each)}"]' for each in used]
    if constants:
        head += ["", *constants]
    function = re.sub(r"\W+", "_", name).strip("_").lower() or "recording"
    function = function if function.startswith("test_") else f"test_{function}"
    indented = [f"    {line}" for line in body] or ["    pass"]
    return "\n".join([*head, "", "", f"def {function}(page: Page) -> None:", *indented]) + "\n"


def _uses(module: str, text: str, variables: Mapping[str, Any]) -> bool:
    return bool(variables) if module == "os" else f"{module}." in text
