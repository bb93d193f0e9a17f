"""Interrupted work: the cause of the interruption, and the state of the task afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import pytest

from pwtui.browser.page.deadline import Deadline
from pwtui.browser.page.interruptible import Interrupted, Interruptible

T = TypeVar("T")


async def forever() -> None:
    await asyncio.Event().wait()


async def guarded(guard: Interruptible[str], work: Awaitable[T]) -> T:
    with guard:
        return await work


async def test_the_result_is_returned() -> None:
    guard: Interruptible[str] = Interruptible(Deadline(0))
    assert await guarded(guard, asyncio.sleep(0, "done")) == "done"
    assert guard.reason is None


async def test_an_error_is_raised() -> None:
    async def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await guarded(Interruptible(Deadline(0)), fail())


async def test_interruption_ends_the_work_and_leaves_the_task_usable() -> None:
    guard: Interruptible[str] = Interruptible(Deadline(0))
    asyncio.get_running_loop().call_later(0.01, guard.interrupt, "dialog")
    with pytest.raises(Interrupted):
        await guarded(guard, forever())
    assert guard.reason == "dialog"
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    await asyncio.sleep(0.01)


async def test_finished_work_is_not_interrupted() -> None:
    guard: Interruptible[str] = Interruptible(Deadline(0))
    answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def both() -> None:
        answer.set_result(7)
        guard.interrupt("closed")

    asyncio.get_running_loop().call_later(0.01, both)
    assert await guarded(guard, answer) == 7


async def test_a_deadline_ends_the_work() -> None:
    guard: Interruptible[str] = Interruptible(Deadline(20))
    with pytest.raises(Interrupted):
        await guarded(guard, forever())
    assert guard.reason is None


async def test_an_extended_deadline_allows_more_time() -> None:
    deadline = Deadline(20)

    async def work() -> str:
        deadline.extend(10_000)
        await asyncio.sleep(0.1)
        return "done"

    assert await guarded(Interruptible(deadline), work()) == "done"


async def test_cancelled_task_stays_cancelled() -> None:
    task = asyncio.create_task(guarded(Interruptible(Deadline(0)), forever()))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_cancelled_and_interrupted_at_once_is_cancelled() -> None:
    guard: Interruptible[str] = Interruptible(Deadline(0))
    task = asyncio.create_task(guarded(guard, forever()))
    await asyncio.sleep(0.01)
    guard.interrupt("closed")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_outer_guard_ends_the_work_of_the_inner_one() -> None:
    outer: Interruptible[str] = Interruptible(Deadline(0))
    inner: Interruptible[str] = Interruptible(Deadline(0))
    asyncio.get_running_loop().call_later(0.01, outer.interrupt, "closed")
    with pytest.raises(Interrupted):
        await guarded(outer, guarded(inner, forever()))
    assert inner.reason is None


async def test_if_both_guards_are_interrupted_the_outer_one_raises() -> None:
    outer: Interruptible[str] = Interruptible(Deadline(0))
    inner: Interruptible[str] = Interruptible(Deadline(0))
    reported: list[str] = []

    async def work() -> None:
        try:
            await guarded(inner, forever())
        except Interrupted:
            reported.append("inner")
            raise

    def close() -> None:
        inner.interrupt("closed")
        outer.interrupt("closed")

    asyncio.get_running_loop().call_later(0.01, close)
    with pytest.raises(Interrupted):
        await guarded(outer, work())
    assert reported == []
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


def test_a_deadline_that_is_extended_names_the_time_that_it_allows_in_all() -> None:
    deadline, endless = Deadline(300), Deadline(0)
    for each in (deadline, endless):
        each.extend(400)
    assert (deadline.timeout_ms, endless.timeout_ms) == (700, 0)
    assert Deadline(2**40).ms < 2**31
