"""Assertions: each waits for something to be true of the page, and fails when it does not come."""

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
from pwtui.operations.framework.fields import Data, ElementInput, Input, MayBeSecret, UrlFields
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.polling import Finding, poll, shows_text
from pwtui.protocol.errors import AssertionFailed, InvalidInput
from pwtui.protocol.model import Maybe, Volatile
from pwtui.protocol.secrets import MASK
from pwtui.runtime.patterns import TextPattern, glob

GROUP = Group.ASSERTIONS

DEFAULT_MS = 5_000
EXCERPT = 300
# Enough for an element that is there; one that is not is looked for again.
READ_MS = 2_000


NEGATED = {"negate": True}


class VerifyInput(Input):
    negate: bool = Field(False, description="Verify that it is not so.")


class VerifiedData(Data):
    verified: Literal[True] = True
    expected: Any
    actual: Any = None
    waited_ms: Volatile[float]
    selector: Maybe[str] = None


class VerifyTextInput(UrlFields, VerifyInput):
    text: str = Field(min_length=1, description="A text that can be seen, or a part of one.")
    exact: bool = Field(False, description="The whole text of an element, in the same case.")


@reads(
    "verify.text",
    Keyword("verify-text|vt text... --exact", "The text is visible."),
    Keyword("verify-no-text|vnt text... --exact", "The text is not visible.", NEGATED),
    example={"text": "Welcome"},
    outcome="ok",
    python="expect_visible(page.get_by_text(text, exact=exact))",
)
async def verify_text(call: PageCall, input: VerifyTextInput) -> VerifiedData:
    """Verify that a text can be seen on the page, in any frame.

    Every assertion waits for this to become true: as long as the request's or profile's timeout
    says, else five seconds. Then it fails with ASSERTION_FAILED; details has expected and actual.
    """

    async def look() -> Finding:
        if await shows_text(call.page, input.text, exact=input.exact):
            return Finding(not input.negate, input.text)
        excerpt = {"full": False, "limit": EXCERPT}
        return Finding(input.negate, await call.page.evaluate(script("visible_text"), excerpt))

    seen = "can be seen, and should not" if input.negate else "cannot be seen"
    return await _verify(
        call, look, expected=input.text, problem=lambda _: f"the text {input.text!r} {seen}"
    )


class VerifyElementInput(ElementInput, VerifyInput):
    role: str | None = Field(
        None, pattern="^[A-Za-z-]+$", description="Its role, such as button or link."
    )
    name: str | None = Field(None, description="Its accessible name, or a part of it.")
    exact: bool = Field(False, description="The whole name, in the same case.")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        named = (self.ref, self.wanted_selector, self.words)
        by_element = any(each is not None for each in named)
        if by_element == (self.role is not None):
            raise ValueError("give a role, or a selector, ref or words")
        if self.name is not None and self.role is None:
            raise ValueError("a name needs a role")
        return self


