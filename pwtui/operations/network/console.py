"""What the page said in its console."""

from __future__ import annotations

import asyncio
from typing import Literal

from playwright.async_api import Page
from pydantic import Field

from pwtui.browser.session.console import ConsoleEntry
from pwtui.operations.framework.declare import Group, Outcome, reads
from pwtui.operations.framework.fields import Data, Milliseconds, UrlFields
from pwtui.operations.framework.page_call import PageCall
from pwtui.protocol.model import Maybe

GROUP = Group.READING

LEVELS = {"error": 0, "warning": 1, "info": 2, "debug": 3}
_GRAVITY = {"error": 0, "pageerror": 0, "assert": 0, "warning": 1, "debug": 3, "trace": 3}


class ConsoleInput(UrlFields):
    timeout_ms: Milliseconds = Field(0, description="Go on listening this long before answering.")
    level: Literal["error", "warning", "info", "debug"] = Field(
        "debug", description="Only messages that are at least this grave."
    )
    all: bool = Field(True, description="Those before the last navigation, too.")
    clear: bool = Field(False, description="Forget the messages after this answer.")


class ConsoleData(Data):
    messages: list[ConsoleEntry]
    count: int
    error_count: int
    warning_count: int
    dropped: Maybe[int] = Field(None, description="Messages that are no longer kept.")


@reads(
    "page.console",
    "console|con [min-level=level] --clear",
    example={"timeoutMs": 1000},
    outcome=Outcome(
        ("[{type}] {text:any}", "  ({url}:{line|'0'})"), rows="messages", empty="no messages"
    ),
)
async def page_console(call: PageCall, input: ConsoleInput) -> ConsoleData:
    """List the console messages and uncaught errors of this tab, those before a navigation too.

    The newest thousand are kept, for as long as the tab lives, and up to 8 million characters in
    all; a message is cut after one million. Above 200 messages a second (4000 at once) listening
    pauses for up to 10 s; `dropped` and a warning say what is missing.
    """
    if input.timeout_ms:
        call.deadline.extend(input.timeout_ms)
        await asyncio.sleep(input.timeout_ms / 1000)
    messages, dropped = list(call.tab.console), call.tab.console.dropped
    call.note_gaps("console messages", call.tab.console.messages)
    call.note_gaps("errors", call.tab.console.errors)
    if not input.all:
        messages = await _since_navigation(call.page, messages)
    messages = [message for message in messages if _gravity(message) <= LEVELS[input.level]]
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


def _gravity(message: ConsoleEntry) -> int:
    return _GRAVITY.get(message.type, LEVELS["info"])


async def _since_navigation(page: Page, messages: list[ConsoleEntry]) -> list[ConsoleEntry]:
    """The newest messages, as many as Playwright counts for the document that is open."""
    said = len(await page.console_messages(filter="since-navigation"))
    thrown = len(await page.page_errors(filter="since-navigation"))
    kept: list[ConsoleEntry] = []
    for message in reversed(messages):
        is_error = message.type == "pageerror"
        if (thrown if is_error else said) > 0:
            kept.append(message)
        thrown, said = (thrown - 1, said) if is_error else (thrown, said - 1)
    return kept[::-1]
