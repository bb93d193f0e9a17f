"""Assertions: each waits until a condition holds, and fails when it does not in time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from pwtui.browser.page.deadline import Deadline
from pwtui.browser.page.element import locate
from pwtui.browser.page.scripts import script
from pwtui.operations.framework.declare import Group, Keyword, TargetRules, reads
from pwtui.operations.framework.fields import Data, Input, MayBeSecret
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.polling import Finding, poll, shows_text
from pwtui.operations.framework.target_fields import ElementInput, UrlFields
from pwtui.protocol.errors import AssertionFailed, InvalidInput
from pwtui.protocol.model import Maybe, Volatile
from pwtui.protocol.secrets import MASK
from pwtui.runtime.patterns import TextPattern, glob, part

GROUP = Group.ASSERTIONS

DEFAULT_MS = 5_000
EXCERPT = 300
# Enough for an element that is present; a missing one is polled for.
READ_MS = 2_000


def _pair(name: str, opposite: str, arguments: str, statement: str) -> tuple[Keyword, Keyword]:
    """The keywords that verify a statement and its opposite."""
    holds = statement.format(**{"is": "is", "has": "has"})
    fails = statement.format(**{"is": "is not", "has": "does not have"})
    return (
        Keyword(f"{name} {arguments}", f"Verify that {holds}."),
        Keyword(f"{opposite} {arguments}", f"Verify that {fails}.", {"negate": True}),
    )


class VerifyInput(Input):
    negate: bool = Field(False, description="Verify the opposite.")


class VerifiedData(Data):
    verified: Literal[True] = True
    expected: Any
    actual: Any = None
    waited_ms: Volatile[float]
    selector: Maybe[str] = None


class VerifyTextInput(UrlFields, VerifyInput):
    text: str = Field(min_length=1, description="The text, or part of it.")
    exact: bool = Field(False, description="Match the whole text of an element, case-sensitive.")


@reads(
    "verify.text",
    *_pair("verify-text|vt", "verify-no-text|vnt", "text... --exact", "a text {is} visible"),
    example={"text": "Welcome"},
    outcome="ok",
    python="expect_visible(page.get_by_text(text, exact=exact))",
)
async def verify_text(call: PageCall, input: VerifyTextInput) -> VerifiedData:
    """Verify that a text is visible on the page, in any frame.

    Every assertion waits until it holds, for the timeout of the request or profile (5 s). Then it
    fails with ASSERTION_FAILED; the details have expected and actual.
    """

    async def look() -> Finding:
        problem = f"text {input.text!r} {_seen(input)}"
        if await shows_text(call.page, input.text, exact=input.exact):
            return Finding(not input.negate, input.text, problem)
        excerpt = {"full": False, "limit": EXCERPT}
        shown = await call.page.evaluate(script("visible_text"), excerpt)
        return Finding(input.negate, shown, problem)

    return await _verify(call, look, input.text)


class VerifyElementInput(ElementInput, VerifyInput):
    role: str | None = Field(
        None, pattern="^[A-Za-z-]+$", description="Role, such as button or link."
    )
    name: str | None = Field(None, description="Accessible name, or part of it.")
    exact: bool = Field(False, description="Match the whole name, case-sensitive.")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        named = (self.ref, self.wanted_selector, self.words)
        by_element = any(each is not None for each in named)
        if by_element == (self.role is not None):
            raise ValueError("exactly one of role, selector, ref and words is required")
        if self.name is not None and self.role is None:
            raise ValueError("name requires a role")
        return self


@reads(
    "verify.element",
    *_pair(
        "verify-element|ve|verify-visible",
        "verify-no-element|vne",
        "role [name...] --exact",
        "an element with this role and name, or this selector, {is} visible",
    ),
    example={"role": "button", "name": "Save"},
    target=TargetRules(optional=True, may_be_absent=True),
    outcome="ok",
    python="""
        if role: expect_visible(page.get_by_role(role, name=name, exact=exact))
        elif selector and negate: expect_visible(page.locator(selector))
        else: expect(element).to_be_visible()
    """,
)
async def verify_element(call: PageCall, input: VerifyElementInput) -> VerifiedData:
    """Verify that an element is visible: by role and name or selector in any frame, or by ref."""
    described = {"role": input.role, "name": input.name}
    if call.found is not None:
        described = {"selector": call.found.selector}
    expected = {key: value for key, value in described.items() if value is not None}
    named = ", ".join(f"{key} {value!r}" for key, value in expected.items())

    async def look() -> Finding:
        count = await _count_visible(call, input)
        problem = f"an element with {named} {_seen(input)}"
        return Finding((count > 0) is not input.negate, {"visible": count}, problem)

    return await _verify(call, look, expected)


class VerifyValueInput(ElementInput, VerifyInput):
    value: Annotated[str, MayBeSecret()] = Field(
        description="Value of the field; true or false for a checkbox or radio button."
    )


@reads(
    "verify.value",
    *_pair(
        "verify-value|vv|verify-input-value",
        "verify-no-value",
        "target value...",
        "a field {has} this value (true or false for a checkbox)",
    ),
    example={"selector": "#name", "value": "Ada"},
    target=TargetRules(search="fill", may_be_absent=True),
    outcome="ok",
    python="""
        if is_true(value): expect(element).to_be_checked()
        elif is_false(value): expect(element).not_to_be_checked()
        else: expect(element).to_have_value(value)
    """,
)
async def verify_value(call: PageCall, input: VerifyValueInput) -> VerifiedData:
    """Verify the value of a field: its text, a select's value or label, or its checked state."""
    selector = call.element.selector

    def judge(value: Any) -> Finding:
        if value is None:
            raise InvalidInput(
                f"{selector!r} is not a form field",
                hint="use `verify.text`",
                details={"selector": selector},
            )
        actual, secret = value["shown"], value["secret"]
        holds = (input.value in value["spellings"]) is not input.negate
        shown = "this value" if secret else repr(actual)
        problem = f"{selector!r} has {shown} but should not"
        if not input.negate:
            has = "another value" if secret else f"{actual!r}, not {input.value!r}"
            problem = f"{selector!r} has {has}"
        return Finding(holds, actual, problem, secret)

    return await _verify(call, _reading(call, "field_value", judge), input.value)


