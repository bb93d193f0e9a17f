"""Finding, naming and highlighting elements."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Self

from playwright.async_api import Error, FloatRect
from pydantic import Field, PositiveInt, model_validator

from pwtui.browser.page.aria_snapshot import take_snapshot
from pwtui.browser.page.durable_locator import durable_expression
from pwtui.operations.framework.declare import Group, Keyword, NodeMenu, Outcome, Run, reads
from pwtui.operations.framework.fields import Data, Seconds
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.target_fields import ElementInput, UrlFields
from pwtui.protocol.errors import OperationTimeout
from pwtui.protocol.model import Maybe, Volatile
from pwtui.protocol.snapshot import NO_PARENT, SnapshotNode, SnapshotTree
from pwtui.runtime.patterns import TextPattern, part

GROUP = Group.READING

AROUND = 2


class FindInput(UrlFields):
    text: str | None = Field(None, min_length=1, description="Part of a name, text or URL.")
    regex: str | None = Field(
        None, min_length=1, description="Regular expression for a name, text or URL."
    )
    role: str | None = Field(None, min_length=1, description="Only elements with this role.")
    max_results: PositiveInt = Field(20, description="Maximum number of matches.")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.text is not None and self.regex is not None:
            raise ValueError("text and regex exclude each other")
        if self.text is None and self.regex is None and self.role is None:
            raise ValueError("one of text, regex and role is required")
        return self


class PageMatch(Data):
    role: str
    name: Maybe[str] = None
    text: Maybe[str] = None
    ref: Volatile[Maybe[str]] = None
    nearest_ref: Maybe[str] = Field(
        None, description="Ref of the closest ancestor, when the element has none."
    )
    path: list[str] = Field(description="Its ancestors, outermost first.")
    context: str = Field(description="The lines of the snapshot around it.")


class FindData(Data):
    matches: list[PageMatch]
    count: int
    total: int = Field(description="Number of matches before maxResults.")


@reads(
    "page.find",
    "find [text...] --regex --max-results",
    example={"text": "Save", "role": "button"},
    outcome=Outcome(
        ("{role}", ' "{name|text}"', " [ref={ref|nearestRef}]", "  in {path:path}"),
        rows="matches",
        empty="nothing found",
        more="--max-results shows more",
    ),
)
async def page_find(call: PageCall, input: FindInput) -> FindData:
    """Find elements by role, name or text in the accessibility snapshot of all frames.

    This takes a new snapshot, whose refs can be used at once.
    """
    text, regex = input.text or "", input.regex
    pattern = part(text, ignore_case=True) if regex is None else TextPattern(regex)
    tree = (await take_snapshot(call.page, timeout_ms=call.deadline.ms)).tree
    found = [
        index
        for index, node in enumerate(tree.nodes)
        if (input.role is None or node.role == input.role)
        and any(pattern.is_in(text) for text in _texts(node, input))
    ]
    matches = [_match(tree, index) for index in found[: input.max_results]]
    return FindData(matches=matches, count=len(matches), total=len(found))


def _texts(node: SnapshotNode, input: FindInput) -> list[str]:
    if input.text is None and input.regex is None:
        return [""]
    return [text for text in (node.name, node.text, *node.props.values()) if text]


def _match(tree: SnapshotTree, index: int) -> PageMatch:
    node = tree.nodes[index]
    around: list[SnapshotNode] = []
    parent = tree.parents[index]
    while parent != NO_PARENT:
        around.append(tree.nodes[parent])
        parent = tree.parents[parent]
    nearest = next((each.ref for each in around if each.ref), None)
    lines = [each.source for each in tree.nodes[max(0, index - AROUND) : index + AROUND + 1]]
    return PageMatch(
        role=node.role,
        name=node.name,
        text=node.text,
        ref=node.ref,
        nearest_ref=None if node.ref else nearest,
        path=[f"{each.role} {each.name!r}" if each.name else each.role for each in around[::-1]],
        context="\n".join(lines),
    )


class LocatorData(Data):
    selector: str = Field(description="A locator that survives reloads, such as getByRole(...).")


@reads(
    "page.locator",
    "locator|generate-locator target",
    example={"selector": "#submit"},
    outcome="{selector}",
)
async def page_locator(call: PageCall, input: ElementInput) -> LocatorData:
    """Get a durable locator for an element, which outlives its ref."""
    if input.ref is not None:
        return LocatorData(selector=call.element.selector)
    await _present(call)
    return LocatorData(selector=await durable_expression(call.element.locator))


class PickInput(UrlFields):
    timeout_secs: Seconds = Field(60, description="Stop waiting after this time.")


class PickData(LocatorData):
    ref: Volatile[Maybe[str]] = Field(None, description="In a new snapshot.")


@reads(
    "page.pick",
    "pick",
    run=Run(queued=False, starts_browser=False),
    outcome=Outcome(("{selector}", "  {ref}")),
)
async def page_pick(call: PageCall, input: PickInput) -> PickData:
    """Wait until the user clicks an element in the browser window, without clicking it."""
    call.deadline.extend(input.timeout_secs * 1000)
    try:
        async with asyncio.timeout(input.timeout_secs):
            locator = await call.page.pick_locator()
    except TimeoutError:
        raise OperationTimeout(f"no element was chosen within {input.timeout_secs} s") from None
    finally:
        with suppress(Error):
            await call.page.cancel_pick_locator()
    box = await locator.bounding_box()
    taken = await take_snapshot(call.page, timeout_ms=call.deadline.ms, boxes=True)
    return PickData(
        selector=await durable_expression(locator),
        ref=_ref_at(taken.tree, box) if box is not None else None,
    )


def _ref_at(tree: SnapshotTree, box: FloatRect) -> str | None:
    """The ref of the innermost element with this box."""
    wanted = tuple(round(each) for each in (box["x"], box["y"], box["width"], box["height"]))
    found = (node.ref for node in reversed(tree.nodes) if node.box == wanted and node.ref)
    return next(found, None)


class HighlightInput(ElementInput):
    hide: bool = Field(False, description="Remove the highlight.")


class HighlightData(Data):
    highlighted: bool
    selector: str


@reads(
    "page.highlight",
    Keyword("highlight|hl [target] --hide|clear", group=Group.ACTIONS),
    example={"selector": "#submit"},
    outcome=Outcome(("highlighted {selector}",), needs="highlighted", empty="not highlighted"),
    menu=(NodeMenu("o", "highlight"),),
)
async def page_highlight(call: PageCall, input: HighlightInput) -> HighlightData:
    """Highlight an element in the browser window."""
    await _present(call)
    locator = call.element.locator
    await (locator.hide_highlight() if input.hide else locator.highlight())
    return HighlightData(highlighted=not input.hide, selector=call.element.selector)


async def _present(call: PageCall) -> None:
    """Wait for the element; fail when there is none or more than one."""
    timeout = call.deadline.ms
    await call.element.do(lambda it: it.wait_for(state="attached", timeout=timeout), "find")
