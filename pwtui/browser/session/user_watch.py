"""What a person does by hand in a session as events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error, Frame

from pwtui.browser.page.durable_locator import durable_expression
from pwtui.browser.session.tab import Tab
from pwtui.protocol.events import UserEvent
from pwtui.protocol.locators import LocatorSyntaxError
from pwtui.protocol.secrets import MASK, is_secret_label

if TYPE_CHECKING:
    from pwtui.browser.session.observer import Observer

NAME_SECONDS = 2.0
MAX_NAMES = 20
BUTTONS = ("left", "middle", "right")
BY_PERSON = frozenset(("typed", "address_bar", "auto_bookmark", "generated", "keyword", "reload"))
"""Types of navigation that begin in the browser's window; links and scripts have others."""


class UserWatch:
    """Publishes trusted events of pages that no request caused."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._names: dict[tuple[Frame, str], asyncio.Task[str]] = {}
        self._waiting: asyncio.Queue[Coroutine[Any, Any, None]] = asyncio.Queue(1000)
        self._task = asyncio.create_task(self._publish_in_order())

    def close(self) -> None:
        self._task.cancel()
        for name in self._names.values():
            name.cancel()
        while not self._waiting.empty():
            self._waiting.get_nowait().close()

    def take(self, tab: Tab, frame: Frame, report: dict[str, Any]) -> None:
        """Publish what a page reported, but for what a request did."""
        for action in report["user"]:
            # By how long ago it was: the browser may run on a machine with another clock.
            happened = time.time() - max(0, report["now"] - action["at"]) / 1000
            if self._observer.was_acting(happened):
                continue
            name = self._name(frame, action["path"])
            if action["do"] != "point":
                self._put(self._publish(tab, action, happened, name))

    def navigated(self, tab: Tab, transition: str) -> None:
        """The main frame of a tab shows another URL."""
        moment = tab.navigated_at
        if transition in BY_PERSON and not self._observer.was_acting(moment):
            how = "reload" if transition == "reload" else "navigate"
            self._put(self._publish_navigation(tab, how, moment))

    def _put(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            self._waiting.put_nowait(work)
        except asyncio.QueueFull:
            work.close()

    async def _publish_in_order(self) -> None:
        while True:
            await (await self._waiting.get())

    async def _publish(
        self, tab: Tab, action: dict[str, Any], happened: float, name: asyncio.Task[str]
    ) -> None:
        fields: dict[str, Any] = {"time": happened, "action": action["do"], "selector": await name}
        match action["do"]:
            case "click":
                fields |= {"button": BUTTONS[action["button"]], "count": action["count"]}
            case "fill":
                is_secret = action["secret"] or is_secret_label(action["label"])
                fields["text"] = MASK if is_secret else action["text"]
            case "select":
                fields["values"] = action["values"]
            case "press":
                fields["key"] = action["key"]
        self._observer.publish(UserEvent, tab, url=tab.url, **fields)

    async def _publish_navigation(self, tab: Tab, how: str, happened: float) -> None:
        self._observer.publish(UserEvent, tab, time=happened, action=how, url=tab.url)

    def _name(self, frame: Frame, path: str) -> asyncio.Task[str]:
        """The durable locator of an element; asked once while the person uses it."""
        known = self._names.pop((frame, path), None)
        if known is None:
            known = asyncio.create_task(_durable(frame, path))
        self._names[frame, path] = known
        if len(self._names) > MAX_NAMES:
            del self._names[next(iter(self._names))]
        return known

    def forget(self, tab: Tab) -> None:
        """The paths of a tab lead to other elements from now on."""
        for frame, path in [key for key in self._names if key[0].page is tab.page]:
            del self._names[frame, path]


async def _durable(frame: Frame, path: str) -> str:
    with suppress(Error, TimeoutError, LocatorSyntaxError):
        async with asyncio.timeout(NAME_SECONDS):
            return await durable_expression(frame.locator(path))
    return path
