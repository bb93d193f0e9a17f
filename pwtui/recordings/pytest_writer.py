"""Writes a recording as a readable pytest-playwright test."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pwtui.protocol.catalog import Effect, catalog
from pwtui.recordings.model import Problem, RecordedStep, Recording
from pwtui.recordings.python_source import constant_name, literal
from pwtui.recordings.python_template import NotInPython, templates
from pwtui.recordings.tab_order import TabOrder
from pwtui.recordings.variables import names_in


def write_test(recording: Recording) -> tuple[str, list[Problem]]:
    """The source of a test, and what it omits, by line of the recording."""
    writer = _Writer()
    for step in recording.steps:
        writer.add(step)
    body = [line for lines in writer.body for line in lines]
    return _module(recording.path.stem, recording.steps, body), writer.warnings


class _Writer:
    def __init__(self) -> None:
        self.body: list[list[str]] = []
        """The lines of each step."""
        self.warnings: list[Problem] = []
        self._tabs = TabOrder()
        self._opener: list[str] | None = None
        """The newest step that may have opened a tab."""
        self._is_opener_certain = False
        self._enters_frames = False

    def add(self, step: RecordedStep) -> None:
        op = step.request.op
        info = catalog().get(op)
        if info is not None and info.effect is Effect.READS and not info.python:
            return
        try:
            lines = self._lines(step)
        except NotInPython as reason:
            self.warnings.append((step.line, f"{op} is omitted: {reason}"))
            self.body.append([f"# {op} is omitted: {reason}"])
            return
        if not lines:
            return
        if lines[0].startswith("page.once("):
            # A test handles a dialog before the action.
            self.body[-1:-1] = [lines]
            return
        self.body.append(lines)
        self._warn(step)
        if info is not None and info.run.may_open_tab:
            self._opener, self._is_opener_certain = lines, True
        elif not op.startswith("tabs."):
            self._is_opener_certain = False

    def _lines(self, step: RecordedStep) -> list[str]:
        op, input = step.request.op, step.request.input
        if (info := catalog().get(op)) is not None and info.takes_tab:
            return self._tab_lines(step)
        if op == "tabs.new":
            self._tabs.add()
            go = [f"page.goto({literal(input['url'])})"] if "url" in input else []
            return ["page = page.context.new_page()", *go]
        if op not in templates():
            raise NotInPython("a test cannot do this")
        return templates()[op].lines(input)

    def _warn(self, step: RecordedStep) -> None:
        op, input = step.request.op, step.request.input
        if "words" in input or "within" in input:
            text = input.get("words", input.get("within"))
            self.warnings.append((step.line, f"the locator for {text!r} is a guess: check it"))
        selectors = f"{input.get('selector')} {input.get('toSelector')}"
        self._enters_frames |= "contentFrame" in selectors or "frameLocator" in selectors
        is_narrower = self._enters_frames and op in templates() and templates()[op].searches_frames
        is_negative = input.get("negate") or input.get("gone")
        if is_narrower and not (is_negative or "contentFrame" in selectors):
            self.warnings.append(
                (
                    step.line,
                    f"{op} searches every frame, the test only the main frame: to check a frame, "
                    "use verify-element with a locator of the frame",
                )
            )

    def _tab_lines(self, step: RecordedStep) -> list[str]:
        target = str(step.request.input.get("target", self._tabs.current))
        if not target.isdecimal():
            raise NotInPython("a test needs the number of a tab")
        index, is_switch = int(target), step.request.op == "tabs.switch"
        if is_switch and index == self._tabs.next and self._opener is not None:
            if not self._is_opener_certain:
                guess = f"the step that opens tab {index} is a guess: check it"
                self.warnings.append((step.line, guess))
            # The test waits for the tab around the action that opens it.
            indented = [f"    {line}" for line in self._opener]
            self._opener[:] = [f"with page.expect_popup() as tab_{index}:", *indented]
            self._opener = None
            self._tabs.add()
            return [f"page = tab_{index}.value"]
        if index not in self._tabs.open:
            raise NotInPython(f"no earlier step opens tab {index}")
        if is_switch:
            self._tabs.use(index)
            return [f"page = {self._page()}", "page.bring_to_front()"]
        is_current = index == self._tabs.current
        position = self._tabs.open.index(index)
        self._tabs.close(index)
        if not is_current:
            return [f"page.context.pages[{position}].close()"]
        return ["page.close()", *([f"page = {self._page()}"] if self._tabs.open else [])]

    def _page(self) -> str:
        return f"page.context.pages[{self._tabs.position}]"


def _module(name: str, steps: Sequence[RecordedStep], body: list[str]) -> str:
    text = "\n".join(body)
    variables = dict.fromkeys(each for step in steps for each in names_in(step.request.input))
    imports = ["import os"] if variables else []
    imports += ["import re"] if "re." in text else []
    head = [*imports, ""] if imports else []
    head.append(f"from playwright.sync_api import Page{', expect' if 'expect(' in text else ''}")
    if variables:
        constants = map(constant_name, variables)
        head += ["", *(f'{name} = os.environ["{name}"]' for name in constants)]
    function = re.sub(r"\W+", "_", name).strip("_").lower() or "recording"
    function = function if function.startswith("test_") else f"test_{function}"
    indented = [f"    {line}" for line in body] or ["    pass"]
    return "\n".join([*head, "", "", f"def {function}(page: Page) -> None:", *indented]) + "\n"
