"""The requests of a session as events."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from playwright.async_api import BrowserContext, Error, Request, Response

from pwtui.browser.session.limits import Feed
from pwtui.browser.session.request_log import Exchange
from pwtui.protocol.events import NetworkEvent, Sizes

if TYPE_CHECKING:
    from pwtui.browser.session.observer import Observer

BURST = 20_000
REQUESTS_PER_SECOND = 1000
SIZES_SECONDS = 10.0


class NetworkWatch:
    """Listens to a context: a page does not see the first request of a popup, or those of workers
    that serve several pages.
    """

    def __init__(self, observer: Observer, context: BrowserContext) -> None:
        self._observer = observer
        self._context: Any = context
        self._numbers: WeakKeyDictionary[Request, int] = WeakKeyDictionary()
        self._feed = Feed(
            context, "request", self._on_request, burst=BURST, rate=REQUESTS_PER_SECOND
        )
        self._feed.on_resume = partial(observer.flooded, "network", self._feed, None)
        self._listeners: dict[Any, Any] = {
            "response": self._on_response,
            "requestfinished": self._on_finished,
            "requestfailed": self._on_failed,
        }
        for event, listener in self._listeners.items():
            self._context.on(event, listener)

    def close(self) -> None:
        self._feed.close()
        for event, listener in self._listeners.items():
            self._context.remove_listener(event, listener)

    def _on_request(self, request: Request) -> int:
        self._numbers[request] = next(self._observer.numbers["request"])
        self._publish("request", request)
        return len(request.url)

    def _on_response(self, response: Response) -> None:
        self._publish("response", response.request)

    def _on_finished(self, request: Request) -> None:
        if request in self._numbers:
            self._observer.start(self._finish(request))

    def _on_failed(self, request: Request) -> None:
        self._publish("failed", request, failure=request.failure or "unknown")

    async def _finish(self, request: Request) -> None:
        sizes: Any = None
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(SIZES_SECONDS):
                sizes = await request.sizes()
        if sizes is None:
            self._publish("finished", request)
            return
        # The transferred bytes without the headers; from a cache nothing was transferred.
        body = sizes["responseBodySize"]
        is_http = request.url.startswith("http")
        is_cached = is_http and (body < 0 or request.timing["requestStart"] < 0)
        if (exchange := self._exchange_of(request)) is not None:
            exchange.body_bytes, exchange.is_cached = max(0, body), is_cached
        self._publish(
            "finished",
            request,
            from_cache=True if is_cached else None,
            sizes=Sizes(
                request_headers=sizes["requestHeadersSize"],
                request_body=sizes["requestBodySize"],
                response_headers=sizes["responseHeadersSize"],
                response_body=max(0, body),
            ),
        )

    def _exchange_of(self, request: Request) -> Exchange | None:
        with suppress(Error):  # a service worker, or the first request of a new tab
            tab = self._observer.tab_of(request.frame.page)
            return tab.requests.exchange_of(request) if tab is not None else None
        return None

    def _publish(self, change: str, request: Request, **more: Any) -> None:
        """Publish an event of a request whose start was published."""
        number = self._numbers.get(request)
        if number is None:
            return
        tab, frame_url = None, None
        with suppress(Error):  # a service worker, or the first request of a new tab
            frame = request.frame
            tab, frame_url = self._observer.tab_of(frame.page), frame.url
        before = request.redirected_from
        response = request.existing_response
        if response is not None:
            more["status"] = response.status
            more["status_text"] = response.status_text or None
            more["from_service_worker"] = True if response.from_service_worker else None
        if change != "request":
            exchange = tab.requests.exchange_of(request) if tab is not None else None
            more["index"] = exchange.index if exchange is not None else None
            timing = {
                name: round(value, 3)
                for name, value in dict(request.timing).items()
                if isinstance(value, int | float) and value >= 0 and name != "startTime"
            }
            more["timing"] = timing or None
            more["duration_ms"] = timing.get("responseEnd")
        worker = request.service_worker
        self._observer.publish(
            NetworkEvent,
            tab,
            change=change,
            request=number,
            method=request.method,
            url=request.url,
            resource_type=request.resource_type,
            frame_url=frame_url or None,
            service_worker=worker.url if worker else None,
            redirected_from=self._numbers.get(before) if before else None,
            **more,
        )