class VerifyListInput(ElementInput, VerifyInput):
    items: list[str] = Field(min_length=1, description="Texts of the items, or parts of them.")
    exact: bool = Field(False, description="Match exactly these items, in this order.")


@reads(
    "verify.list",
    *_pair(
        "verify-list|vl", "verify-no-list", "target item=items --exact", "a list {has} these items"
    ),
    example={"selector": "#fruits", "items": ["Apple", "Pear"]},
    target=TargetRules(search="list", may_be_absent=True),
    outcome="ok",
    python="""
        if exact: expect(element.get_by_role('listitem')).to_have_text(items)
        else:
            for item in items: expect(element).to_contain_text(item, ignore_case=True)
    """,
)
async def verify_list(call: PageCall, input: VerifyListInput) -> VerifiedData:
    """Verify that a list has these items, in any order and among others; with negate, none of them.

    With exact and negate, any other list passes.
    """

    def judge(items: list[str]) -> Finding:
        folded = [item.casefold() for item in items]
        present = [any(_folded(wanted) in item for item in folded) for wanted in input.items]
        holds = not any(present) if input.negate else all(present)
        if input.exact:
            holds = (items == input.items) is not input.negate
        wanted = ", ".join(map(repr, input.items))
        return Finding(holds, items, f"list {call.element.selector!r} {_has(input)} {wanted}")

    return await _verify(call, _reading(call, "list_items", judge), input.items)


class VerifyTitleInput(UrlFields, VerifyInput):
    text: str = Field(description="The title, or part of it.")
    exact: bool = Field(False, description="Match the whole title.")


@reads(
    "verify.title",
    *_pair("verify-title", "verify-no-title", "text... --exact", "the title {has} this text"),
    example={"text": "Dashboard"},
    outcome="ok",
    python="""
        if exact: expect(page).to_have_title(text)
        else: expect(page).to_have_title(re.compile(escape(text)))
    """,
)
async def verify_title(call: PageCall, input: VerifyTitleInput) -> VerifiedData:
    """Verify the title of the page, or part of it."""

    async def look() -> Finding:
        title = await call.page.title()
        fits = title == input.text if input.exact else input.text in title
        problem = f"title {title!r} {_has(input)} {input.text!r}"
        return Finding(fits is not input.negate, title, problem)

    return await _verify(call, look, input.text)


