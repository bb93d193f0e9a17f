"""Finds an element by its text, name, label or placeholder.

What is to be done decides the order of searches. Each is tried in every frame; the first that
finds something wins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Literal

from playwright.async_api import Error, Frame, Locator

from pwtui.browser.page.deadline import Deadline
from pwtui.browser.page.durable_locator import durable_expression
from pwtui.browser.page.element import Element, locate
from pwtui.browser.session.tab import Tab
from pwtui.protocol.catalog import Search
from pwtui.protocol.errors import SelectorNotFound
from pwtui.runtime.target import Target

POLL_SECONDS = 0.1
SEARCH_MS = 5_000

Scope = Frame | Locator
TextSearch = Literal[
    "exact text",
    "text",
    "label",
    "placeholder",
    "checkbox of item",
    "selector",
    "button",
    "link",
    "textbox",
    "combobox",
    "checkbox",
    "list",
    "listbox",
    "table",
]
"""The searches of each kind of target; a role matches the accessible name."""

# The containers that `within` searches: parts of a page that users recognise.
_CONTAINERS = ", ".join(
    """
    tr li article section fieldset dialog form nav aside main details [role=row] [role=listitem]
    [role=article] [role=region] [role=group] [role=dialog] [role=alertdialog] [role=form]
    [role=navigation] [role=complementary] [role=main] [role=tabpanel] [role=treeitem]
    """.split()
)


_POINT: tuple[TextSearch, ...] = (
    "exact text",
    "button",
    "link",
    "textbox",
    "combobox",
    "placeholder",
    "text",
)
_FILL: tuple[TextSearch, ...] = ("label", "placeholder", "textbox")

_SEARCHES: dict[Search, tuple[TextSearch, ...]] = {
    "point": _POINT,
    "fill": _FILL,
    "focus": (*_FILL, *_POINT),
    "select": ("label", "combobox"),
    "check": ("checkbox of item", "label", "checkbox"),
    "list": ("list", "listbox", "combobox", "table", "label", *_POINT),
}


def _search(how: TextSearch, scope: Scope, words: str, *, exact: bool) -> Locator:
    """A locator for one search; `exact` matches the whole text, case-sensitive."""
    match how:
        case "exact text":
            return scope.get_by_text(words, exact=True)
        case "text":
            return scope.get_by_text(words, exact=exact)
        case "label":
            return scope.get_by_label(words, exact=exact)
        case "placeholder":
            return scope.get_by_placeholder(words, exact=exact)
        case "checkbox of item":
            return scope.get_by_role("listitem").filter(has_text=words).get_by_role("checkbox")
        case "selector":
            return locate(scope, words)
        case role:
            return scope.get_by_role(role, name=words, exact=exact)


async def find_element(
    tab: Tab, target: Target, search: Search, deadline: Deadline, *, patient: bool = False
) -> Element:
    """Wait for the element; of several matches, use the visible ones.

    Without an explicit timeout the limit is short: a typing error is likelier than a slow page.
    """
    limit = deadline if patient else Deadline(SEARCH_MS)
    while True:
        locator = await _find(tab, target, search)
        if locator is not None:
            return await _element(tab, locator, target, deadline)
        if limit.seconds is not None and limit.seconds < POLL_SECONDS:
            raise SelectorNotFound(
                f"no element {_place(target)} matches {_name(target)!r} (waited {limit.timeout_ms} "
                "ms)",
                hint="use a ref from `page.aria`, or a selector",
                details={"words": _name(target), "timeoutMs": limit.timeout_ms},
            )
        await asyncio.sleep(POLL_SECONDS)


def _name(target: Target) -> str:
    return target.words or target.selector or ""


def _place(target: Target) -> str:
    if target.within is None and target.within_role is None:
        return "on the page"
    text = f" with {target.within!r}" if target.within is not None else ""
    return f"in a {target.within_role or 'row, list item, section, dialog or form'}{text}"


async def _find(tab: Tab, target: Target, search: Search) -> Locator | None:
    searches = _SEARCHES[search] if target.words is not None else ("selector",)
    name = _name(target)
    for how in searches:
        for frame in tab.page.frames:
            try:
                for scope in _scopes(frame, target):
                    found = _search(how, scope, name, exact=False)
                    matches = await found.count()
                    exactly = _search(how, scope, name, exact=True)
                    if matches > 1 and await exactly.count() > 0:
                        return exactly
                    if matches > 0:
                        return found
            except Error:
                if not tab.is_usable:
                    raise
                # The frame went away meanwhile.
    return None


def _scopes(frame: Frame, target: Target) -> Iterator[Scope]:
    """The parts of the page to search, best first; of nested ones the innermost."""
    text, role = target.within, target.within_role
    if text is None and role is None:
        yield frame
        return
    if text is None:
        yield frame.locator(f"role={role}")
        return
    for whole in (True, False):
        every = frame.locator(_CONTAINERS if role is None else f"role={role}")
        labelled = every.and_(frame.get_by_label(text, exact=whole))
        showing = every.filter(has=frame.get_by_text(text, exact=True))
        if not whole:
            showing = every.filter(has_text=text)
        found = labelled.or_(showing)
        yield found.filter(has_not=found)


async def _element(tab: Tab, locator: Locator, target: Target, deadline: Deadline) -> Element:
    """The element with its durable locator; several elements keep the text."""
    visible = locator.filter(visible=True)
    if await locator.count() > 1 and await visible.count() > 0:
        locator = visible
    if await locator.count() == 1:
        return Element(tab, locator, await durable_expression(locator), deadline)
    several = Element(tab, locator, _name(target), deadline)
    several.is_text = target.words is not None
    return several
