"""File uploads, drag and drop."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from playwright.async_api import Locator
from pydantic import Field, model_validator

from pwtui.browser.page.element import Element
from pwtui.browser.page.find_by_text import find_element
from pwtui.browser.page.scripts import script
from pwtui.operations.framework.browser_errors import rejected_as
from pwtui.operations.framework.confirmed import DRAG, confirmed
from pwtui.operations.framework.declare import Group, TargetRules, acts
from pwtui.operations.framework.effects import (
    ElementEffect,
    PageEffect,
    effect_of,
    element_effect,
)
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.target_fields import ElementInput, Ref
from pwtui.protocol.errors import InvalidInput, IoError
from pwtui.protocol.model import Maybe
from pwtui.runtime.target import Target

GROUP = Group.ACTIONS

CHOOSER_SECONDS = 5.0
SOON_SECONDS = 1.0


class UploadInput(ElementInput):
    files: list[str] = Field(
        description="Files, relative to the current folder; an empty list clears the input."
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
        else: 'a test needs the file input: add a target to upload'
    """,
)
async def upload(call: PageCall, input: UploadInput) -> UploadData:
    """Set the files of a file input, or of the file chooser that a button opens.

    Without an element the files go to the file chooser that is open.
    """
    paths = existing_files(call, input.files)
    element, timeout = call.found, call.deadline.ms
    if element is None:
        missing = InvalidInput(
            "no file chooser is open in this tab",
            hint="pass the file input or the button that opens it",
        )
        effect = await effect_of(call, _fill_chooser(call, paths, SOON_SECONDS, missing))
        return UploadData(files=[str(path) for path in paths], **effect)
    field = await element.do(lambda it: it.evaluate(script("takes_files"), timeout=timeout), "read")
    if field["takes"]:
        _check_count(paths, field["multiple"])
        effect = await element_effect(
            call, lambda it: it.set_input_files(paths, timeout=timeout), "set the files of"
        )
    else:
        effect = await effect_of(call, _through_button(call, element, paths))
        # A dialog may have opened instead of the chooser.
        call.tab.check_usable()
    effect["selector"] = element.selector
    return UploadData(files=[str(path) for path in paths], **effect)


async def _through_button(call: PageCall, element: Element, paths: list[Path]) -> None:
    call.tab.prompts.take_chooser()
    await element.do(lambda it: it.click(timeout=call.deadline.ms), "click")
    missing = InvalidInput(
        f"{element.selector!r} is not a file input, and a click on it opened no file chooser",
        details={"selector": element.selector},
    )
    await _fill_chooser(call, paths, CHOOSER_SECONDS, missing)


async def _fill_chooser(
    call: PageCall, paths: list[Path], seconds: float, missing: InvalidInput
) -> None:
    """Set the files of the file chooser, which may take some seconds to open."""
    prompts = call.tab.prompts
    prompts.chooser_seen.clear()
    if prompts.chooser is None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await prompts.chooser_seen.wait()
    if prompts.chooser is None:
        raise missing
    _check_count(paths, prompts.chooser.multiple)
    chooser = prompts.take_chooser()
    if chooser is None:
        raise InvalidInput("the file chooser closed with its page", hint="open it again")
    with rejected_as(call, lambda why: InvalidInput(f"the file chooser rejected the files: {why}")):
        await chooser.set_files(paths, timeout=call.deadline.ms)


def existing_files(call: PageCall, files: list[str]) -> list[Path]:
    paths = [call.path(file) for file in files]
    for path in paths:
        if not path.exists():
            raise IoError(f"cannot read {path}: no such file", details={"path": str(path)})
    return paths


def _check_count(paths: list[Path], multiple: bool) -> None:
    if len(paths) > 1 and not multiple:
        raise InvalidInput(
            f"files: got {len(paths)}, but this input accepts one file",
            details={"count": len(paths)},
        )


class DragInput(ElementInput):
    to_selector: str | None = Field(None, description="Selector of the element to drop it on.")
    to_ref: Ref | None = Field(None, description="Ref of the element to drop it on.")
    to_words: str | None = Field(
        None, description="Text, name or label of the element to drop it on."
    )
    one_of = ("to_selector", "to_ref", "to_words")


class DragData(ElementEffect):
    to_selector: str


@acts(
    "drag",
    "drag start@ end@to",
    example={"selector": "#card", "toSelector": "#done"},
    python="element.drag_to(to_element)",
)
async def drag(call: PageCall, input: DragInput) -> DragData:
    """Drag an element and drop it on another."""
    if input.to_ref is not None:
        goal = await Element.by_ref(call.tab, input.to_ref, call.deadline)
    elif input.to_words is not None:
        goal = await find_element(call.tab, Target(words=input.to_words), "point", call.deadline)
    else:
        goal = Element.by_selector(call.tab, input.to_selector or "", call.deadline)
    call.resolved_inputs["toSelector"] = goal.selector
    timeout = call.deadline.ms
    # First, so that an error names the element that is missing.
    await goal.do(lambda it: it.wait_for(state="attached", timeout=timeout), "find")

    async def act(it: Locator) -> None:
        async with confirmed(call, DRAG, it):
            await it.drag_to(goal.locator, timeout=timeout)

    effect = await element_effect(call, act, "drag")
    return DragData(to_selector=goal.selector, **effect)


class DropInput(ElementInput):
    files: list[str] = Field(
        default_factory=list, description="Files to drop, relative to the current folder."
    )
    data: dict[str, str] = Field(default_factory=dict, description="Data to drop, by MIME type.")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.files and not self.data:
            raise ValueError("files or data are required")
        return self


@acts(
    "drop",
    "drop target --path=files --data",
    example={"selector": "#zone", "data": {"text/plain": "hello"}},
)
async def drop(call: PageCall, input: DropInput) -> ElementEffect:
    """Drop files or data on an element, as if dragged in from another program."""
    payload: Any = {"files": existing_files(call, input.files), "data": input.data}
    payload = {name: value for name, value in payload.items() if value}
    timeout = call.deadline.ms
    effect = await element_effect(call, lambda it: it.drop(payload, timeout=timeout), "drop onto")
    return ElementEffect(**effect)
