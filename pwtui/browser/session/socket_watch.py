"""The WebSockets of a tab as events."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from playwright.async_api import WebSocket

from pwtui.browser.session.tab import Tab
from pwtui.protocol.events import WebSocketEvent

if TYPE_CHECKING:
    from pwtui.browser.session.observer import Observer

REPORT_SECONDS = 1.0


class SocketWatch:
    """Listens to the WebSockets that are opened from now on."""

    def __init__(self, observer: Observer, tab: Tab) -> None:
        self._observer = observer
        self._tab = tab
        self._sockets: set[_Socket] = set()
        tab.page.on("websocket", self._on_socket)

    def close(self) -> None:
        self._tab.page.remove_listener("websocket", self._on_socket)
        for socket in list(self._sockets):
            socket.close()

    def _on_socket(self, socket: WebSocket) -> None:
        self._sockets.add(_Socket(self._observer, self._tab, socket, self._sockets))


class _Socket:
    """Counts the frames of one WebSocket."""

    def __init__(
        self, observer: Observer, tab: Tab, socket: WebSocket, known: set[_Socket]
    ) -> None:
        self._observer, self._tab, self._known = observer, tab, known
        self._socket: Any = socket
        self._number = next(observer.numbers["socket"])
        self._counts = {
            "frames_sent": 0,
            "bytes_sent": 0,
            "frames_received": 0,
            "bytes_received": 0,
        }
        self._error: str | None = None
        self._reporting: asyncio.TimerHandle | None = None
        self._listeners: dict[Any, Any] = {
            "framesent": lambda data: self._count("sent", data),
            "framereceived": lambda data: self._count("received", data),
            "socketerror": self._on_error,
            "close": self._on_close,
        }
        for event, listener in self._listeners.items():
            self._socket.on(event, listener)
        self._publish("opened")

    def close(self) -> None:
        if self._reporting is not None:
            self._reporting.cancel()
        for event, listener in self._listeners.items():
            self._socket.remove_listener(event, listener)
        self._known.discard(self)

    def _count(self, way: str, data: str | bytes) -> None:
        self._counts[f"frames_{way}"] += 1
        self._counts[f"bytes_{way}"] += len(data.encode() if isinstance(data, str) else data)
        if self._reporting is None:
            loop = asyncio.get_running_loop()
            self._reporting = loop.call_later(REPORT_SECONDS, self._report)

    def _report(self) -> None:
        self._reporting = None
        self._publish("frames")

    def _on_error(self, error: str) -> None:
        self._error = error

    def _on_close(self, _: object) -> None:
        self.close()
        self._publish("closed", error=self._error)

    def _publish(self, change: str, **more: Any) -> None:
        self._observer.publish(
            WebSocketEvent,
            self._tab,
            change=change,
            socket=self._number,
            url=self._socket.url,
            **self._counts,
            **more,
        )
