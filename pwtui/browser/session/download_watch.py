"""The downloads of a tab as events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playwright.async_api import Download, Error

from pwtui.browser.session.tab import Tab
from pwtui.protocol.events import DownloadEvent

if TYPE_CHECKING:
    from pwtui.browser.session.observer import Observer

PROGRESS_SECONDS = 0.5


@dataclass
class _Progress:
    """What the browser says about one download."""

    url: str
    fields: dict[str, Any] | None = None
    counts: dict[str, int] = field(default_factory=dict)
    published_at: float = 0.0


class DownloadWatch:
    """Publishes start and end as Playwright reports them, and in Chromium the bytes between."""

    def __init__(self, observer: Observer, tab: Tab) -> None:
        self._observer = observer
        self._tab = tab
        self._known: dict[str, _Progress] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._listeners = {
            "Page.downloadWillBegin": self._on_begin,
            "Page.downloadProgress": self._on_progress,
        }
        self._listening = self._start(self._listen())

    def close(self) -> None:
        self._listening.cancel()
        for event, listener in self._listeners.items():
            self._tab.page_events.off(event, listener)

    def begin(self, download: Download) -> None:
        """A download has started."""
        fields = {
            "download": next(self._observer.numbers["download"]),
            "url": download.url,
            "suggested_filename": download.suggested_filename,
        }
        self._publish("started", fields)
        # CDP and Playwright report the same download without a common name.
        same = (each for each in self._known.values() if each.url == download.url)
        progress = next((each for each in same if each.fields is None), None)
        if progress is not None:
            progress.fields = fields
        # Not one of the tasks that `settled` waits for: it has not happened yet.
        self._start(self._follow(download, fields, progress))

    async def _follow(
        self, download: Download, fields: dict[str, Any], progress: _Progress | None
    ) -> None:
        """Publish the end of a download."""
        failure: str | None = "the browser has exited"
        with suppress(Error):
            failure = await download.failure()
        counts = progress.counts if progress else {}
        change = "failed" if failure else "finished"
        self._publish(change, fields, failure=failure, **counts)

    async def _listen(self) -> None:
        for event, listener in self._listeners.items():
            await self._tab.page_events.on(event, listener)

    def _on_begin(self, event: dict[str, Any]) -> None:
        self._known[event["guid"]] = _Progress(event["url"])

    def _on_progress(self, event: dict[str, Any]) -> None:
        progress = self._known.get(event["guid"])
        if progress is None:
            return
        progress.counts = {"received_bytes": int(event["receivedBytes"])}
        if event["totalBytes"]:
            progress.counts["total_bytes"] = int(event["totalBytes"])
        if event["state"] != "inProgress":
            del self._known[event["guid"]]
            return
        now = time.monotonic()
        if progress.fields is None or now - progress.published_at < PROGRESS_SECONDS:
            return
        progress.published_at = now
        self._publish("progress", progress.fields, **progress.counts)

    def _publish(self, change: str, fields: dict[str, Any], **more: Any) -> None:
        if "download" in self._observer.kinds:
            self._observer.publish(DownloadEvent, self._tab, change=change, **fields, **more)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
