"""The element that an operation acts on, and why it could not."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from playwright.async_api import Error, Locator, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pwtui.browser.deadline import Deadline
from pwtui.browser.locate import durable_expression, to_locator
from pwtui.browser.scripts import script
from pwtui.protocol.errors import (
    InvalidInput,
    OperationTimeout,
    SelectorAmbiguous,
    SelectorNotFound,
)
from pwtui.protocol.locators import LocatorSyntaxError, is_expression, parse

T = TypeVar("T")

MAX_CANDIDATES = 10
LOOK_SECONDS = 2.0


def locate(page: Page, selector: str) -> Locator:
    """The locator for a CSS, XPath or Playwright selector, or for a locator expression."""
    if not is_expression(selector):
        return page.locator(selector)
    try:
        return to_locator(page, parse(selector))
    except LocatorSyntaxError as error:
        raise InvalidInput(f"selector: {error}", details={"selector": selector}) from None


class Element:
    """One element of a page, named by a selector or by a ref of the newest snapshot.

    Actions go straight to Playwright, which waits and checks. Only when one fails is the page asked
    why: that costs nothing where things go well, and the answer is looked up, not read from words.
    """

    def __init__(self, locator: Locator, selector: str, deadline: Deadline) -> None:
        self.locator = locator
        self.selector = selector
        self._deadline = deadline

    @classmethod
    def by_selector(cls, page: Page, selector: str, deadline: Deadline) -> Element:
        return cls(locate(page, selector), selector, deadline)

    @classmethod
    async def by_ref(cls, page: Page, ref: str, deadline: Deadline) -> Element:
        """The element of a ref, under the name of its durable locator."""
        locator = page.get_by_ref(ref)
        try:
            return cls(locator, await durable_expression(locator), deadline)
        except Error:
            if await locator.count():
                raise
            raise SelectorNotFound(
                f"ref {ref} is not in the page's newest snapshot; take a new one with page.aria",
                details={"ref": ref},
            ) from None

    async def do(self, action: Callable[[Locator], Awaitable[T]], *, doing: str) -> T:
        """Run an action of the locator; its failure is told as what is true of the page."""
        try:
            return await action(self.locator)
        except Error as error:
            await self._explain(error, doing)
            raise

    async def is_secret(self) -> bool:
        """Whether what is typed here must not be repeated anywhere."""
        return bool(
            await self.do(
                lambda it: it.evaluate(script("secret_field"), timeout=self._deadline.ms),
                doing="looking at the field",
            )
        )

    async def _explain(self, error: Error, doing: str) -> None:
        """Raise what the page's state says; return when it does not explain the failure."""
        try:
            matches = await asyncio.wait_for(self.locator.count(), LOOK_SECONDS)
        except builtins.TimeoutError:
            return
        except Error as broken:
            if not self.locator.page.is_closed():
                raise InvalidInput(
                    f"selector {self.selector!r} cannot be used: {_first_line(broken)}",
                    details={"selector": self.selector},
                ) from error
            return
        if matches > 1:
            raise SelectorAmbiguous(
                f"{matches} elements match {self.selector!r}; use one of the candidates, a ref, or "
                f"append ' >> nth=0'",
                details={
                    "selector": self.selector,
                    "matchCount": matches,
                    "candidates": await self._candidates(matches),
                },
            ) from error
        if not isinstance(error, PlaywrightTimeout):
            return
        timeout = self._deadline.timeout_ms
        if matches == 0:
            raise SelectorNotFound(
                f"no element matched {self.selector!r} within {timeout} ms; see page.elements or "
                "page.aria for what is there",
                details={"selector": self.selector, "timeoutMs": timeout},
            ) from error
        log = call_log(error)
        raise OperationTimeout(
            f"{doing} did not work within {timeout} ms: {self.selector!r} is there"
            + (f", but: {log[-1]}" if log else " but did not become ready"),
            details={"selector": self.selector, "timeoutMs": timeout, "callLog": log[-20:]},
        ) from error

    async def _candidates(self, matches: int) -> list[dict[str, Any]]:
        each = (self._candidate(self.locator.nth(i)) for i in range(min(matches, MAX_CANDIDATES)))
        found = await asyncio.gather(*each)
        return [candidate for candidate in found if candidate]

    async def _candidate(self, locator: Locator) -> dict[str, Any] | None:
        with suppress(Error, TimeoutError):
            selector, place = await asyncio.wait_for(
                asyncio.gather(durable_expression(locator), locator.evaluate(script("coords"), 80)),
                LOOK_SECONDS,
            )
            return {"selector": selector} | {k: v for k, v in place.items() if v is not None}
        return None


def call_log(error: Error) -> list[str]:
    """The steps that Playwright says it took, for people to read."""
    _, found, log = error.message.partition("Call log:")
    lines = (line.strip().removeprefix("- ").strip() for line in log.splitlines())
    return [line for line in lines if line] if found else []


def _first_line(error: Error) -> str:
    return error.message.splitlines()[0].partition(": ")[2] or error.message
