"""Waiting for something to be true."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Annotated, Literal

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeout
from pydantic import Field, StrictStr

from pwtui.browser.first_line import first_line
from pwtui.browser.page.element import locate
from pwtui.operations.framework.declare import Group, Keyword, reads
from pwtui.operations.framework.fields import LONGEST_WAIT_MS, Data, Input, Milliseconds, UrlFields
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.polling import Finding, poll, shows_text
from pwtui.protocol.errors import InvalidInput, OperationTimeout
from pwtui.protocol.model import Maybe, Volatile
from pwtui.runtime.patterns import url_pattern

GROUP = Group.WAITING

LOAD_STATES = ("load", "domcontentloaded", "networkidle")


class WaitInput(UrlFields):
    condition: Annotated[StrictStr, Field(min_length=1)] | Milliseconds = Field(
        description="Milliseconds, a load state (load, domcontentloaded, networkidle), a selector."
    )
    state: Literal["attached", "visible", "hidden", "detached"] = Field(
        "attached", description="What must be true of the selector's element."
    )

    @property
    def milliseconds(self) -> int | None:
        text = str(self.condition).strip()
        if not (text.isascii() and text.isdecimal()):
            return None
        if len(text) > 12 or int(text) > LONGEST_WAIT_MS:
            raise InvalidInput("condition: no wait may be longer than a day (86400000 ms)")
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
        if str(condition).isdecimal(): page.wait_for_timeout(int(condition))
        elif condition in ('load', 'domcontentloaded', 'networkidle'):
            page.wait_for_load_state(condition)
        else: page.locator(condition).wait_for(state=state or 'attached')
    """,
)
async def wait(call: PageCall, input: WaitInput) -> WaitData:
    """Wait for a time, a load state or an element; end with TIMEOUT when it does not come."""
    started = time.monotonic()
    found = None
    condition = str(input.condition).strip()
    if input.milliseconds is not None:
        call.deadline.extend(input.milliseconds)
        await asyncio.sleep(input.milliseconds / 1000)
        condition = f"timeout:{input.milliseconds}ms"
    elif condition in LOAD_STATES:
        await _load_state(call, condition)
        condition = f"loadstate:{condition}"
    else:
        found = await _element(call, condition, input)
        condition = f"selector:{condition}"
    return WaitData(
        condition=condition,
        waited_ms=round((time.monotonic() - started) * 1000, 1),
        selector_found=found,
    )


class WaitTextInput(UrlFields):
    text: str = Field(min_length=1, description="A text that can be seen, or a part of one.")
    gone: bool = Field(False, description="Wait until it can no longer be seen.")


class WaitedData(Data):
    waited_ms: Volatile[float]
    url: str


@reads(
    "wait.text",
    Keyword("wait-for-text text...", summary="Wait until a text is visible."),
    Keyword("wait-for-no-text text...", summary="Wait until a text is gone.", fixed={"gone": True}),
    example={"text": "Saved"},
    outcome="ok",
    python="expect_visible(page.get_by_text(text))",
)
async def wait_text(call: PageCall, input: WaitTextInput) -> WaitedData:
    """Wait until a text can be seen in any frame, or is gone; end with TIMEOUT when not in time."""

    async def look() -> Finding:
        return Finding(await shows_text(call.page, input.text) is not input.gone)

    what = "did not disappear" if input.gone else "did not appear"
    return await _wait_until(call, look, f"the text {input.text!r} {what}", input.text)


class WaitUrlInput(Input):
    url: str = Field(
        min_length=1, description="A part of the address, a glob, or /a regular expression/."
    )


@reads(
    "wait.url",
    "wait-for-url url",
    example={"url": "**/dashboard"},
    outcome="ok",
    python="page.wait_for_url(anywhere(url))",
)
async def wait_url(call: PageCall, input: WaitUrlInput) -> WaitedData:
    """Wait until the address matches; end with TIMEOUT when it does not."""
    pattern = url_pattern(input.url)

    async def look() -> Finding:
        return Finding(pattern.is_in(call.tab.url))

    return await _wait_until(call, look, f"the address did not become {input.url!r}", input.url)


async def _wait_until(
    call: PageCall, look: Callable[[], Awaitable[Finding]], problem: str, condition: str
) -> WaitedData:
    started = time.monotonic()
    if not (await poll(call, look, call.deadline)).holds:
        raise _not_in_time(call, problem, condition)
    return WaitedData(waited_ms=round((time.monotonic() - started) * 1000, 1), url=call.tab.url)


async def _load_state(call: PageCall, state: str) -> None:
    try:
        await call.page.wait_for_load_state(
            state,  # type: ignore[arg-type]
            timeout=call.deadline.ms,
        )
    except PlaywrightTimeout as error:
        raise _not_in_time(call, f"the page did not reach {state!r}", state) from error


async def _element(call: PageCall, selector: str, input: WaitInput) -> bool:
    try:
        first = locate(call.page, selector).first
        await first.wait_for(state=input.state, timeout=call.deadline.ms)
    except PlaywrightTimeout as error:
        problem = f"{selector!r} did not become {input.state}"
        raise _not_in_time(call, problem, selector) from error
    except Error as error:
        if call.page.is_closed() or call.tab.crashed:
            raise
        reason = first_line(error)
        raise InvalidInput(
            f"condition: {selector!r} is not a duration, load state or valid selector: {reason}",
            details={"condition": selector},
        ) from error
    return input.state in ("attached", "visible")


def _not_in_time(call: PageCall, problem: str, condition: str) -> OperationTimeout:
    return OperationTimeout(
        f"{problem} within {call.deadline.timeout_ms} ms",
        details={"condition": condition, "timeoutMs": call.deadline.timeout_ms},
    )