class VerifyUrlInput(UrlFields, VerifyInput):
    text: str | None = Field(None, description="Part of the URL.")
    glob: str | None = Field(None, description="Glob for the whole URL.")
    regex: str | None = Field(None, description="Regular expression for part of the URL.")
    one_of = ("text", "glob", "regex")


@reads(
    "verify.url",
    *_pair("verify-url", "verify-no-url", "[text] --glob --regex", "the URL {has} this text"),
    example={"glob": "**/dashboard"},
    outcome="ok",
    python="""
        if glob: expect(page).to_have_url(glob)
        elif regex: expect(page).to_have_url(re.compile(regex))
        else: expect(page).to_have_url(re.compile(escape(text)))
    """,
)
async def verify_url(call: PageCall, input: VerifyUrlInput) -> VerifiedData:
    """Verify the URL of the page."""
    if input.regex is not None:
        expected, pattern = input.regex, TextPattern(input.regex)
    elif input.glob is not None:
        expected, pattern = input.glob, glob(input.glob)
    else:
        expected = input.text or ""
        pattern = part(expected)

    async def look() -> Finding:
        url = call.tab.url
        matches = "matches but should not match" if input.negate else "does not match"
        problem = f"URL {url} {matches} {expected!r}"
        return Finding(pattern.is_in(url) is not input.negate, url, problem)

    return await _verify(call, look, expected)


def _seen(input: VerifyInput) -> str:
    return "is visible but should not be" if input.negate else "is not visible"


def _has(input: VerifyInput) -> str:
    return "has but should not have" if input.negate else "does not have"


async def _verify(
    call: PageCall, look: Callable[[], Awaitable[Finding]], expected: Any
) -> VerifiedData:
    timeout_ms = call.runtime.timeout_ms
    deadline = Deadline(DEFAULT_MS) if timeout_ms is None else call.deadline
    started = time.monotonic()
    finding = await poll(call, look, deadline)
    actual = finding.actual
    if finding.secret:
        call.hidden_inputs.add("value")
        expected, actual = MASK, MASK
    selector = call.found.selector if call.found else None
    if not finding.holds:
        raise AssertionFailed(
            f"{finding.problem} (waited {deadline.timeout_ms} ms)",
            details={
                "expected": expected,
                "actual": actual,
                "url": call.tab.url,
                "timeoutMs": deadline.timeout_ms,
            }
            | ({"selector": selector} if selector else {}),
        )
    return VerifiedData(
        expected=expected,
        actual=actual,
        waited_ms=round((time.monotonic() - started) * 1000, 1),
        selector=selector,
    )


async def _count_visible(call: PageCall, input: VerifyElementInput) -> int:
    frames = call.page.frames
    if input.role is not None:
        role: Any = input.role
        found = [frame.get_by_role(role, name=input.name, exact=input.exact) for frame in frames]
    elif input.ref is not None or call.target.is_searched:
        found = [call.element.locator]
    else:
        found = [locate(frame, call.element.selector) for frame in frames]
    first, *others = (each.filter(visible=True) for each in found)
    # An invalid selector is an error of the main frame, not an absence.
    if call.found is not None:
        count = await call.found.do(lambda _: first.count(), "find")
    else:
        count = await first.count()
    # A child frame that is detached meanwhile shows nothing.
    counts = await asyncio.gather(*(each.count() for each in others), return_exceptions=True)
    return count + sum(each for each in counts if isinstance(each, int))


def _reading(
    call: PageCall, name: str, judge: Callable[[Any], Finding]
) -> Callable[[], Awaitable[Finding]]:
    """A check of what a script returns for the element, which may be absent."""

    async def look() -> Finding:
        element = call.element
        if await element.do(lambda it: it.count(), "find") == 0:
            return Finding(False, None, f"no element matches {element.selector!r}")
        return judge(
            await element.do(lambda it: it.evaluate(script(name), timeout=READ_MS), "read")
        )

    return look


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