@reads(
    "verify.element",
    Keyword(
        "verify-element|ve|verify-visible role [name...] --exact",
        "An element with this role and name, or this selector, is visible.",
    ),
    Keyword("verify-no-element|vne role [name...] --exact", "No such element is visible.", NEGATED),
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
    """Verify that an element can be seen: by role and name or selector in any frame, or by ref."""
    described = {"role": input.role, "name": input.name}
    if call.found is not None:
        described = {"selector": call.found.selector}
    expected = {key: value for key, value in described.items() if value is not None}

    async def look() -> Finding:
        count = await _count_visible(call, input)
        return Finding((count > 0) is not input.negate, {"visible": count})

    named = ", ".join(f"{key} {value!r}" for key, value in expected.items())
    seen = "can be seen, and should not" if input.negate else "cannot be seen"
    return await _verify(
        call, look, expected=expected, problem=lambda _: f"an element with {named} {seen}"
    )


class VerifyValueInput(ElementInput, VerifyInput):
    value: Annotated[str, MayBeSecret()] = Field(
        description="What the field holds; true or false for a checkbox or radio button."
    )


@reads(
    "verify.value",
    Keyword(
        "verify-value|vv|verify-input-value target value...",
        "A field holds this value; a checkbox is true or false.",
    ),
    Keyword("verify-no-value target value...", "A field does not hold this value.", NEGATED),
    example={"selector": "#name", "value": "Ada"},
    target=TargetRules(search="fill", may_be_absent=True),
    outcome="ok",
    python="""
        if str(value).lower() == 'true': expect(element).to_be_checked()
        elif str(value).lower() == 'false': expect(element).not_to_be_checked()
        else: expect(element).to_have_value(value)
    """,
)
async def verify_value(call: PageCall, input: VerifyValueInput) -> VerifiedData:
    """Verify what a field holds: its text, a select's value or label, or whether it is checked."""

    async def look() -> Finding:
        value = await _read_element(call, "field_value")
        if value is _ABSENT:
            return Finding(False)
        if value is None:
            raise InvalidInput(
                f"{call.element.selector!r} is not a form field",
                hint="see `verify.text`",
                details={"selector": call.element.selector},
            )
        holds = (input.value in value["spellings"]) is not input.negate
        return Finding(holds, value["shown"], secret=value["secret"])

    def problem(finding: Finding) -> str:
        where = repr(call.element.selector)
        if finding.actual is None:
            return f"no element matches {where}"
        if finding.secret:
            return f"{where} holds another value" if not input.negate else f"{where} holds this"
        if input.negate:
            return f"{where} holds {finding.actual!r}, and should not"
        return f"{where} holds {finding.actual!r}, not {input.value!r}"

    return await _verify(call, look, expected=input.value, problem=problem)


class VerifyListInput(ElementInput, VerifyInput):
    items: list[str] = Field(min_length=1, description="Texts of its items, or parts of them.")
    exact: bool = Field(False, description="These items and no others, in this order.")


@reads(
    "verify.list",
    Keyword("verify-list|vl target item=items --exact", "A list has all these items."),
    Keyword("verify-no-list target item=items --exact", "A list has none of these items.", NEGATED),
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

    With exact and negate, any other list will do.
    """

    async def look() -> Finding:
        items = await _read_element(call, "list_items")
        if items is _ABSENT:
            return Finding(False)
        if input.exact:
            return Finding((items == input.items) is not input.negate, items)
        folded = [item.casefold() for item in items]
        there = [any(_folded(wanted) in item for item in folded) for wanted in input.items]
        return Finding(not any(there) if input.negate else all(there), items)

    def problem(finding: Finding) -> str:
        where = repr(call.element.selector)
        if finding.actual is None:
            return f"no element matches {where}"
        has = "has, and should not have," if input.negate else "does not have"
        return f"the list {where} {has} {', '.join(map(repr, input.items))}"

    return await _verify(call, look, expected=input.items, problem=problem)


class VerifyTitleInput(UrlFields, VerifyInput):
    text: str = Field(description="A part of the title.")
    exact: bool = Field(False, description="The whole title.")


@reads(
    "verify.title",
    Keyword("verify-title text... --exact", "The title contains this text."),
    Keyword("verify-no-title text... --exact", "The title does not contain this text.", NEGATED),
    example={"text": "Dashboard"},
    outcome="ok",
    python="""
        if exact: expect(page).to_have_title(text)
        else: expect(page).to_have_title(re.compile(escape(text)))
    """,
)
async def verify_title(call: PageCall, input: VerifyTitleInput) -> VerifiedData:
    """Verify the title of the page, or a part of it."""

    async def look() -> Finding:
        title = await call.page.title()
        fits = title == input.text if input.exact else input.text in title
        return Finding(fits is not input.negate, title)

    has = "has, and should not have," if input.negate else "does not have"
    return await _verify(
        call,
        look,
        expected=input.text,
        problem=lambda finding: f"the title {finding.actual!r} {has} {input.text!r}",
    )


class VerifyUrlInput(UrlFields, VerifyInput):
    text: str | None = Field(None, description="A part of the address.")
    glob: str | None = Field(None, description="All of it, with * and ** for what may differ.")
    regex: str | None = Field(None, description="A regular expression that is found in it.")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(each is not None for each in (self.text, self.glob, self.regex)) != 1:
            raise ValueError("give text, glob or regex, one of them")
        return self

    @property
    def expected(self) -> str:
        return next(each for each in (self.text, self.glob, self.regex) if each is not None)


@reads(
    "verify.url",
    Keyword("verify-url [text] --glob --regex", "The address contains this text."),
    Keyword(
        "verify-no-url [text] --glob --regex", "The address does not contain this text.", NEGATED
    ),
    example={"glob": "**/dashboard"},
    outcome="ok",
    python="""
        if glob: expect(page).to_have_url(glob)
        elif regex: expect(page).to_have_url(re.compile(regex))
        else: expect(page).to_have_url(re.compile(escape(text)))
    """,
)
async def verify_url(call: PageCall, input: VerifyUrlInput) -> VerifiedData:
    """Verify the address of the page."""
    pattern = glob(input.glob) if input.glob is not None else None
    if input.regex is not None:
        pattern = TextPattern(input.regex)

    async def look() -> Finding:
        url = call.tab.url
        fits = pattern.is_in(url) if pattern else input.expected in url
        return Finding(fits is not input.negate, url)

    fits = "fits, and should not fit," if input.negate else "does not fit"
    return await _verify(
        call,
        look,
        expected=input.expected,
        problem=lambda finding: f"the address {finding.actual} {fits} {input.expected!r}",
    )


async def _verify(
    call: PageCall,
    look: Callable[[], Awaitable[Finding]],
    *,
    expected: Any,
    problem: Callable[[Finding], str],
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
            f"{problem(finding)} (waited {deadline.timeout_ms} ms)",
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
    # A selector that cannot be used is an error of the page's own frame, not an absence.
    if call.found is not None:
        count = await call.found.do(lambda _: first.count(), "find")
    else:
        count = await first.count()
    # A child frame that goes away meanwhile shows nothing.
    counts = await asyncio.gather(*(each.count() for each in others), return_exceptions=True)
    return count + sum(each for each in counts if isinstance(each, int))


_ABSENT = object()


async def _read_element(call: PageCall, name: str) -> Any:
    """What a script says of the element, or that there is none yet."""
    count = await call.element.do(lambda it: it.count(), "find")
    if count == 0:
        return _ABSENT
    return await call.element.do(lambda it: it.evaluate(script(name), timeout=READ_MS), "read")


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
