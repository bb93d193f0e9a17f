"""The context of an operation in a session or on a page."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, ClassVar

from playwright.async_api import Error, Page
from pydantic import Field

from pwtui.browser.page.element import Element
from pwtui.browser.session.limits import Feed
from pwtui.browser.session.session import BrowserSession, save_download
from pwtui.browser.session.tab import Tab
from pwtui.operations.framework.call import Call
from pwtui.operations.framework.fields import Data
from pwtui.protocol.envelope import Artifact
from pwtui.protocol.errors import IoError
from pwtui.protocol.model import Maybe, Volatile
from pwtui.runtime.target import Target


class DownloadData(Data):
    url: str
    suggested_filename: str
    path: Volatile[Maybe[str]] = Field(
        None, description="Where it was saved, if downloads.dir is set."
    )


@dataclass
class SessionCall(Call):
    """The context of an operation that needs a browser."""

    needs_session: ClassVar[bool] = True

    session: BrowserSession = field(init=False)

    def note_gaps(self, what: str, feed: Feed[Any]) -> None:
        """Report events that were dropped because the page sent too many."""
        if feed.pauses:
            self.note(
                "warning",
                f"the page sent too many {what}: listening paused {feed.pauses} times, so some are "
                "missing",
            )

    def check_pages(self) -> None:
        """Fail at once when a page of the session cannot respond."""
        for tab in self.session.tabs:
            tab.check_usable()


@dataclass
class PageCall(SessionCall):
    """The context of an operation on a page. `target.url` is already open."""

    needs_page: ClassVar[bool] = True

    tab: Tab = field(init=False)
    target: Target = field(init=False)
    found: Element | None = field(default=None, init=False)
    is_open: bool = field(default=False, init=False)
    """Whether `tab` is set: a request may fail before."""

    def act_in(self, tab: Tab, target: Target) -> None:
        self.tab, self.target, self.is_open = tab, target, True
        self._first_download = tab.downloads.total

    @property
    def page(self) -> Page:
        return self.tab.page

    @property
    def element(self) -> Element:
        """The element of the request; only for operations that take one."""
        if self.found is None:
            raise TypeError(f"{self.op} uses an element and does not declare one")
        return self.found

    def resolved_target(self) -> dict[str, str | None]:
        selector = self.found.selector if self.found is not None else None
        return {"url": self.target.url, "selector": selector}

    @property
    def traces(self) -> tuple[object, ...]:
        """What an action may change: URL, tabs, downloads, dialog and file chooser."""
        return self.tab.url, len(self.session.tabs), self.tab.downloads.total, self.tab.prompts.open

    async def watch_for_effect(self, before: tuple[object, ...], ms: int) -> None:
        """Wait until the traces change, up to this time."""
        self.deadline.extend(ms)
        happened = asyncio.Event()

        def look(_: object = None) -> None:
            if self.traces != before:
                happened.set()

        events: list[Any] = ["framenavigated", "download", "dialog", "filechooser", "popup"]
        for event in events:
            self.page.on(event, look)
        look()
        try:
            async with asyncio.timeout(ms / 1000):
                await happened.wait()
        except TimeoutError:
            pass
        finally:
            for event in events:
                self.page.remove_listener(event, look)

    async def downloads(self) -> list[DownloadData] | None:
        """The downloads that started during this operation, saved in the runtime's folder."""
        found = []
        for download in self.tab.downloads.since(self._first_download):
            data = DownloadData(url=download.url, suggested_filename=download.suggested_filename)
            if self.runtime.downloads_dir is None:
                self.note(
                    "info",
                    f"{download.suggested_filename} was not saved; set downloads.dir to keep it",
                )
            else:
                try:
                    path = await save_download(download, self.runtime.downloads_dir)
                    data.path = str(path)
                    size = path.stat().st_size
                    self.artifacts.append(
                        Artifact(type="download", path=str(path), size_bytes=size)
                    )
                except OSError as error:
                    raise IoError.of("save the download", error) from error
                except Error as error:
                    self.note("warning", f"{download.url} was not saved: {error.message}")
            found.append(data)
        return found or None
