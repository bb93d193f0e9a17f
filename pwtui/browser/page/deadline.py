"""The time limit of an operation."""

from __future__ import annotations

import time

DEFAULT_TIMEOUT_MS = 30_000
# More overflows the timers of Playwright's driver.
LONGEST_MS = 2**31 - 1
MORE_TIME = "allow more time with runtime.overrides.timeoutMs"


class Deadline:
    """The end of an operation's time limit; `timeoutMs: 0` is no limit, as in Playwright."""

    def __init__(self, timeout_ms: int | None = None) -> None:
        self.timeout_ms = DEFAULT_TIMEOUT_MS if timeout_ms is None else timeout_ms
        self.restart()

    def restart(self) -> None:
        self._end = time.monotonic() + self.timeout_ms / 1000 if self.timeout_ms else None

    def extend(self, ms: float) -> None:
        """Extend the deadline by a wait that the request asks for."""
        if self._end is not None:
            self._end += ms / 1000
            self.timeout_ms += round(ms)

    @property
    def seconds(self) -> float | None:
        """Remaining time for asyncio; None without a deadline."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    @property
    def ms(self) -> float:
        """Remaining time for Playwright, which treats 0 as no timeout."""
        seconds = self.seconds
        return 0 if seconds is None else min(max(1.0, seconds * 1000), LONGEST_MS)
