"""Acting on elements as a person would."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pwtui.browser.snapshots import MASK
from pwtui.browser.tabs import DialogInfo
from pwtui.operations.call import PageCall
from pwtui.operations.declare import operation
from pwtui.operations.fields import (
    Data,
    DownloadData,
    ElementFields,
    MayBeSecret,
    Milliseconds,
    UrlFields,
)
from pwtui.protocol.model import Maybe


class ClickInput(UrlFields, ElementFields):
    wait_ms: Milliseconds = Field(
        0, description="Watch this long for a navigation or download that the click starts later."
    )

    @property
    def own_time_ms(self) -> int:
        return self.wait_ms


class ClickData(Data):
    before_url: str
    after_url: str
    navigated: bool
    selector: str
    downloads: Maybe[list[DownloadData]] = None
    dialog: Maybe[DialogInfo] = Field(None, description="A dialog that the click opened.")


@operation(
    "click",
    example={"selector": "#submit"},
    url_may_be_selector=True,
    selector_fallback="css=button",
)
async def click(call: PageCall, input: ClickInput) -> ClickData:
    """Click an element once it is visible, stable and not covered.

    A navigation that the click starts is awaited. One that a script starts later is not: give
    waitMs to watch for it.
    """
    before = call.tab.url
    await call.tab.act(
        call.element.do(lambda it: it.click(timeout=call.deadline.ms), doing="the click")
    )
    if input.wait_ms:
        await call.watch_for_effect(before, input.wait_ms)
    dialog = call.tab.dialog
    if dialog is not None:
        call.note("warning", "the click opened a dialog; answer it with dialog.accept or dismiss")
    after = call.tab.url
    return ClickData(
        before_url=before,
        after_url=after,
        navigated=before != after,
        selector=call.element.selector,
        downloads=await call.downloads(),
        dialog=dialog,
    )


class FillInput(UrlFields, ElementFields):
    text: Annotated[str, MayBeSecret] = Field(
        "", description="What the field is to hold; empty clears it."
    )


class FillData(Data):
    selector: str
    text: str = Field(description="What was typed; masked for password fields.")


@operation("fill", example={"selector": "#name", "text": "Ada"})
async def fill(call: PageCall, input: FillInput) -> FillData:
    """Put text into a field, in place of what it holds."""
    await call.tab.act(
        call.element.do(lambda it: it.fill(input.text, timeout=call.deadline.ms), doing="filling")
    )
    text = input.text
    if await call.element.is_secret():
        call.hidden_inputs.add("text")
        text = MASK
    return FillData(selector=call.element.selector, text=text)
