"""Reading standard input without blocking the event loop, nor the end of the process."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator
from io import BufferedReader
from typing import cast

from pwtui.protocol.ndjson import LineTooLong, read_lines


async def stdin_lines() -> AsyncIterator[bytes | LineTooLong]:
    """The lines of stdin as they come; the next one is read while the last one is worked on.

    The reader is a daemon thread: it may sit in a read that never returns when we want to end.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes | LineTooLong | None] = asyncio.Queue(maxsize=1)

    def read() -> None:
        try:
            for line in read_lines(cast("BufferedReader", sys.stdin.buffer)):
                asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()
            asyncio.run_coroutine_threadsafe(lines.put(None), loop).result()
        except (RuntimeError, asyncio.CancelledError):
            return  # the loop has ended meanwhile

    threading.Thread(target=read, daemon=True, name="stdin").start()
    while (line := await lines.get()) is not None:
        yield line


async def wait_for_enter() -> None:
    """Until the person presses Enter, or stdin ends."""
    loop = asyncio.get_running_loop()
    pressed = asyncio.Event()

    def read() -> None:
        sys.stdin.readline()
        loop.call_soon_threadsafe(pressed.set)

    threading.Thread(target=read, daemon=True, name="enter").start()
    await pressed.wait()
