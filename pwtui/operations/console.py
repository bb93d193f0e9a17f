"""What the page said in its console."""

from __future__ import annotations

import asyncio

from pydantic import Field

from pwtui.browser.tabs import ConsoleEntry
from pwtui.operations.call import PageCall
from pwtui.operations.declare import operation
from pwtui.operations.fields import Data, Milliseconds, UrlFields


class ConsoleInput(UrlFields):
    timeout_ms: Milliseconds = Field(0, description="Go on listening this long before answering.")
    clear: bool = Field(False, description="Forget the messages after this answer.")


class ConsoleData(Data):
    messages: list[ConsoleEntry]
    count: int
    error_count: int
    warning_count: int


@operation("page.console", example={"timeoutMs": 1000})
async def page_console(call: PageCall, input: ConsoleInput) -> ConsoleData:
    """List the console messages and uncaught errors of this tab, those before a navigation too."""
    if input.timeout_ms:
        call.deadline.extend(input.timeout_ms)
        await asyncio.sleep(input.timeout_ms / 1000)
    messages = list(call.tab.console)
    if input.clear:
        call.tab.console.clear()
    types = [message.type for message in messages]
    return ConsoleData(
        messages=messages,
        count=len(messages),
        error_count=types.count("error") + types.count("pageerror"),
        warning_count=types.count("warning"),
    )
