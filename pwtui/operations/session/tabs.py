"""The session's tabs. The index of a tab does not change and is not reused."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Literal

from playwright.async_api import Error
from pydantic import Field, NonNegativeInt, StrictStr
from pydantic.config import JsonDict

from pwtui.browser.page.navigation import go_to
from pwtui.browser.session.session import protecting_pattern
from pwtui.browser.session.tab import Tab
from pwtui.operations.framework.declare import Group, Outcome, Run, acts, configures, reads
from pwtui.operations.framework.fields import Input, NoInput
from pwtui.operations.framework.page_call import SessionCall
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.models import TabData, TabsData
from pwtui.protocol.schema import TAB_MARK
from pwtui.runtime.target import resolve_url

GROUP = Group.TABS

CLOSE_SECONDS = 1.0
# For a tab that a script opens a moment after the action that caused it.
NEXT_TAB_SECONDS = 2.0
NAMES_TAB: JsonDict = {TAB_MARK: True}


class TargetInput(Input):
    target: StrictStr | NonNegativeInt = Field(
        description="Index of the tab, or part of its URL or title.", json_schema_extra=NAMES_TAB
    )


class CloseInput(Input):
    target: StrictStr | NonNegativeInt | None = Field(
        None,
        description="Index of the tab, or part of its URL or title (default: the current tab).",
        json_schema_extra=NAMES_TAB,
    )


class SwitchedData(TabData):
    switched: Literal[True] = True


class ClosedData(TabData):
    closed: Literal[True] = True


class TabCreatedData(TabData):
    created: Literal[True] = True


class NewTabInput(Input):
    url: str | None = Field(None, description="URL to open in it.")


@reads(
    "tabs.list",
    "tab-list|tl",
    outcome=Outcome(("{active?*: } {index}: ", "{title}", "  {url}"), rows="tabs", empty="no tabs"),
)
async def tabs_list(call: SessionCall, input: NoInput) -> TabsData:
    """List the tabs of the session."""
    tabs = await asyncio.gather(*(_describe(call, tab) for tab in call.session.tabs))
    return TabsData(tabs=list(tabs), count=len(tabs), next_index=call.session.next_index)


@configures(
    "tabs.switch",
    "tab-select|ts tab=target",
    example={"target": "1"},
    run=Run(starts_browser=False),
    outcome=Outcome(("tab {index}: {url}", "  {title}")),
)
async def tabs_switch(call: SessionCall, input: TargetInput) -> SwitchedData:
    """Switch to a tab: later operations act on it.

    The index of the next new tab is awaited for two seconds.
    """
    if str(input.target).strip() == str(call.session.next_index):
        await call.session.wait_for_tab(NEXT_TAB_SECONDS)
    tab = await _find(call, input.target)
    call.session.activate(tab)
    await tab.page.bring_to_front()
    return SwitchedData(**(await _describe(call, tab)).model_dump())


@acts(
    "tabs.close",
    "tab-close|tc [tab=target]",
    example={"target": "checkout"},
    run=Run(starts_browser=False),
    outcome="closed tab {index}",
)
async def tabs_close(call: SessionCall, input: CloseInput) -> ClosedData:
    """Close a tab (default: the current tab), even one that does not respond."""
    tab = _current(call) if input.target is None else await _find(call, input.target)
    description = await _describe(call, tab)
    await tab.page.close()
    return ClosedData(**description.model_dump(exclude={"active"}))


@acts(
    "tabs.new",
    "tab-new|tn [url]",
    example={"url": "https://example.com"},
    outcome=Outcome(("tab {index}: {url}", "  {title}")),
)
async def tabs_new(call: SessionCall, input: NewTabInput) -> TabCreatedData:
    """Open a tab and switch to it."""
    url = resolve_url(input.url, call.runtime.base_url) if input.url is not None else None
    if url is not None and (pattern := protecting_pattern(url, call.runtime)):
        raise InvalidInput(
            f"{url} is protected by {pattern!r}", details={"url": url, "pattern": pattern}
        )
    tab = await call.session.new_tab()
    if url is not None:
        try:
            loading = tab.act(go_to(tab, url, call.deadline))
            await tab.run(loading, call.deadline, doing=f"loading {url}")
        except BaseException:  # the operation may be cancelled or time out first
            with suppress(Error, TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await tab.page.close()
            raise
    return TabCreatedData(**(await _describe(call, tab)).model_dump())


def _current(call: SessionCall) -> Tab:
    tab = call.session.active
    if tab is None:
        raise InvalidInput("no tab is open")
    return tab


async def _find(call: SessionCall, target: str | int) -> Tab:
    text = str(target).strip()
    if text.isascii() and text.isdecimal():
        tab = next((tab for tab in call.session.tabs if tab.index == int(text)), None)
        if tab is None:
            known = ", ".join(str(tab.index) for tab in call.session.tabs) or "none"
            raise InvalidInput(
                f"no tab {text}", hint=f"open tabs: {known}", details={"target": text}
            )
        if pattern := protecting_pattern(tab.url, call.runtime):
            raise InvalidInput(
                f"tab {text} ({tab.url}) is protected by {pattern!r}",
                details={"target": text, "url": tab.url, "pattern": pattern},
            )
        return tab
    if not text:
        raise InvalidInput("target is empty", hint="use an index, or part of a URL or title")
    for tab in call.session.tabs:
        if protecting_pattern(tab.url, call.runtime) is None:
            title = await tab.known_title()
            if text.lower() in tab.url.lower() or text.lower() in title.lower():
                return tab
    raise InvalidInput(
        f"no tab has {text!r} in its URL or title", hint="see `tabs.list`", details={"target": text}
    )


async def _describe(call: SessionCall, tab: Tab) -> TabData:
    return TabData(
        index=tab.index,
        title=await tab.known_title(),
        url=tab.url,
        active=True if tab is call.session.active else None,
        protected=True if protecting_pattern(tab.url, call.runtime) else None,
        dialog=True if tab.prompts.has_dialog else None,
        file_chooser=True if tab.prompts.chooser else None,
        crashed=True if tab.crashed else None,
    )
