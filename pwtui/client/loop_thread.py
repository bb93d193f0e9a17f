"""An event loop in a thread, for code that does not use asyncio."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """Runs coroutines for callers in other threads, where another loop may run."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="pwtui")
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result; work whose caller is interrupted is cancelled, and ends in the background."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self, last: Coroutine[Any, Any, object]) -> None:
        """End the loop, after cancelled work has cleaned up and the last work is done."""
        if not self._thread.is_alive():
            last.close()
            return
        self.run(self._after_others(last))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _after_others(self, last: Coroutine[Any, Any, object]) -> None:
        ending = {task for task in asyncio.all_tasks() if task.cancelling()}
        if ending:
            await asyncio.wait(ending)
        await last
