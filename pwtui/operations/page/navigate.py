"""Going to a page."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pwtui.browser.page.navigation import go_to
from pwtui.operations.framework.declare import Group, Keyword, TargetRules, acts
from pwtui.operations.framework.effects import PAGE_LOADED
from pwtui.operations.framework.fields import Data, DownloadData, UrlFields
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.page.snapshot import ElementData, look_at
from pwtui.protocol.model import Maybe
from pwtui.protocol.models import DialogInfo

GROUP = Group.NAVIGATION


class NavigateInput(UrlFields):
    wait_until: Literal["commit", "domcontentloaded", "load", "networkidle"] = Field(
        "load", description="The moment at which the page counts as loaded."
    )
    snapshot: bool = Field(False, description="Return the page's text and elements too.")


class NavigateData(Data):
    url: str = Field(description="Where the browser ended up.")
    title: str
    status: Maybe[int] = Field(None, description="HTTP status of the answer.")
    viewport_width: int
    viewport_height: int
    text: Maybe[str] = None
    elements: Maybe[list[ElementData]] = None
    element_count: Maybe[int] = None
    dialog: Maybe[DialogInfo] = None
    downloads: Maybe[list[DownloadData]] = None


@acts(
    "navigate",
    Keyword("goto|g|go|navigate url", summary="Go to a URL."),
    Keyword(
        "open|o [url] --headed=headful@session.start",
        summary="Start the browser, and go to a URL when one is given.",
        bare_op="session.start",
    ),
    example={"url": "https://example.com"},
    target=TargetRules(opens_url=True),
    outcome=PAGE_LOADED,
    python="page.goto(url)",
)
async def navigate(call: PageCall, input: NavigateInput) -> NavigateData:
    """Load a URL, even one that is open already.

    Without a URL the page that is open is brought to the front. A page that answers with an HTTP
    error is still a page: the status is in the data, and a diagnostic says so.
    """
    status = None
    if call.target.url is not None:
        url = call.target.url

        async def load() -> None:
            nonlocal status
            response = await go_to(call.tab, url, call.deadline, wait_until=input.wait_until)
            status = response.status if response is not None else None

        await call.tab.act(load())
    if status is not None and status >= 400:
        call.note("warning", f"the server answered with HTTP {status}")
    if dialog := call.tab.dialog:
        # The page answers nothing now, not even for its title.
        call.note("warning", "a dialog opened; answer it with `dialog.accept` or `dialog.dismiss`")
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
