"""The effect of an action on the page, in the data of every operation that acts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from playwright.async_api import Locator
from pydantic import Field

from pwtui.browser.session.prompts import ChooserInfo
from pwtui.operations.framework.fields import Data, Milliseconds
from pwtui.operations.framework.page_call import DownloadData, PageCall
from pwtui.protocol.model import Maybe
from pwtui.protocol.models import DialogInfo
from pwtui.protocol.outcome import Outcome

WatchMs = Annotated[
    Milliseconds,
    Field(description="How long to watch for a navigation, download, tab, dialog or file chooser."),
]


PAGE_LOADED = Outcome(
    ("{url}", "  {title}", "  HTTP {status:problem}"), line=("{status}", " {title}")
)


class PageEffect(Data):
    """The URLs before and after, and what was opened."""

    before_url: str
    after_url: str
    navigated: bool
    downloads: Maybe[list[DownloadData]] = None
    dialog: Maybe[DialogInfo] = Field(None, description="A dialog that opened.")
    file_chooser: Maybe[ChooserInfo] = Field(None, description="A file chooser that opened.")


class ElementEffect(PageEffect):
    selector: str


async def effect_of(
    call: PageCall, action: Awaitable[object], *, watch_ms: int = 0
) -> dict[str, Any]:
    """Run an action on the page; returns the fields of PageEffect."""
    note_held(call)
    before, traces = call.tab.url, call.traces
    await call.tab.act(action, linger=watch_ms / 1000)
    if watch_ms:
        await call.watch_for_effect(traces, watch_ms)
    return {
        "before_url": before,
        "after_url": call.tab.url,
        "navigated": before != call.tab.url,
        "downloads": await call.downloads(),
        "dialog": opened_dialog(call),
        "file_chooser": opened_chooser(call),
    }


async def element_effect(
    call: PageCall, action: Callable[[Locator], Awaitable[object]], verb: str, *, watch_ms: int = 0
) -> dict[str, Any]:
    """Run an action on the element; returns the fields of ElementEffect."""
    effect = await effect_of(call, call.element.do(action, verb), watch_ms=watch_ms)
    return {"selector": call.element.selector, **effect}


def opened_dialog(call: PageCall) -> DialogInfo | None:
    dialog = call.tab.prompts.dialog
    if dialog is not None:
        call.note("warning", "a dialog opened; use `dialog.accept` or `dialog.dismiss`")
    return dialog


def opened_chooser(call: PageCall) -> ChooserInfo | None:
    chooser = call.tab.prompts.chooser
    if chooser is not None:
        call.note("warning", "a file chooser is open; use `upload`")
    return chooser


def note_held(call: PageCall) -> None:
    """Report keys that are held down: they change what an action does."""
    if held := call.tab.held.names:
        call.note(
            "info", f"held down in this tab: {', '.join(held)}; release with `key.up` or `mouse.up`"
        )
