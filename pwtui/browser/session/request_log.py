"""The requests of a tab, by number."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.async_api import Error, Page, Request

from pwtui.browser.session.limits import Feed, Kept

REQUEST_LIMIT = 1000


@dataclass
class Exchange:
    """One request with its number."""

    index: int
    request: Request
    body_bytes: int | None = None
    """The received bytes of the response's body, if events were recorded."""
    is_cached: bool = False
    sent_at: float = field(default_factory=time.time)

    @property
    def starts_page(self) -> bool:
        """Whether it is the request of a new document that did not fail."""
        request = self.request
        if not request.is_navigation_request() or request.redirected_from or request.failure:
            return False
        try:
            return request.frame.parent_frame is None
        except Error:
            return True  # a new tab's first request comes before its frame


class RequestLog(Kept[Exchange]):
    """The newest requests of a tab. Numbers count from 1 and are never used again."""

    def __init__(self, page: Page, on_pause: Callable[[], None]) -> None:
        super().__init__(REQUEST_LIMIT)
        self._next = 1
        self.feed = Feed(page, "request", self._on_request, on_pause)

    def of_page(self) -> list[Exchange]:
        """The requests of the current page, including that for its document."""
        found: list[Exchange] = []
        for exchange in reversed(self):
            found.append(exchange)
            if exchange.starts_page:
                break
        return found[::-1]

    def find(self, index: int) -> Exchange | None:
        return next((each for each in self if each.index == index), None)

    def exchange_of(self, request: Request) -> Exchange | None:
        return next((each for each in reversed(self) if each.request is request), None)

    def clear(self) -> None:
        super().clear()
        self.feed.pauses = 0

    def _on_request(self, request: Request) -> int:
        self.add(Exchange(self._next, request), len(request.url))
        self._next += 1
        return len(request.url)
