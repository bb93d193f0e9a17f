"""Cancels work from outside, or at a deadline."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Generic, Self, TypeVar

from pwtui.browser.page.deadline import Deadline

R = TypeVar("R")


class Interrupted(Exception):
    """The work was interrupted; `reason` is None if the deadline passed."""


class Interruptible(Generic[R]):
    """Ends the work inside its `with` when it is interrupted, or at the deadline.

    The work runs in the caller's task: another task would cost more than many an operation. It can
    be nested, as timeouts can.
    """

    def __init__(self, deadline: Deadline, *, grace: float = 0.0) -> None:
        self.reason: R | None = None
        self._deadline = deadline
        self._grace = grace
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[object] | None = None
        self._cancelling = 0
        self._has_cancelled = False

    def __enter__(self) -> Self:
        task = self._task = asyncio.current_task(self._loop)
        assert task is not None
        self._cancelling = task.cancelling()
        self._watch_time()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        task, self._task = self._task, None
        if self._timer is not None:
            self._timer.cancel()
        if self._has_cancelled and task is not None:
            is_ours = task.uncancel() <= self._cancelling
            if is_ours and isinstance(error, asyncio.CancelledError):
                raise Interrupted from None

    def interrupt(self, reason: R) -> None:
        """Interrupt the work, unless it has just finished."""
        if self.reason is None:
            self.reason = reason
            self._loop.call_soon(self._cancel)

    def _watch_time(self) -> None:
        """The deadline may be extended while the work runs."""
        seconds = self._deadline.seconds
        if seconds is None:
            return
        if self._timer is not None and seconds == 0:
            self._cancel()
        else:
            self._timer = self._loop.call_later(seconds + self._grace, self._watch_time)

    def _cancel(self) -> None:
        if self._task is not None and not self._has_cancelled:
            self._has_cancelled = True
            self._task.cancel()
