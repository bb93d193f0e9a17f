"""The titles of a tab as events, and when it has loaded a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwtui.browser.session.tab import Tab
from pwtui.protocol.events import TabEvent

if TYPE_CHECKING:
    from pwtui.browser.session.observer import Observer


class TabWatch:
    """Asks for the title of a new page; the script in it, if there is one, reports each other."""

    def __init__(self, observer: Observer, tab: Tab) -> None:
        self._observer = observer
        self._tab = tab
        self._known = tab.title
        tab.page.on("domcontentloaded", self.ask)
        tab.page.on("load", self._on_load)

    def close(self) -> None:
        self._tab.page.remove_listener("domcontentloaded", self.ask)
        self._tab.page.remove_listener("load", self._on_load)

    def ask(self, _: object = None) -> None:
        self._observer.start(self._ask())

    def _on_load(self, _: object) -> None:
        tab = self._tab
        self._observer.publish(TabEvent, tab, change="loaded", url=tab.url, title=tab.title or None)
        if self._observer.page_watch(tab) is None:
            self.ask()

    async def _ask(self) -> None:
        title = await self._tab.known_title()
        if self._tab.is_usable:
            self.show(title)

    def show(self, title: str) -> None:
        """The page has this title now."""
        self._tab.title = title
        if title and title != self._known:
            self._known = title
            self._observer.publish(
                TabEvent, self._tab, change="title", url=self._tab.url, title=title
            )
