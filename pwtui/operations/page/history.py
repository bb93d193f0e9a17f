"""Going back, forward, and loading the same page again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from playwright.async_api import Error, Response
from playwright.async_api import TimeoutError as PlaywrightTimeout
from pydantic import Field

from pwtui.browser.page.navigation import stop_loading
from pwtui.operations.framework.declare import Group, Run, acts
from pwtui.operations.framework.effects import PAGE_LOADED, opened_dialog
from pwtui.operations.framework.fields import Data, UrlFields
from pwtui.operations.framework.page_call import PageCall
from pwtui.protocol.errors import InvalidInput, NavigationFailed
from pwtui.protocol.model import Maybe
from pwtui.protocol.models import DialogInfo

GROUP = Group.NAVIGATION


class HistoryData(Data):
    before_url: str
    url: str = Field(description="Where the browser is now.")
    title: str
    status: Maybe[int] = Field(None, description="HTTP status of the answer.")
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
    """Load the page again."""
    return await _go(call, lambda: call.page.reload(timeout=call.deadline.ms), None)


async def _go(
    call: PageCall, go: Callable[[], Awaitable[Response | None]], which: str | None
) -> HistoryData:
    before, navigations = call.tab.url, call.tab.navigations
    answer: Response | None = None

    async def load() -> None:
        nonlocal answer
        await call.tab.held.release(call.page)
        answer = await go()

    try:
        await call.tab.act(load())
    except PlaywrightTimeout:
        await stop_loading(call.tab)
        raise
    except Error as error:
        if not call.tab.is_usable or call.tab.navigations > navigations:
            raise
        reason = error.message.splitlines()[0].partition(": ")[2] or error.message
        raise NavigationFailed(
            f"{call.op} from {before} did not work: {reason}",
            details={"url": before, "reason": reason},
        ) from error
    if dialog := opened_dialog(call):
        return HistoryData(before_url=before, url=call.tab.url, title="", dialog=dialog)
    if which is not None and call.tab.navigations == navigations:
        raise InvalidInput(f"there is no {which} page in this tab's history")
    status = answer.status if answer is not None else None
    if status is not None and status >= 400:
        call.note("warning", f"the server answered with HTTP {status}")
    return HistoryData(
        before_url=before, url=call.tab.url, title=await call.page.title(), status=status
    )
