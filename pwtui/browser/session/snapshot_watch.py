"""The accessibility tree of a session's active tab as events."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from playwright.async_api import Error

from pwtui.browser.page.aria_snapshot import take_snapshot, take_snapshot_without_scripts
from pwtui.browser.session.tab import Tab
from pwtui.protocol.events import SnapshotEvent

if TYPE_CHECKING:
    from pwtui.browser.session.observer import Observer

SETTLE_SECONDS = 0.05
"""A change seldom comes alone."""
RETRY_SECONDS = 1.0
LONGEST_SECONDS = 10.0
REPEAT_SECONDS = 2.0
"""How often another program's page is looked at, in which no script reports changes."""
PAUSE_FACTOR = 9
"""Snapshots take at most a tenth of the time."""
LONGEST_PAUSE = 20.0
"""On a busy machine a snapshot takes long without using the processor."""


class SnapshotWatch:
    """Takes a snapshot after a change, while no request runs; the next request cancels it."""

    kind = "snapshot"

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._is_closed = False
        self._is_due = True
        self._not_before = self._earliest = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._last: int | None = None
        self._plan()

    def changed(self) -> None:
        """The page may have changed, or another tab is active."""
        self._is_due = True
        if self._timer is not None and not self._observer.may_run_scripts:
            self._timer.cancel()
            self._timer, self._not_before = None, self._earliest
        self._plan()

    def repeat(self) -> None:
        """Publish the snapshot even if it is the same."""
        self._last = None
        self.changed()

    def hold(self) -> None:
        """A request begins."""
        if self._task is not None:
            self._task.cancel()

    def release(self) -> None:
        """No request runs any more."""
        self._plan()

    def close(self) -> None:
        self._is_closed = True
        self.hold()
        if self._timer is not None:
            self._timer.cancel()

    def _plan(self) -> None:
        is_planned = self._task is not None or self._timer is not None or self._is_closed
        if self._is_due and not is_planned and not self._observer.is_busy:
            pause = max(SETTLE_SECONDS, self._not_before - time.monotonic())
            self._timer = asyncio.get_running_loop().call_later(pause, self._begin)

    def _begin(self) -> None:
        self._timer = None
        tab = self._observer.active_tab()
        if self._observer.is_busy or tab is None or not tab.is_usable:
            return  # `release` or `changed` follows
        self._task = asyncio.create_task(self._take(tab))
        self._task.add_done_callback(self._taken)

    async def _take(self, tab: Tab) -> None:
        self._is_due = False  # still due if it is cancelled before this
        begun = time.monotonic()
        least = 0.0
        try:
            async with asyncio.timeout(LONGEST_SECONDS):
                # First: what changes while the snapshot is taken must be noticed.
                if watch := self._observer.page_watch(tab):
                    await watch.arm()
                limit = LONGEST_SECONDS * 1000
                if self._observer.may_run_scripts:
                    snapshot = await take_snapshot(tab.page, timeout_ms=limit)
                else:
                    snapshot = await take_snapshot_without_scripts(
                        tab.page, title=tab.title, timeout_ms=limit
                    )
        except (Error, TimeoutError):
            self._is_due = not tab.page.is_closed()
            least = RETRY_SECONDS
        except asyncio.CancelledError:
            self._is_due = True
            raise
        else:
            shown = {"url": tab.url, "title": snapshot.title, "text": snapshot.text}
            if self._last != (last := hash((tab.index, *shown.values()))):
                self._last = last
                self._observer.publish(SnapshotEvent, tab, **shown)
        finally:
            now = time.monotonic()
            self._not_before = self._earliest = now + max(
                least, min(LONGEST_PAUSE, PAUSE_FACTOR * (now - begun))
            )

    def _taken(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if not self._observer.may_run_scripts:
            self._is_due = True
            self._not_before = max(self._not_before, time.monotonic() + REPEAT_SECONDS)
        self._plan()
