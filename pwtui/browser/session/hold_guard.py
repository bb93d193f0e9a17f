"""The process that releases what is held when the process that holds it has exited.

`python -m pwtui.browser.session.hold_guard ENDPOINT`: connects to a bound browser, prints `ready`,
and waits for the end of its input. If there was no line before the end, it releases everything.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress

LINGER_SECONDS = 1.0
"""What the killed process had sent may arrive late: it is released too."""


async def guard(endpoint: str) -> None:
    from playwright.async_api import Error, async_playwright

    from pwtui.browser.session.hold import ContextHold

    loop = asyncio.get_running_loop()
    async with async_playwright() as playwright:
        # The protocol is the same for all browsers.
        browser = await playwright.chromium.connect(endpoint)
        gone = asyncio.Event()
        browser.on("disconnected", lambda _: gone.set())
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        reading = loop.run_in_executor(None, sys.stdin.readline)
        waiting = asyncio.create_task(gone.wait())
        await asyncio.wait({reading, waiting}, return_when="FIRST_COMPLETED")
        if gone.is_set() or await reading:
            os._exit(0)  # the executor may still read
        held = [ContextHold(context) for context in browser.contexts]
        with suppress(Error):
            await asyncio.gather(*(each.release() for each in held))
            await asyncio.wait({waiting}, timeout=LINGER_SECONDS)
            await asyncio.gather(*(each.release() for each in held))
            await browser.close()


def main() -> None:
    # No child of the process that holds: that may be killed together with its children.
    if os.fork():
        os._exit(0)
    os.setsid()
    asyncio.run(guard(sys.argv[1]))


if __name__ == "__main__":
    main()
