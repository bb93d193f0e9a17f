"""Console messages and uncaught errors."""

from __future__ import annotations

import asyncio
from typing import Literal

from pydantic import Field

from pwtui.browser.session.console import ConsoleEntry
from pwtui.browser.session.tab import Tab
from pwtui.operations.framework.declare import Group, Outcome, reads
from pwtui.operations.framework.fields import Data, Milliseconds
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.target_fields import UrlFields
from pwtui.protocol.model import Maybe

GROUP = Group.READING

LEVELS = {"error": 0, "warning": 1, "info": 2, "debug": 3}
_SEVERITY = {"error": 0, "pageerror": 0, "assert": 0, "warning": 1, "debug": 3, "trace": 3}


class ConsoleInput(UrlFields):
    timeout_ms: Milliseconds = Field(0, description="How long to listen before responding.")
    level: Literal["error", "warning", "info", "debug"] = Field(
        "debug", description="Minimum severity."
    )
    all: bool = Field(True, description="Include messages from before the last navigation.")
    clear: bool = Field(False, description="Delete the messages afterwards.")


class ConsoleData(Data):
    messages: list[ConsoleEntry]
    count: int
    error_count: int
    warning_count: int
    dropped: Maybe[int] = Field(None, description="Number of messages that were dropped.")


@reads(
    "page.console",
    "console|con [min-level=level] --clear",
    example={"timeoutMs": 1000},
    outcome=Outcome(
        ("[{type}] {text:any}", "  ({url}:{line|'0'})"), rows="messages", empty="no messages"
    ),
)
async def page_console(call: PageCall, input: ConsoleInput) -> ConsoleData:
    """List the console messages and uncaught errors of this tab, also from before a navigation.

    The newest 1000 are kept while the tab is open, at most 8 million characters in total; a message
    is cut after one million. Above 200 messages a second (bursts of 4000) listening pauses for up
    to 10 s; `dropped` and a warning report what is missing.
    """
    if input.timeout_ms:
        call.deadline.extend(input.timeout_ms)
        await asyncio.sleep(input.timeout_ms / 1000)
    messages, dropped = list(call.tab.console), call.tab.console.dropped
    call.note_gaps("console messages", call.tab.console.messages)
    call.note_gaps("errors", call.tab.console.errors)
    if not input.all:
        messages = await _since_navigation(call.tab, messages)
    limit, info = LEVELS[input.level], LEVELS["info"]
    messages = [each for each in messages if _SEVERITY.get(each.type, info) <= limit]
    if input.clear:
        call.tab.console.clear()
    types = [message.type for message in messages]
    return ConsoleData(
        messages=messages,
        count=len(messages),
        error_count=types.count("error") + types.count("pageerror"),
        warning_count=types.count("warning"),
        dropped=dropped or None,
    )


async def _since_navigation(tab: Tab, messages: list[ConsoleEntry]) -> list[ConsoleEntry]:
    """The newest messages, as many as Playwright counts for the open document."""
    counted = await tab.page.console_messages(filter="since-navigation")
    for each in counted:
        tab.console.release(each)
    left = {
        False: len(counted),
        True: len(await tab.page.page_errors(filter="since-navigation")),
    }
    kept: list[ConsoleEntry] = []
    for message in reversed(messages):
        is_error = message.type == "pageerror"
        if left[is_error] > 0:
            kept.append(message)
        left[is_error] -= 1
    return kept[::-1]
