"""The requests that a tab made, under numbers that stay theirs."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.async_api import Error, Request

from pwtui.browser.session.limits import Kept

TRAFFIC_LIMIT = 1000


@dataclass(frozen=True)
class Exchange:
    """One request; its response is asked of it when somebody wants to know."""

    index: int
    request: Request

    @property
    def starts_page(self) -> bool:
        """Whether this was the request for the tab's next page; one that failed led nowhere."""
        request = self.request
        if not request.is_navigation_request() or request.redirected_from or request.failure:
            return False
        try:
            return request.frame.parent_frame is None
        except Error:
            return True  # a new tab's first request comes before its frame


class RequestLog:
    """The newest requests of a tab. Numbers count from 1 and are never used again."""

    def __init__(self) -> None:
        self._exchanges: Kept[Exchange] = Kept(TRAFFIC_LIMIT)
        self._next = 1

    def add(self, request: Request) -> None:
        self._exchanges.add(Exchange(self._next, request), len(request.url))
        self._next += 1

    @property
    def dropped(self) -> int:
        return self._exchanges.dropped

    def all(self) -> list[Exchange]:
        return list(self._exchanges)

    def of_page(self) -> list[Exchange]:
        """The requests of the page that is open, its own included."""
        found: list[Exchange] = []
        for exchange in reversed(self._exchanges):
            found.append(exchange)
            if exchange.starts_page:
                break
        return found[::-1]

    def find(self, index: int) -> Exchange | None:
        return next((each for each in self._exchanges if each.index == index), None)

    def clear(self) -> None:
        self._exchanges.clear()
