"""Runs the tasks of a replay side by side, at one or several places."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

from pwtui.cli.replay_places import Place

T = TypeVar("T")

Run = Callable[[T, Place, int], Awaitable[bool]]
"""Runs a task at a place, shown in a line; False if the place was lost before its end."""


async def run_tasks(tasks: Iterable[T], places: Sequence[Place], run: Run[T]) -> list[T]:
    """One task at a time at each place; returns those for which no place was left."""
    waiting: asyncio.Queue[T] = asyncio.Queue()
    for task in tasks:
        waiting.put_nowait(task)

    async def work(place: Place, line: int) -> None:
        finished = True
        while finished:
            task = await waiting.get()
            finished = await run(task, place, line)
            if not finished:
                waiting.put_nowait(task)
            waiting.task_done()

    workers = [asyncio.create_task(work(place, line)) for line, place in enumerate(places)]
    all_lost: asyncio.Future[Any] = asyncio.gather(*workers)
    all_done: asyncio.Future[Any] = asyncio.ensure_future(waiting.join())
    try:
        await asyncio.wait({all_lost, all_done}, return_when=asyncio.FIRST_COMPLETED)
        if all_lost.done():
            all_lost.result()
    finally:
        for each in (*workers, all_done):
            each.cancel()
        # After Ctrl+C they still close their browsers.
        await asyncio.gather(*workers, all_done, all_lost, return_exceptions=True)
    return [waiting.get_nowait() for _ in range(waiting.qsize())]
