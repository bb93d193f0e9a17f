"""Finding the element that a person calls by its words.

Several things on a page may be meant, and the order in which they are tried depends on what is to
be done. The page is asked for each in turn, in every frame, and the first that is there is it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

from playwright.async_api import Error, Frame, Locator

from pwtui.browser.deadline import Deadline
from pwtui.browser.elements import Element
from pwtui.browser.locate import durable_expression
from pwtui.browser.tabs import Tab
from pwtui.protocol.errors import SelectorNotFound

POLL_SECONDS = 0.1
IMPATIENT_MS = 5_000

Purpose = Literal["point", "write", "focus", "choose", "tick"]
"""What is to be done with the element."""

_PURPOSES: dict[str, Purpose] = {
    "fill": "write",
    "verify.value": "write",
    "type": "focus",
    "press": "focus",
    "upload": "focus",
    "select": "choose",
    "check": "tick",
    "uncheck": "tick",
}

Way = Callable[[Frame, str, bool], Locator]
"""Elements in a frame by their words; the flag asks for the whole words in the same case."""


def _role(role: Literal["button", "link", "textbox", "combobox", "checkbox"]) -> Way:
    return lambda frame, words, exact: frame.get_by_role(role, name=words, exact=exact)


def _exact_text(frame: Frame, words: str, exact: bool) -> Locator:
    return frame.get_by_text(words, exact=True)


def _text(frame: Frame, words: str, exact: bool) -> Locator:
    return frame.get_by_text(words, exact=exact)


def _label(frame: Frame, words: str, exact: bool) -> Locator:
    return frame.get_by_label(words, exact=exact)


def _placeholder(frame: Frame, words: str, exact: bool) -> Locator:
    return frame.get_by_placeholder(words, exact=exact)


def _box_of_item(frame: Frame, words: str, exact: bool) -> Locator:
    return frame.get_by_role("listitem").filter(has_text=words).get_by_role("checkbox")


_POINT: tuple[Way, ...] = (
    _exact_text,
    _role("button"),
    _role("link"),
    _role("textbox"),
    _role("combobox"),
    _placeholder,
    _text,
)
_WRITE: tuple[Way, ...] = (_label, _placeholder, _role("textbox"))

_WAYS: dict[Purpose, tuple[Way, ...]] = {
    "point": _POINT,
    "write": _WRITE,
    "focus": (*_WRITE, *_POINT),
    "choose": (_label, _role("combobox")),
    "tick": (_box_of_item, _label, _role("checkbox")),
}


def purpose_of(op: str) -> Purpose:
    return _PURPOSES.get(op, "point")


async def element_by_words(
    tab: Tab, words: str, purpose: Purpose, deadline: Deadline, *, patient: bool = False
) -> Element:
    """The element, waited for; of several that match, those that can be seen.

    Whoever does not say how long to wait mistypes more often than pages are slow.
    """
    search = deadline if patient else Deadline(IMPATIENT_MS)
    while True:
        locator = await _find(tab, words, purpose)
        if locator is not None:
            return await _element(tab, locator, words, deadline)
        if search.seconds is not None and search.seconds < POLL_SECONDS:
            raise SelectorNotFound(
                f"nothing on the page is called {words!r} (waited {search.timeout_ms} ms); see "
                "page.aria for what is there, and name it by its ref, or by a selector",
                details={"words": words, "timeoutMs": search.timeout_ms},
            )
        await asyncio.sleep(POLL_SECONDS)


async def _find(tab: Tab, words: str, purpose: Purpose) -> Locator | None:
    for way in _WAYS[purpose]:
        for frame in tab.page.frames:
            try:
                found = way(frame, words, False)
                matches = await found.count()
                if matches > 1 and await (exactly := way(frame, words, True)).count() > 0:
                    return exactly
                if matches > 0:
                    return found
            except Error:
                if not tab.is_usable:
                    raise
                # The frame went away meanwhile.
    return None


async def _element(tab: Tab, locator: Locator, words: str, deadline: Deadline) -> Element:
    """Named by its durable locator when it is one; when there are several, by its words."""
    visible = locator.filter(visible=True)
    if await locator.count() > 1 and await visible.count() > 0:
        locator = visible
    if await locator.count() == 1:
        return Element(tab, locator, await durable_expression(locator), deadline)
    return Element(tab, locator, words, deadline)
