"""Giving files to a page, and dragging things about in it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from playwright.async_api import Error
from pydantic import Field, model_validator

from pwtui.browser.first_line import first_line
from pwtui.browser.page.element import Element
from pwtui.browser.page.find_by_text import find_element
from pwtui.browser.page.scripts import script
from pwtui.operations.framework.declare import Group, TargetRules, acts
from pwtui.operations.framework.effects import ElementEffect, PageEffect, effect_of
from pwtui.operations.framework.fields import ElementInput
from pwtui.operations.framework.page_call import PageCall
from pwtui.protocol.errors import InvalidInput, IoError
from pwtui.protocol.model import Maybe
from pwtui.runtime.target import Target, check_ref

GROUP = Group.ACTIONS

CHOOSER_SECONDS = 5.0
SOON_SECONDS = 1.0


class UploadInput(ElementInput):
    files: list[str] = Field(
        description="Files to give, relative to where you are; an empty list takes them back."
    )


class UploadData(PageEffect):
    files: list[str]
    selector: Maybe[str] = None


@acts(
    "upload",
    "upload [target] file=files",
    example={"selector": "#file", "files": ["report.csv"]},
    target=TargetRules(search="focus", optional=True),
    python="""
        if element: element.set_input_files(one_or_list(files))
        else: 'a test names the file input; give upload a target'
    """,
)
async def upload(call: PageCall, input: UploadInput) -> UploadData:
    """Set the files of a file input, of the chooser that a button opens, or of the open chooser.

    Without an element the files go to the chooser that an earlier operation opened.
    """
    paths = existing_files(call, input.files)
    element = call.found
    if element is None:
        effect = await _to_waiting_chooser(call, paths)
    else:
        field = await element.do(
            lambda it: it.evaluate(script("takes_files"), timeout=call.deadline.ms),
            "read",
        )
        if field["takes"]:
            _check_count(paths, field["multiple"])
            giving = element.do(
                lambda it: it.set_input_files(paths, timeout=call.deadline.ms),
                "set the files of",
            )
            effect = await effect_of(call, giving)
        else:
            effect = await effect_of(call, _through_button(call, element, paths))
            # A dialog may have come in place of the chooser.
            call.tab.check_usable()
    return UploadData(
        files=[str(path) for path in paths],
        selector=element.selector if element else None,
        **effect,
    )


async def _to_waiting_chooser(call: PageCall, paths: list[Path]) -> dict[str, Any]:
    if call.tab.prompts.chooser is None:
        # The action before this one may have opened it just now.
        await _chooser_opens(call, SOON_SECONDS)
    waiting = call.tab.prompts.chooser
    if waiting is None:
        raise InvalidInput(
            "no file chooser is open in this tab",
            hint="name the file input or the button that opens one",
        )
    _check_count(paths, waiting.multiple)
    return await effect_of(call, _give(call, paths))


async def _through_button(call: PageCall, element: Element, paths: list[Path]) -> None:
    call.tab.prompts.take_chooser()
    await element.do(lambda it: it.click(timeout=call.deadline.ms), "click")
    await _chooser_opens(call, CHOOSER_SECONDS)
    if call.tab.prompts.chooser is None:
        raise InvalidInput(
            f"{element.selector!r} is no file field, and a click on it opened no file chooser",
            details={"selector": element.selector},
        )
    _check_count(paths, call.tab.prompts.chooser.multiple)
    await _give(call, paths)


async def _chooser_opens(call: PageCall, seconds: float) -> None:
    """Until a chooser waits, but not longer than this."""
    call.tab.prompts.chooser_seen.clear()
    if call.tab.prompts.chooser is None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await call.tab.prompts.chooser_seen.wait()


async def _give(call: PageCall, paths: list[Path]) -> None:
    chooser = call.tab.prompts.take_chooser()
    if chooser is None:
        raise InvalidInput("the file chooser closed with its page", hint="open it again")
    try:
        await chooser.set_files(paths, timeout=call.deadline.ms)
    except Error as error:
        if not call.tab.is_usable:
            raise
        reason = first_line(error)
        raise InvalidInput(f"the file chooser does not take the files: {reason}") from error


def existing_files(call: PageCall, files: list[str]) -> list[Path]:
    paths = [call.path(file) for file in files]
    for path in paths:
        if not path.exists():
            raise IoError(f"cannot read {path}: there is no such file", details={"path": str(path)})
    return paths


def _check_count(paths: list[Path], multiple: bool) -> None:
    if len(paths) > 1 and not multiple:
        raise InvalidInput(
            f"files: got {len(paths)}, but this input accepts one file",
            details={"count": len(paths)},
        )


class DragInput(ElementInput):
    to_selector: str | None = Field(None, description="Selector of the element to drop it on.")
    to_ref: str | None = Field(None, description="Ref of the element to drop it on.")
    to_words: str | None = Field(None, description="What a person calls the one to drop it on.")

    @model_validator(mode="after")
    def _one_goal(self) -> Self:
        if sum(each is not None for each in (self.to_selector, self.to_ref, self.to_words)) != 1:
            raise ValueError("give toSelector, toRef or toWords, one of them")
        if self.to_ref is not None:
            check_ref(self.to_ref)
        return self


class DragData(ElementEffect):
    to_selector: str


@acts(
    "drag",
    "drag start@ end@to",
    example={"selector": "#card", "toSelector": "#done"},
    python="element.drag_to(to_element)",
)
async def drag(call: PageCall, input: DragInput) -> DragData:
    """Drag an element with the mouse and drop it on another one."""
    if input.to_ref is not None:
        goal = await Element.by_ref(call.tab, input.to_ref, call.deadline)
    elif input.to_words is not None:
        goal = await find_element(call.tab, Target(words=input.to_words), "point", call.deadline)
    else:
        goal = Element.by_selector(call.tab, input.to_selector or "", call.deadline)
    call.resolved_inputs["toSelector"] = goal.selector
    # Looked for first: a failure is to name the element that is at fault.
    await goal.do(
        lambda it: it.wait_for(state="attached", timeout=call.deadline.ms),
        "find",
    )
    dragging = call.element.do(
        lambda it: it.drag_to(goal.locator, timeout=call.deadline.ms), "drag"
    )
    effect = await effect_of(call, dragging)
    return DragData(selector=call.element.selector, to_selector=goal.selector, **effect)


class DropInput(ElementInput):
    files: list[str] = Field(
        default_factory=list, description="Files to drop, relative to where you are."
    )
    data: dict[str, str] = Field(
        default_factory=dict, description="Other things to drop, by their MIME type."
    )

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.files and not self.data:
            raise ValueError("give files or data to drop")
        return self


@acts(
    "drop",
    "drop target --path=files --data",
    example={"selector": "#zone", "data": {"text/plain": "hello"}},
)
async def drop(call: PageCall, input: DropInput) -> ElementEffect:
    """Drop files or data on an element, as if they were dragged in from outside the browser."""
    payload: dict[str, Any] = {}
    if input.files:
        payload["files"] = existing_files(call, input.files)
    if input.data:
        payload["data"] = input.data
    dropping = call.element.do(
        lambda it: it.drop(payload, timeout=call.deadline.ms),  # type: ignore[arg-type]
        "drop onto",
    )
    effect = await effect_of(call, dropping)
    return ElementEffect(selector=call.element.selector, **effect)
