"""Looking again and again until something is true, without ever waiting for a page that hangs."""

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
# A look that began in time may end a little later.
GRACE_SECONDS = 1.0


@dataclass(frozen=True)
class Finding:
    """What one look found."""

    holds: bool
    actual: Any = None
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
            # The page went elsewhere while it was asked: it is asked again.
            if not call.tab.is_usable or deadline.seconds == 0:
                raise
            finding = Finding(False)
        else:
            if finding.holds or deadline.seconds == 0:
                return finding
        left = deadline.seconds
        await asyncio.sleep(EVERY_SECONDS if left is None else min(EVERY_SECONDS, left))


async def shows_text(page: Page, text: str, *, exact: bool = False) -> bool:
    """Whether the text can be seen in any frame of the page."""
    counts = await asyncio.gather(
        *(
            frame.get_by_text(text, exact=exact).filter(visible=True).count()
            for frame in page.frames
        ),
        return_exceptions=True,
    )
    # A frame that went away meanwhile shows nothing; without the page's own there is no answer.
    if isinstance(counts[0], BaseException):
        raise counts[0]
    return any(isinstance(count, int) and count > 0 for count in counts)
