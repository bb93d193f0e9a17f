"""Limits for the events of a page: how many are kept, and at which rate."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from playwright.async_api import BrowserContext, Page

T = TypeVar("T")

BURST = 4000
EVENTS_PER_SECOND = 200
CHARACTERS_PER_EVENT = 1024
"""A long message counts as several."""
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 10.0
TEXT_LIMIT = 1_000_000
_ALWAYS_SENT = frozenset(("pageerror",))
"""Events that the driver sends also while they are not listened to."""


def shortened(text: str) -> str:
    """The text, truncated with a note if it is too long."""
    more = len(text) - TEXT_LIMIT
    return text if more <= 0 else f"{text[:TEXT_LIMIT]}… ({more} more characters)"


class Kept(Generic[T]):
    """The newest items, limited in number and in characters; the others are counted."""

    def __init__(self, count: int, characters: int = 8_000_000) -> None:
        self.dropped = 0
        self._items: deque[tuple[T, int]] = deque()
        self._count, self._characters = count, characters
        self._size = 0

    def add(self, item: T, size: int = 0) -> None:
        self._items.append((item, size))
        self._size += size
        while len(self._items) > self._count or self._size > self._characters:
            _, freed = self._items.popleft()
            self._size -= freed
            self.dropped += 1

    @property
    def total(self) -> int:
        """The number of items, including dropped ones."""
        return self.dropped + len(self._items)

    def since(self, total: int) -> list[T]:
        """The items that were added after the first `count`."""
        return list(self)[max(0, total - self.dropped) :]

    def clear(self) -> None:
        self._items.clear()
        self._size = self.dropped = 0

    def __iter__(self) -> Iterator[T]:
        return (item for item, _ in self._items)

    def __reversed__(self) -> Iterator[T]:
        return (item for item, _ in reversed(self._items))

    def __len__(self) -> int:
        return len(self._items)


class Feed(Generic[T]):
    """Listens to one kind of event of a page or context, and pauses when there are too many.

    One driver serves all pages, so a page that floods it delays all others. Without a listener the
    driver does not send the event at all.
    """

    def __init__(
        self,
        page: Page | BrowserContext,
        event: str,
        take: Callable[[T], int],
        on_pause: Callable[[], None] = lambda: None,
        *,
        burst: int = BURST,
        rate: int = EVENTS_PER_SECOND,
    ) -> None:
        """`take` handles an event and returns how many characters it had."""
        self.pauses = 0
        self.can_stop = event not in _ALWAYS_SENT
        """Whether pausing keeps the driver from sending; else the events are counted."""
        self.on_resume: Callable[[int], None] = lambda dropped: None
        """Called after a pause with the number of dropped events."""
        self._page: Any = page
        self._event, self._take, self._on_pause = event, take, on_pause
        self._burst, self._rate = burst, rate
        self._dropped = 0
        self._tokens = float(burst)
        self._last = time.monotonic()
        self._pause = 0.0
        self._timer: asyncio.TimerHandle | None = None
        page.on(event, self._receive)  # type: ignore[call-overload]

    def resume(self) -> None:
        """End a pause and reset the rate."""
        if self._timer is not None:
            self._timer.cancel()
            self._listen()
        self._pause, self._tokens = 0.0, float(self._burst)

    def close(self) -> None:
        """Stop listening."""
        if self._timer is None or not self.can_stop:
            self._page.remove_listener(self._event, self._receive)
        if self._timer is not None:
            self._timer.cancel()

    def _receive(self, event: T) -> None:
        if self._timer is not None:
            self._dropped += 1  # was on its way already
            return
        now = time.monotonic()
        self._tokens += (now - self._last) * self._rate
        self._last = now
        if self._tokens > self._burst:
            self._tokens, self._pause = float(self._burst), 0.0
        self._tokens -= 1 + self._take(event) / CHARACTERS_PER_EVENT
        if self._tokens < 0:
            if self.can_stop:
                self._page.remove_listener(self._event, self._receive)
            self.pauses += 1
            self._pause = min(max(FIRST_PAUSE_SECONDS, 2 * self._pause), LONGEST_PAUSE_SECONDS)
            self._timer = asyncio.get_running_loop().call_later(self._pause, self._listen)
            self._on_pause()

    def _listen(self) -> None:
        self._timer = None
        self._tokens, self._last = float(self._rate), time.monotonic()
        if self.can_stop and not self._page.is_closed():
            self._page.on(self._event, self._receive)
        dropped, self._dropped = self._dropped, 0
        self.on_resume(dropped)
