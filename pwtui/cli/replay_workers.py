"""Runs the tasks of a replay side by side, at one or several places."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from pwtui.cli.replay_places import Place

T = TypeVar("T")

Run = Callable[[T, Place, int], Awaitable[bool]]
"""Runs a task at a place, shown in a line; False if the place was lost before its end."""


class Workers(Generic[T]):
    """Each place runs `jobs` tasks at a time. Tasks of a place that is lost run elsewhere."""

    def __init__(self, places: Sequence[Place], jobs: int, run: Run[T]) -> None:
        self._places = [place for _ in range(jobs) for place in places]
        self._run = run
        self._waiting: deque[T] = deque()
        self._unfinished = 0
        self._changed = asyncio.Condition()

    async def run(self, tasks: Sequence[T]) -> list[T]:
        """Run all tasks; returns those for which no place was left."""
        self._waiting.extend(tasks)
        self._unfinished = len(tasks)
        workers = [
            asyncio.create_task(self._work(place, line)) for line, place in enumerate(self._places)
        ]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            # After Ctrl+C they still close their browsers.
            await asyncio.gather(*workers, return_exceptions=True)
        return list(self._waiting)

    async def _work(self, place: Place, line: int) -> None:
        """Until all tasks are finished: a task may come back from a place that was lost."""
        while not place.lost:
            async with self._changed:
                await self._changed.wait_for(
                    lambda: self._waiting or not self._unfinished or place.lost
                )
            if place.lost or not self._waiting:
                return
            task = self._waiting.popleft()
            finished = await self._run(task, place, line)
            async with self._changed:
                if finished:
                    self._unfinished -= 1
                else:
                    place.lost = True
                    self._waiting.append(task)
                self._changed.notify_all()
