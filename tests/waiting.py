"""Waiting with a limit. Tests wait through this module, so that none of them can hang."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, overload

T = TypeVar("T")

# A failure takes this long to be reported; a loaded machine must not reach it.
LIMIT = 60.0


def eventually(condition: Callable[[], T], what: str, *, seconds: float = LIMIT) -> T:
    """Poll until the condition holds and return its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, f"not after {seconds:g} s: {what}"
        time.sleep(0.02)
    return value


@overload
async def until(
    condition: Callable[[], Awaitable[T]], what: str, *, seconds: float = LIMIT
) -> T: ...


@overload
async def until(condition: Callable[[], T], what: str, *, seconds: float = LIMIT) -> T: ...


async def until(condition: Callable[[], Any], what: str, *, seconds: float = LIMIT) -> Any:
    """Poll a condition, plain or async, until it holds and return its value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if inspect.isawaitable(value):
            value = await value
        if value:
            return value
        assert time.monotonic() < end, f"not after {seconds:g} s: {what}"
        await asyncio.sleep(0.02)


async def within(awaitable: Awaitable[T], *, seconds: float = LIMIT) -> T:
    """Await something that must happen soon."""
    async with asyncio.timeout(seconds):
        return await awaitable
