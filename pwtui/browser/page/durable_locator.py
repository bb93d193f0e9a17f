"""Converts locator expressions to Playwright locators, and elements to locator expressions."""

from __future__ import annotations

from typing import cast

from playwright.async_api import Frame, FrameLocator, Locator, Page

from pwtui.protocol.locators import (
    LocatorExpression,
    LocatorStep,
    Regex,
    Value,
    parse_locator,
    python_name,
)


def to_locator(root: Page | Frame | Locator, expression: LocatorExpression) -> Locator:
    """The Playwright locator of the expression, relative to the page, frame or element."""
    place: Page | Frame | FrameLocator | Locator = root
    for step in expression.steps:
        place = _follow(root, place, step)
    if not isinstance(place, Locator):
        raise TypeError(f"{expression} does not lead to an element")
    return place


async def durable_expression(locator: Locator) -> str:
    """The canonical text of a locator that finds the same element without its ref.

    It starts at the page, also for an element in a child frame.
    """
    return str(parse_locator(str(await locator.normalize())))


def _follow(
    root: Page | Frame | Locator, place: Page | Frame | FrameLocator | Locator, step: LocatorStep
) -> FrameLocator | Locator:
    # Refs are numbered over all frames of a page, so only the page resolves them.
    owner = place.page if isinstance(place, Frame) and step.method == "getByRef" else place
    # The table of steps that the parser allows serves here too: same names, spelled for Python.
    member = getattr(owner, python_name(step.method))
    if callable(member):
        options = {python_name(name): _argument(root, value) for name, value in step.options}
        member = member(*(_argument(root, value) for value in step.args), **options)
    return cast("FrameLocator | Locator", member)


def _argument(root: Page | Frame | Locator, value: Value) -> object:
    # An inner locator must belong to the frame of the outer one, which is the root's.
    if isinstance(value, LocatorExpression):
        return to_locator(root.page if isinstance(root, Locator) else root, value)
    return value.compile() if isinstance(value, Regex) else value
