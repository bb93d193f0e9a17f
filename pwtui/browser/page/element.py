"""The element of an operation, and why an action on it failed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from playwright.async_api import Error, Frame, Locator, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pwtui.browser.first_line import first_line
from pwtui.browser.page.deadline import Deadline
from pwtui.browser.page.durable_locator import durable_expression, to_locator
from pwtui.browser.page.scripts import SECRET_FIELDS, script
from pwtui.browser.session.tab import Tab
from pwtui.protocol.errors import (
    InvalidInput,
    OperationTimeout,
    SelectorAmbiguous,
    SelectorNotFound,
)
from pwtui.protocol.locators import LocatorSyntaxError, is_expression, parse_locator
from pwtui.protocol.secrets import MASK

T = TypeVar("T")

_NO_SECRET = f":not({SECRET_FIELDS})"
MAX_CANDIDATES = 10
LOOK_SECONDS = 2.0
# Lines of a call log that do not explain a failure.
_NO_REASONS = ("waiting", "retrying", "attempting", "scrolling", "done scrolling", "locator res")


def locate(page: Page | Frame | Locator, selector: str) -> Locator:
    """The locator for a CSS, XPath or Playwright selector, or for a locator expression."""
    if not is_expression(selector):
        return page.locator(selector)
    try:
        return to_locator(page, parse_locator(selector))
    except LocatorSyntaxError as error:
        raise InvalidInput(f"selector: {error}", details={"selector": selector}) from None


class Element:
    """One element of a page, named by a selector or by a ref of the newest snapshot.

    Actions go straight to Playwright, which waits and checks. Only when one fails is the page asked
    why: that costs nothing where things go well, and the answer is looked up, not read from words.
    """

    def __init__(self, tab: Tab, locator: Locator, selector: str, deadline: Deadline) -> None:
        self.locator = locator
        self.selector = selector
        self.is_text = False
        """Whether `selector` is a text that was searched for."""
        self.hides: str | None = None
        """The text that is typed into it, which must not be in error messages."""
        self._tab = tab
        self._deadline = deadline

    @classmethod
    def by_selector(cls, tab: Tab, selector: str, deadline: Deadline) -> Element:
        return cls(tab, locate(tab.page, selector), selector, deadline)

    @classmethod
    async def by_ref(cls, tab: Tab, ref: str, deadline: Deadline) -> Element:
        """The element of a ref; its selector is the durable locator."""
        locator = tab.page.get_by_ref(ref)
        try:
            return cls(tab, locator, await durable_expression(locator), deadline)
        except Error:
            if not tab.is_usable or await _is_there(locator):
                raise
            raise SelectorNotFound(
                f"ref {ref} is not in the page's newest snapshot",
                hint="take a new one with `page.aria`",
                details={"ref": ref},
            ) from None

    async def appear(self, search: Deadline) -> None:
        """Wait for the element. Raises SelectorNotFound."""
        try:
            await self.locator.first.wait_for(state="attached", timeout=search.ms)
        except PlaywrightTimeout as error:
            if self._tab.is_usable and await self.locator.count() == 0:
                raise self._not_found(search) from error
        except Error:
            return  # what is wrong is found out by the action itself

    def _not_found(self, search: Deadline) -> SelectorNotFound:
        return SelectorNotFound(
            f"no element matched {self.selector!r} within {search.timeout_ms} ms",
            hint="list the elements with `page.elements` or `page.aria`",
            details={"selector": self.selector, "timeoutMs": search.timeout_ms},
        )

    async def do(self, action: Callable[[Locator], Awaitable[T]], verb: str) -> T:
        """Run an action of the locator; errors say `cannot VERB SELECTOR` and why."""
        try:
            return await action(self.locator)
        except Error as error:
            await self._explain(error, verb)
            raise

    async def is_secret_now(self) -> bool | None:
        """Whether it holds a secret, waiting for nothing; None if it is not there.

        One without a secret takes one round trip. The second one marks a secret one: the page may
        have made a text field of it since.
        """
        with suppress(Error):
            plain = self.locator.and_(self._tab.page.locator(_NO_SECRET))
            if await plain.count() == 1:
                return self._tab.has_secrets and await self._is_marked()
            answers = await self.locator.evaluate_all(script("secret_fields"), True)
            self._tab.has_secrets |= any(answers)
            return any(answers) if answers else None
        return None

    async def _is_marked(self) -> bool:
        """Whether what looks like a text field was a secret one; its page may be gone meanwhile."""
        with suppress(Error):
            return any(await self.locator.evaluate_all(script("secret_fields")))
        return False

    async def is_secret(self) -> bool:
        """Whether the field holds a secret, which must not be shown."""
        ask = script("secret_fields")
        # One round trip where the element is there: `evaluate` waits for an animation frame.
        answers = await self.do(lambda it: it.evaluate_all(ask), "read")
        if len(answers) != 1:
            one, timeout = f"field => ({ask})([field])", self._deadline.ms
            answers = await self.do(lambda it: it.evaluate(one, timeout=timeout), "read")
        self._tab.has_secrets |= answers[0]
        return bool(answers[0])

    async def _explain(self, error: Error, verb: str) -> None:
        """Raise the error that explains the failure, if the state of the page does."""
        if not self._tab.is_usable:
            return
        try:
            matches = await asyncio.wait_for(self.locator.count(), LOOK_SECONDS)
        except TimeoutError:
            return
        except Error as broken:
            if self._tab.is_usable:
                raise InvalidInput(
                    f"selector {self.selector!r} cannot be used: {first_line(broken)}",
                    details={"selector": self.selector},
                ) from error
            return
        if matches > 1:
            raise SelectorAmbiguous(
                f"{matches} elements match {self.selector!r}",
                hint=f"use one of the candidates, a ref, or {self._way_out}",
                details={
                    "selector": self.selector,
                    "matchCount": matches,
                    "candidates": await self._candidates(matches),
                },
            ) from error
        timeout = self._deadline.timeout_ms
        if not isinstance(error, PlaywrightTimeout):
            if matches == 1:
                raise InvalidInput(
                    f"cannot {verb} {self.selector!r}: {self._without_secret(first_line(error))}",
                    details={"selector": self.selector},
                ) from error
            return
        if matches == 0:
            raise self._not_found(self._deadline) from error
        log = [self._without_secret(line) for line in call_log(error)]
        reasons = [line for line in log if not line.startswith(_NO_REASONS)]
        if not await self._is_visible():
            reasons.append("element is not visible")
        reason = reasons[-1] if reasons else "it did not become ready"
        raise OperationTimeout(
            f"cannot {verb} {self.selector!r} within {timeout} ms: {reason}",
            details={"selector": self.selector, "timeoutMs": timeout, "callLog": log[-20:]},
        ) from error

    @property
    def _way_out(self) -> str:
        """A hint how to select one of several elements."""
        if self.is_text:
            return "name the row or section that it is in (within; --in at the prompt)"
        return "append '.nth(0)'" if is_expression(self.selector) else "append ' >> nth=0'"

    async def _is_visible(self) -> bool:
        """Whether it is visible, also if the time is up."""
        with suppress(Error, TimeoutError):
            return await asyncio.wait_for(self.locator.is_visible(), LOOK_SECONDS)
        return True

    def _without_secret(self, text: str) -> str:
        return text.replace(self.hides, MASK) if self.hides else text

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


async def focus_is_secret(tab: Tab) -> bool:
    """Whether the focused field, in any frame, holds a secret."""
    asked = (frame.evaluate(script("secret_focus")) for frame in tab.page.frames)
    answers = await asyncio.gather(*asked, return_exceptions=True)
    is_secret = any(answer is True for answer in answers)
    tab.has_secrets |= is_secret
    return is_secret


async def _is_there(locator: Locator) -> bool:
    try:
        return await locator.count() > 0
    except Error:
        # The frame of the ref was removed.
        return False


def call_log(error: Error) -> list[str]:
    """Playwright's call log."""
    _, found, log = error.message.partition("Call log:")
    lines = (line.strip().removeprefix("- ").strip() for line in log.splitlines())
    return [line for line in lines if line] if found else []
