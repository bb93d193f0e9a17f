"""Reads stdin without blocking the event loop or the exit of the process."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import TypeVar

from pwtui.protocol.ndjson import CHUNK_BYTES, LineSplitter, LineTooLong

T = TypeVar("T")

STDIN = 0
# One line is processed while the next is read; reading further ahead only uses memory.
READ_AHEAD = 2


async def stdin_lines() -> AsyncIterator[bytes | LineTooLong]:
    """Yield the lines of stdin as they arrive."""
    async for line in _in_thread(_lines):
        yield line


async def read_stdin() -> bytes:
    """Read stdin to its end."""
    return b"".join([chunk async for chunk in _in_thread(_chunks)])


async def wait_for_enter() -> None:
    """Wait until Enter is pressed, or stdin ends."""
    async for chunk in _in_thread(_chunks):
        if b"\n" in chunk:
            return


def _chunks() -> Iterator[bytes]:
    # Not sys.stdin: a thread that is killed in a buffered read keeps its lock.
    try:
        while chunk := os.read(STDIN, CHUNK_BYTES):
            yield chunk
    except OSError:
        return


def _lines() -> Iterator[bytes | LineTooLong]:
    splitter = LineSplitter()
    for chunk in _chunks():
        yield from splitter.feed(chunk)
    yield from splitter.end()


async def _in_thread(produce: Callable[[], Iterable[T]]) -> AsyncIterator[T]:
    """Yield the items of a blocking producer as they arrive.

    The thread is a daemon: it may be in a read that never returns when the process exits.
    """
    loop = asyncio.get_running_loop()
    items: asyncio.Queue[tuple[T] | None] = asyncio.Queue()
    room = threading.Semaphore(READ_AHEAD)

    def run() -> None:
        try:
            for item in produce():
                room.acquire()
                loop.call_soon_threadsafe(items.put_nowait, (item,))
            loop.call_soon_threadsafe(items.put_nowait, None)
        except RuntimeError:
            return  # the loop has been closed

    threading.Thread(target=run, daemon=True, name="stdin").start()
    while (item := await items.get()) is not None:
        yield item[0]
        room.release()
