"""Polling a page until a condition holds, without hanging on a page that does not respond."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Error, Page

from pwtui.browser.page.deadline import Deadline
from pwtui.browser.session.tab_errors import timed_out
from pwtui.operations.framework.page_call import PageCall

EVERY_SECONDS = 0.1
# A check that started in time may finish this much later.
GRACE_SECONDS = 1.0


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    holds: bool
    actual: Any = None
    problem: str = ""
    secret: bool = False


async def poll(
    call: PageCall, look: Callable[[], Awaitable[Finding]], deadline: Deadline
) -> Finding:
    """The first finding that holds, else the last one before the deadline."""
    while True:
        left = deadline.seconds
        try:
            async with asyncio.timeout(None if left is None else left + GRACE_SECONDS):
                finding = await look()
        except TimeoutError:
            raise await timed_out(call.tab, deadline, call.op) from None
        except Error:
            # The page navigated during the check: check again.
            if not call.tab.is_usable or deadline.seconds == 0:
                raise
            finding = Finding(False)
        else:
            if finding.holds or deadline.seconds == 0:
                return finding
        left = deadline.seconds
        await asyncio.sleep(EVERY_SECONDS if left is None else min(EVERY_SECONDS, left))


async def shows_text(page: Page, text: str, *, exact: bool = False) -> bool:
    """Whether the text is visible in any frame of the page."""
    counts = await asyncio.gather(
        *(
            frame.get_by_text(text, exact=exact).filter(visible=True).count()
            for frame in page.frames
        ),
        return_exceptions=True,
    )
    # A frame that was detached meanwhile shows nothing; the main frame must answer.
    if isinstance(counts[0], BaseException):
        raise counts[0]
    return any(isinstance(count, int) and count > 0 for count in counts)
