"""Pictures of a session's active tab as events."""

from __future__ import annotations

import asyncio
import base64
import itertools
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error

from pwtui.browser.session.tab import Tab
from pwtui.protocol.events import FrameEvent

if TYPE_CHECKING:
    from pwtui.browser.session.observer import Observer

IN_FLIGHT = 5
"""Chromium sends so many frames that are not acknowledged, and none of what changes after them."""


class FrameWatch:
    """Publishes a frame when the one before was acknowledged: always the newest one.

    The browser waits too: it makes no frames that would not be published.
    """

    kind = "frame"

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._numbers = itertools.count(1)
        self._tab: Tab | None = None
        self._size: dict[str, int] = {}
        self._is_ready = True
        self._held = 0
        self._released = asyncio.Event()
        self._newest: dict[str, Any] | None = None
        self._is_published = True
        self._is_paused = False
        self._switching = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self.changed()

    def changed(self) -> None:
        """Another tab may be active, or another size is wanted."""
        self._start(self._switch())

    def repeat(self) -> None:
        """Publish the newest frame again."""
        self._is_published = self._newest is None
        self._is_ready = True
        self._publish()

    def acknowledge(self) -> None:
        """A subscriber can take another frame."""
        missed_some = self._held >= IN_FLIGHT
        self._is_ready = True
        self._release()
        if missed_some:
            self._start(self._switch(again=True))  # begins with a frame of what is shown now
        else:
            self._publish()

    async def pause(self) -> None:
        """Send no frames until `resume`: a video is made, and a page has only one screencast."""
        self._is_paused = True
        await self._switch()

    def resume(self) -> None:
        self._is_paused = False
        self.changed()

    def close(self) -> None:
        self._is_paused = True
        self.changed()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _switch(self, *, again: bool = False) -> None:
        """Have the screencast that is wanted."""
        async with self._switching:
            tab = None if self._is_paused else self._observer.active_tab()
            size = self._observer.frame_limits.to_wire()
            if (tab, size) == (self._tab, self._size) and not again:
                return
            before, self._tab, self._size = self._tab, tab, size
            self._release()
            self._newest, self._is_published = None, True
            with suppress(Error):
                if before is not None and not before.page.is_closed():
                    await before.page.screencast.stop()
            if tab is None:
                return
            try:
                await tab.page.screencast.start(
                    on_frame=self._on_frame,
                    size={"width": size["maxWidth"], "height": size["maxHeight"]},
                    quality=size["quality"],
                )
            except Error:
                self._tab = None  # a closed page, or one with a video: `changed` follows

    async def _on_frame(self, frame: Any) -> None:
        self._newest, self._is_published = frame, False
        self._held += 1
        released = self._released
        self._publish()
        await released.wait()

    def _release(self) -> None:
        self._held = 0
        self._released.set()
        self._released = asyncio.Event()

    def _publish(self) -> None:
        if self._newest is None or self._tab is None or self._is_published or not self._is_ready:
            return
        self._is_ready, self._is_published = False, True
        self._observer.publish(
            FrameEvent,
            self._tab,
            frame=next(self._numbers),
            data=base64.b64encode(self._newest["data"]).decode(),
            viewport_width=int(self._newest["viewportWidth"]),
            viewport_height=int(self._newest["viewportHeight"]),
        )
