"""Waiting for a condition."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

from playwright.async_api import TimeoutError as PlaywrightTimeout
from pydantic import Field, StrictStr

from pwtui.browser.page.element import locate
from pwtui.operations.framework.browser_errors import rejected_as
from pwtui.operations.framework.declare import Group, Keyword, reads
from pwtui.operations.framework.fields import LONGEST_WAIT_MS, Data, Input, Milliseconds
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.polling import Finding, poll, shows_text
from pwtui.operations.framework.target_fields import UrlFields
from pwtui.protocol.errors import InvalidInput, OperationTimeout
from pwtui.protocol.model import Maybe, Volatile
from pwtui.runtime.patterns import url_pattern

GROUP = Group.WAITING

LOAD_STATES = ("load", "domcontentloaded", "networkidle")


class WaitInput(UrlFields):
    condition: Annotated[StrictStr, Field(min_length=1)] | Milliseconds = Field(
        description="Milliseconds, load state (load, domcontentloaded, networkidle) or selector."
    )
    state: Literal["attached", "visible", "hidden", "detached"] = Field(
        "attached", description="Required state of the selector's element."
    )

    @property
    def milliseconds(self) -> int | None:
        text = str(self.condition).strip()
        if not (text.isascii() and text.isdecimal()):
            return None
        if len(text) > 12 or int(text) > LONGEST_WAIT_MS:
            raise InvalidInput("condition: must be at most one day (86400000 ms)")
        return int(text)


class WaitData(Data):
    condition: str = Field(description="timeout:<n>ms, loadstate:<name> or selector:<selector>.")
    waited_ms: Volatile[float]
    selector_found: Maybe[bool] = None


@reads(
    "wait",
    "wait [condition:1000] --state",
    example={"condition": "#result"},
    outcome="ok",
    python="""
        if is_number(condition): page.wait_for_timeout(int(condition))
        elif is_load_state(condition): page.wait_for_load_state(condition)
        else: page.locator(condition).wait_for(state=state or 'attached')
    """,
)
async def wait(call: PageCall, input: WaitInput) -> WaitData:
    """Wait for a time, a load state or an element; fail with TIMEOUT otherwise."""
    started = time.monotonic()
    found = None
    condition = str(input.condition).strip()
    if input.milliseconds is not None:
        call.deadline.extend(input.milliseconds)
        await asyncio.sleep(input.milliseconds / 1000)
        kind, condition = "timeout", f"{input.milliseconds}ms"
    elif condition in LOAD_STATES:
        kind = "loadstate"
        state: Any = condition
        waiting = call.page.wait_for_load_state(state, timeout=call.deadline.ms)
        await _in_time(call, waiting, f"the page did not reach {condition!r}", condition)
    else:
        kind, found = "selector", input.state in ("attached", "visible")
        first = locate(call.page, condition).first
        waiting = first.wait_for(state=input.state, timeout=call.deadline.ms)
        await _in_time(call, waiting, f"{condition!r} did not become {input.state}", condition)
    return WaitData(
        condition=f"{kind}:{condition}",
        waited_ms=round((time.monotonic() - started) * 1000, 1),
        selector_found=found,
    )


class WaitTextInput(UrlFields):
    text: str = Field(min_length=1, description="The text, or part of it.")
    gone: bool = Field(False, description="Wait until it is no longer visible.")


class WaitedData(Data):
    waited_ms: Volatile[float]
    url: str


@reads(
    "wait.text",
    Keyword("wait-for-text text...", summary="Wait until a text is visible."),
    Keyword(
        "wait-for-no-text text...",
        summary="Wait until a text is no longer visible.",
        fixed={"gone": True},
    ),
    example={"text": "Saved"},
    outcome="ok",
    python="expect_visible(page.get_by_text(text))",
)
async def wait_text(call: PageCall, input: WaitTextInput) -> WaitedData:
    """Wait until a text is visible in any frame, or no longer is; fail with TIMEOUT otherwise."""

    async def look() -> Finding:
        return Finding(await shows_text(call.page, input.text) is not input.gone)

    what = "did not disappear" if input.gone else "did not appear"
    return await _wait_until(call, look, f"text {input.text!r} {what}", input.text)


class WaitUrlInput(Input):
    url: str = Field(
        min_length=1, description="Part of the URL, a glob, or /a regular expression/."
    )


@reads(
    "wait.url",
    "wait-for-url url",
    example={"url": "**/dashboard"},
    outcome="ok",
    python="page.wait_for_url(anywhere(url))",
)
async def wait_url(call: PageCall, input: WaitUrlInput) -> WaitedData:
    """Wait until the URL matches; fail with TIMEOUT otherwise."""
    pattern = url_pattern(input.url)

    async def look() -> Finding:
        return Finding(pattern.is_in(call.tab.url))

    return await _wait_until(call, look, f"the URL did not become {input.url!r}", input.url)


async def _wait_until(
    call: PageCall, look: Callable[[], Awaitable[Finding]], problem: str, condition: str
) -> WaitedData:
    started = time.monotonic()
    if not (await poll(call, look, call.deadline)).holds:
        raise _not_in_time(call, problem, condition)
    return WaitedData(waited_ms=round((time.monotonic() - started) * 1000, 1), url=call.tab.url)


async def _in_time(
    call: PageCall, waiting: Awaitable[object], problem: str, condition: str
) -> None:
    def invalid(reason: str) -> InvalidInput:
        return InvalidInput(
            f"condition: {condition!r} is not a duration, load state or valid selector: {reason}",
            details={"condition": condition},
        )

    try:
        with rejected_as(call, invalid):
            await waiting
    except PlaywrightTimeout as error:
        raise _not_in_time(call, problem, condition) from error


def _not_in_time(call: PageCall, problem: str, condition: str) -> OperationTimeout:
    return OperationTimeout(
        f"{problem} within {call.deadline.timeout_ms} ms",
        details={"condition": condition, "timeoutMs": call.deadline.timeout_ms},
    )
