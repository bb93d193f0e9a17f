"""Navigation: URLs, history, reload."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

from playwright.async_api import Response
from playwright.async_api import TimeoutError as PlaywrightTimeout
from pydantic import Field

from pwtui.browser.page.navigation import go_to, stop_loading
from pwtui.operations.framework.browser_errors import rejected_as
from pwtui.operations.framework.declare import Group, Keyword, Run, TargetRules, acts
from pwtui.operations.framework.effects import PAGE_LOADED, opened_dialog
from pwtui.operations.framework.fields import Data
from pwtui.operations.framework.page_call import DownloadData, PageCall
from pwtui.operations.framework.target_fields import UrlFields
from pwtui.operations.page.snapshot import SnapshotData, look_at
from pwtui.protocol.errors import InvalidInput, NavigationFailed
from pwtui.protocol.model import Maybe
from pwtui.protocol.models import DialogInfo

GROUP = Group.NAVIGATION


class NavigateInput(UrlFields):
    wait_until: Literal["commit", "domcontentloaded", "load", "networkidle"] = Field(
        "load", description="Event after which the page counts as loaded."
    )
    snapshot: bool = Field(False, description="Also return the text and the interactive elements.")


class NavigateData(SnapshotData):
    status: Maybe[int] = Field(None, description="HTTP status.")
    dialog: Maybe[DialogInfo] = None
    downloads: Maybe[list[DownloadData]] = None


@acts(
    "navigate",
    Keyword("goto|g|go|navigate url", summary="Go to a URL."),
    Keyword(
        "open|o [url] --headed=headful@session.start",
        summary="Start the browser, and go to a URL.",
        bare_op="session.start",
    ),
    example={"url": "https://example.com"},
    target=TargetRules(opens_url=True),
    outcome=PAGE_LOADED,
    python="page.goto(url)",
)
async def navigate(call: PageCall, input: NavigateInput) -> NavigateData:
    """Load a URL, even one that is already open.

    Without a URL the open page is brought to the front. An HTTP error is not a failure: the status
    is in the data, and a diagnostic reports it.
    """
    status = None
    if call.target.url is not None:
        url = call.target.url

        async def load() -> None:
            nonlocal status
            response = await go_to(call.tab, url, call.deadline, wait_until=input.wait_until)
            status = response.status if response is not None else None

        await call.tab.act(load())
    _note_status(call, status)
    if dialog := opened_dialog(call):
        # The page cannot be read while the dialog is open.
        size = call.page.viewport_size or {"width": 0, "height": 0}
        return NavigateData(
            url=call.tab.url,
            title="",
            status=status,
            viewport_width=size["width"],
            viewport_height=size["height"],
            dialog=dialog,
        )
    await call.page.bring_to_front()
    look = await look_at(call.page, with_content=input.snapshot)
    return NavigateData(status=status, downloads=await call.downloads(), **look.model_dump())


class HistoryData(Data):
    before_url: str
    url: str
    title: str
    status: Maybe[int] = Field(None, description="HTTP status.")
    dialog: Maybe[DialogInfo] = None


@acts(
    "back",
    "go-back|back",
    run=Run(starts_browser=False),
    outcome=PAGE_LOADED,
    python="page.go_back()",
)
async def back(call: PageCall, input: UrlFields) -> HistoryData:
    """Go back in the tab's history."""
    return await _go(call, lambda: call.page.go_back(timeout=call.deadline.ms), "earlier")


@acts(
    "forward",
    "go-forward|fwd|forward",
    run=Run(starts_browser=False),
    outcome=PAGE_LOADED,
    python="page.go_forward()",
)
async def forward(call: PageCall, input: UrlFields) -> HistoryData:
    """Go forward in the tab's history."""
    return await _go(call, lambda: call.page.go_forward(timeout=call.deadline.ms), "later")


@acts("reload", "reload|r", outcome=PAGE_LOADED, python="page.reload()")
async def reload(call: PageCall, input: UrlFields) -> HistoryData:
    """Reload the page."""
    return await _go(call, lambda: call.page.reload(timeout=call.deadline.ms), None)


async def _go(
    call: PageCall, go: Callable[[], Awaitable[Response | None]], which: str | None
) -> HistoryData:
    before, navigations = call.tab.url, call.tab.navigations
    response: Response | None = None

    async def load() -> None:
        nonlocal response
        await call.tab.held.release(call.page)
        response = await go()

    def failed(reason: str) -> NavigationFailed:
        details = {"url": before, "reason": reason}
        return NavigationFailed(f"{call.op} from {before} failed: {reason}", details=details)

    try:
        with rejected_as(call, failed):
            await call.tab.act(load())
    except PlaywrightTimeout:
        await stop_loading(call.tab)
        raise
    if dialog := opened_dialog(call):
        return HistoryData(before_url=before, url=call.tab.url, title="", dialog=dialog)
    if which is not None and call.tab.navigations == navigations:
        raise InvalidInput(f"the tab's history has no {which} page")
    status = response.status if response is not None else None
    _note_status(call, status)
    return HistoryData(
        before_url=before, url=call.tab.url, title=await call.page.title(), status=status
    )


def _note_status(call: PageCall, status: int | None) -> None:
    if status is not None and status >= 400:
        call.note("warning", f"the server responded with HTTP {status}")
