"""What a person does by hand in a session as events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from playwright.async_api import Error

from pwtui.browser.page.durable_locator import durable_expression
from pwtui.browser.session.page_watch import Document
from pwtui.browser.session.tab import Tab
from pwtui.protocol.events import UserEvent
from pwtui.protocol.locators import (
    LocatorExpression,
    LocatorStep,
    LocatorSyntaxError,
    parse_locator,
)
from pwtui.protocol.secrets import MASK, is_secret_label

if TYPE_CHECKING:
    from pwtui.browser.session.observer import Observer

T = TypeVar("T")

NAME_SECONDS = 2.0
MAX_NAMES = 20
BUTTONS = ("left", "middle", "right")
BY_PERSON = frozenset(("typed", "address_bar", "auto_bookmark", "generated", "keyword", "reload"))
"""Types of navigation that begin in the browser's window; links and scripts have others."""


class UserWatch:
    """Publishes trusted events of pages that no request caused."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._names: dict[tuple[Document, int], asyncio.Task[str]] = {}
        self._waiting: asyncio.Queue[Coroutine[Any, Any, None]] = asyncio.Queue(1000)
        self._task = asyncio.create_task(self._publish_in_order())

    def close(self) -> None:
        self._task.cancel()
        for name in self._names.values():
            name.cancel()
        while not self._waiting.empty():
            self._waiting.get_nowait().close()

    def take(self, tab: Tab, document: Document, report: dict[str, Any]) -> None:
        """Publish what a page reported, but for what a request did."""
        if document.frame is None:
            return
        for action in report["user"]:
            # By how long ago it was: the browser may run on a machine with another clock.
            happened = time.time() - max(0, report["now"] - action["at"]) / 1000
            if self._observer.was_acting(happened):
                continue
            name = self._name(document, action)
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

    def _name(self, document: Document, seen: dict[str, Any]) -> asyncio.Task[str]:
        """The durable locator of an element; asked once while the person uses it."""
        known = self._names.pop((document, seen["id"]), None)
        if known is None:
            known = asyncio.create_task(_durable(document, seen))
        self._names[document, seen["id"]] = known
        if len(self._names) > MAX_NAMES:
            del self._names[next(iter(self._names))]
        return known


async def _durable(document: Document, seen: dict[str, Any]) -> str:
    """A locator of the element as it was then: the page may have changed it since."""
    frame, script = document.frame, document.script
    assert frame is not None
    assert script is not None
    found = await _answer(durable_expression(frame.locator(seen["path"])))
    now = await _answer(script.call("check", seen["id"])) or {}
    if found and now.get("isSame"):
        return found
    steps = [_as_seen(seen, is_unique=now.get("isUnique", True))]
    if frame.parent_frame and (root := await _answer(durable_expression(frame.locator(":root")))):
        outer = list(parse_locator(root).steps)
        while outer and outer[-1].method != "contentFrame":
            outer.pop()
        steps = outer + steps
    return str(LocatorExpression(tuple(steps)))


async def _answer(work: Coroutine[Any, Any, T]) -> T | None:
    with suppress(Error, TimeoutError, LocatorSyntaxError):
        async with asyncio.timeout(NAME_SECONDS):
            return await work
    return None


def _as_seen(seen: dict[str, Any], *, is_unique: bool) -> LocatorStep:
    role, name = seen["role"], seen["name"]
    if not is_unique or not (role or name):
        return LocatorStep("locator", (seen["path"],))
    if role:
        return LocatorStep("getByRole", (role,), (("name", name),) if name else ())
    return LocatorStep("getByText", (name,))
