"""Naming elements, and showing which they are."""

from __future__ import annotations

from pydantic import Field

from pwtui.browser.page.durable_locator import durable_expression
from pwtui.operations.framework.declare import Group, Keyword, NodeMenu, Outcome, reads
from pwtui.operations.framework.fields import Data, ElementInput
from pwtui.operations.framework.page_call import PageCall

GROUP = Group.READING


class LocatorData(Data):
    selector: str = Field(description="A locator that survives reloads, such as getByRole(...).")


@reads(
    "page.locator",
    "locator|generate-locator target",
    example={"selector": "#submit"},
    outcome="{selector}",
)
async def page_locator(call: PageCall, input: ElementInput) -> LocatorData:
    """Get the durable locator of an element, which outlives its ref."""
    if input.ref is not None:
        return LocatorData(selector=call.element.selector)
    await _present(call)
    return LocatorData(selector=await durable_expression(call.element.locator))


class HighlightInput(ElementInput):
    hide: bool = Field(False, description="Take the highlight away again.")


class HighlightData(Data):
    highlighted: bool
    selector: str


@reads(
    "page.highlight",
    Keyword("highlight|hl [target] --hide|clear", group=Group.ACTIONS),
    example={"selector": "#submit"},
    outcome=Outcome(("highlighted {selector}",), needs="highlighted", empty="not highlighted"),
    menu=(NodeMenu("o", "show on the page"),),
)
async def page_highlight(call: PageCall, input: HighlightInput) -> HighlightData:
    """Draw a box around an element in the browser's window, for a person to see."""
    await _present(call)
    if input.hide:
        await call.element.locator.hide_highlight()
    else:
        await call.element.locator.highlight()
    return HighlightData(highlighted=not input.hide, selector=call.element.selector)


async def _present(call: PageCall) -> None:
    """Exactly one such element is there, or the error says what is true instead."""
    await call.element.do(
        lambda it: it.wait_for(state="attached", timeout=call.deadline.ms),
        doing="looking for the element",
    )
