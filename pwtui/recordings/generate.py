"""A recording as a pytest-playwright test that a person would keep."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pwtui.recordings.python_steps import NotInPython, lines_of
from pwtui.recordings.python_text import constant_name
from pwtui.recordings.steps import Recording, Step
from pwtui.recordings.tab_order import TabOrder
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


# After one of these a tab may be there that no other step opened.
_MAY_OPEN_A_TAB = frozenset("click dblclick press fill type mouse.click mouse.up page.eval".split())
_LOOKS_INTO_FRAMES = frozenset(("verify.text", "verify.element", "wait.text"))


def write_test(recording: Recording) -> tuple[str, list[tuple[int, str]]]:
    """The source of a test, and what it leaves out, by line of the recording."""
    writer = _Writer()
    for step in recording.steps:
        if step.request.op not in _LOOKING:
            writer.add(step)
    body = [line for lines in writer.body for line in lines]
    return _module(recording.name, recording.steps, body), writer.warnings


class _Writer:
    def __init__(self) -> None:
        self.body: list[list[str]] = []
        """The lines of each step."""
        self.warnings: list[tuple[int, str]] = []
        self._tabs = TabOrder()
        self._opener: list[str] | None = None
        self._is_opener_certain = False
        self._enters_frames = False

    def add(self, step: Step) -> None:
        op, input = step.request.op, step.request.input
        try:
            lines = self._tab_lines(step) or lines_of(op, input)
        except NotInPython as reason:
            self.warnings.append((step.line, f"{op} is left out: {reason}"))
            self.body.append([f"# {op} is left out: {reason}"])
            return
        if op in ("dialog.accept", "dialog.dismiss"):
            # A test says before the action how its dialog is answered.
            self.body[-1:-1] = [lines]
            return
        self.body.append(lines)
        self._warn(step)
        if op == "tabs.new":
            self._tabs.add()
        if op in _MAY_OPEN_A_TAB:
            self._opener, self._is_opener_certain = lines, True
        elif not op.startswith("tabs."):
            self._is_opener_certain = False

    def _warn(self, step: Step) -> None:
        op, input = step.request.op, step.request.input
        if "words" in input or "within" in input:
            meant = input.get("words", input.get("within"))
            guess = f"the locator for {meant!r} is a guess; check it"
            self.warnings.append((step.line, guess))
        self._enters_frames |= any(
            "contentFrame" in str(input.get(name)) or "frameLocator" in str(input.get(name))
            for name in ("selector", "toSelector")
        )
        is_negative = input.get("negate") or input.get("gone")
        names_frame = "contentFrame" in str(input.get("selector"))
        if op in _LOOKS_INTO_FRAMES and self._enters_frames and not (is_negative or names_frame):
            self.warnings.append(
                (
                    step.line,
                    f"{op} looks into every frame, its test only into the page; to check a frame, "
                    "use verify-element with a locator that names the frame",
                )
            )

    def _tab_lines(self, step: Step) -> list[str]:
        op, input = step.request.op, step.request.input
        if op not in ("tabs.switch", "tabs.close"):
            return []
        target = str(input.get("target", self._tabs.current))
        if not target.isdecimal():
            raise NotInPython("a test names tabs by their number")
        index = int(target)
        if op == "tabs.switch" and index == self._tabs.next and self._opener is not None:
            if not self._is_opener_certain:
                guess = f"the step that opens tab {index} is a guess; check it"
                self.warnings.append((step.line, guess))
            return self._switch_to_opened(index)
        if index not in self._tabs.open:
            raise NotInPython(f"no step before it opens tab {index}")
        if op == "tabs.close":
            return self._close(index)
        self._tabs.use(index)
        return [f"page = page.context.pages[{self._tabs.position}]", "page.bring_to_front()"]

    def _switch_to_opened(self, index: int) -> list[str]:
        """The last action that may have opened the tab is the one that the test waits in."""
        opener = self._opener or []
        opener[:] = [
            f"with page.expect_popup() as tab_{index}:",
            *(f"    {each}" for each in opener),
        ]
        self._opener = None
        self._tabs.add()
        return [f"page = tab_{index}.value"]

    def _close(self, index: int) -> list[str]:
        is_current = index == self._tabs.current
        position = self._tabs.open.index(index)
        self._tabs.close(index)
        if not is_current:
            return [f"page.context.pages[{position}].close()"]
        if not self._tabs.open:
            return ["page.close()"]
        return ["page.close()", f"page = page.context.pages[{self._tabs.position}]"]


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
