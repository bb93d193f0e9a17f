"""Acting on elements as a person would."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

from playwright.async_api import Error, Locator
from pydantic import Field

from pwtui.browser.page.element import focus_is_secret
from pwtui.browser.session.prompts import ChooserInfo
from pwtui.operations.framework.declare import Group, NodeMenu, Run, TargetRules, acts
from pwtui.operations.framework.effects import (
    ElementEffect,
    WatchMs,
    effect_of,
    note_held,
    opened_chooser,
    opened_dialog,
)
from pwtui.operations.framework.fields import Data, ElementInput, MayBeSecret, Milliseconds
from pwtui.operations.framework.page_call import PageCall
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import Maybe
from pwtui.protocol.models import DialogInfo
from pwtui.protocol.secrets import MASK, holds_secret

GROUP = Group.ACTIONS
TICKED = ("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio")
TYPED_INTO = ("textbox", "searchbox")

Button = Literal["left", "middle", "right"]
Modifier = Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]


class PointerInput(ElementInput):
    """For what the mouse does to an element."""

    wait_ms: WatchMs = 0
    modifiers: list[Modifier] | None = Field(None, description="Keys to hold down meanwhile.")


class ClickInput(PointerInput):
    button: Button = Field("left", description="Mouse button.")


@acts(
    "click",
    "click|c target [button] --modifiers",
    example={"selector": "#submit"},
    target=TargetRules(url_may_be_selector=True, fallback="css=button"),
    menu=(NodeMenu("c", "click"),),
    run=Run(may_open_tab=True),
    python="element.click(button=button, modifiers=modifiers)",
)
async def click(call: PageCall, input: ClickInput) -> ElementEffect:
    """Click an element once it is visible, stable and not covered.

    A navigation that the click starts is awaited. One that a script starts later is not: give
    waitMs to watch for it.
    """
    options = _mouse_options(call, input) | {"button": input.button}
    return await _act(call, lambda it: it.click(**options), "click", watch=input.wait_ms)


@acts(
    "dblclick",
    "dblclick|dc target [button] --modifiers",
    example={"selector": "#word"},
    menu=(NodeMenu("d", "double click"),),
    run=Run(may_open_tab=True),
    python="element.dblclick(button=button, modifiers=modifiers)",
)
async def dblclick(call: PageCall, input: ClickInput) -> ElementEffect:
    """Click an element twice."""
    options = _mouse_options(call, input) | {"button": input.button}
    return await _act(call, lambda it: it.dblclick(**options), "double-click", watch=input.wait_ms)


@acts(
    "hover",
    "hover|h target",
    example={"selector": "#menu"},
    menu=(NodeMenu("h", "hover"),),
    python="element.hover(modifiers=modifiers)",
)
async def hover(call: PageCall, input: PointerInput) -> ElementEffect:
    """Move the mouse over an element."""
    options = _mouse_options(call, input)
    return await _act(call, lambda it: it.hover(**options), "hover over", watch=input.wait_ms)


@acts(
    "check",
    "check|chk target",
    example={"selector": "#agree"},
    target=TargetRules(search="check"),
    menu=(NodeMenu("x", "check", roles=TICKED, checked=False),),
    python="element.check()",
)
async def check(call: PageCall, input: ElementInput) -> ElementEffect:
    """Tick a checkbox or choose a radio button; nothing changes when it is ticked already."""
    return await _act(call, lambda it: it.check(timeout=call.deadline.ms), "check")


@acts(
    "uncheck",
    "uncheck|unchk target",
    example={"selector": "#agree"},
    target=TargetRules(search="check"),
    menu=(NodeMenu("x", "uncheck", roles=TICKED, checked=True),),
    python="element.uncheck()",
)
async def uncheck(call: PageCall, input: ElementInput) -> ElementEffect:
    """Untick a checkbox."""
    return await _act(call, lambda it: it.uncheck(timeout=call.deadline.ms), "uncheck")


class SelectInput(ElementInput):
    values: list[str] = Field(description="Values or labels of the options to choose.")


class SelectData(ElementEffect):
    selected: list[str] = Field(description="The values that are chosen now.")


@acts(
    "select",
    "select|sel target value=values",
    example={"selector": "#color", "values": ["red"]},
    target=TargetRules(search="select"),
    outcome="ok, chosen: {selected|'nothing'}",
    menu=(NodeMenu("s", "select…", roles=("combobox", "listbox"), asks="option"),),
    python="element.select_option(one_or_list(values))",
)
async def select(call: PageCall, input: SelectInput) -> SelectData:
    """Choose options of a select element by value or label."""
    chosen: list[str] = []

    async def choose(it: Locator) -> None:
        chosen[:] = await it.select_option(input.values, timeout=call.deadline.ms)

    effect = await effect_of(call, call.element.do(choose, "choose options of"))
    return SelectData(selected=chosen, selector=call.element.selector, **effect)


class PressInput(ElementInput):
    key: Annotated[str, MayBeSecret("key")] = Field(
        description="A key or combination: Enter, ArrowDown, a, Control+A."
    )


class PressData(Data):
    before_url: str
    after_url: str
    navigated: bool
    key: str
    selector: Maybe[str] = None
    dialog: Maybe[DialogInfo] = None
    file_chooser: Maybe[ChooserInfo] = None


@acts(
    "press",
    "press|p key [target]",
    example={"key": "Enter"},
    target=TargetRules(search="focus", optional=True),
    menu=(NodeMenu("p", "press a key…", asks="key"),),
    run=Run(may_open_tab=True),
    python="(element or page.keyboard).press(key)",
)
async def press(call: PageCall, input: PressInput) -> PressData:
    """Press a key or a combination such as Control+A, on an element or on what has the focus."""
    before = call.tab.url
    element = call.found
    note_held(call)
    await hide_key(call, input.key)
    if element is not None:
        pressing = element.do(
            lambda it: it.press(input.key, timeout=call.deadline.ms), "press a key in"
        )
        await call.tab.act(pressing)
    else:
        await call.tab.act(_press(call, input.key))
    return PressData(
        before_url=before,
        after_url=call.tab.url,
        navigated=before != call.tab.url,
        selector=element.selector if element else None,
        key=MASK if "key" in call.hidden_inputs else input.key,
        dialog=opened_dialog(call),
        file_chooser=opened_chooser(call),
    )


async def hide_key(call: PageCall, key: str) -> None:
    """Mask the key when it is typed into a secret field."""
    if not holds_secret("key", key):
        return
    element = call.found
    if await (element.is_secret() if element else focus_is_secret(call.page)):
        call.hidden_inputs.add("key")
        if element is not None:
            element.hides = key


class FillInput(ElementInput):
    text: Annotated[str, MayBeSecret()] = Field(
        "", description="What the field is to hold; empty clears it."
    )
    submit: bool = Field(False, description="Press Enter in it at the end.")


class FillData(Data):
    selector: str
    text: str = Field(description="What was typed; masked for password fields.")
    dialog: Maybe[DialogInfo] = None


@acts(
    "fill",
    "fill|f target text... --submit",
    example={"selector": "#name", "text": "Ada"},
    target=TargetRules(search="fill"),
    menu=(
        NodeMenu("f", "fill…", roles=TYPED_INTO, also=("combobox", "listbox"), asks="text"),
        NodeMenu("n", "set a number…", roles=("slider", "spinbutton"), asks="number"),
    ),
    run=Run(may_open_tab=True),
    python="""
        element.fill(text)
        if submit: element.press('Enter')
    """,
)
async def fill(call: PageCall, input: FillInput) -> FillData:
    """Put text into a field, in place of what it holds; an empty text clears it."""
    element = call.element
    element.hides = input.text
    # Asked first: after the fill the page may show a dialog or be another one.
    is_secret = await element.is_secret()
    if is_secret:
        call.hidden_inputs.add("text")
    await call.tab.act(element.do(lambda it: it.fill(input.text, timeout=call.deadline.ms), "fill"))
    if input.submit:
        await call.tab.act(
            element.do(lambda it: it.press("Enter", timeout=call.deadline.ms), "submit")
        )
    return FillData(
        selector=element.selector,
        text=MASK if is_secret else input.text,
        dialog=opened_dialog(call),
    )


class TypeInput(ElementInput):
    text: Annotated[str, MayBeSecret()] = Field(description="What to type, key by key.")
    delay_ms: Milliseconds = Field(0, description="Time between two keys.")
    submit: bool = Field(False, description="Press Enter at the end.")


class TypeData(Data):
    text: str = Field(description="What was typed; masked for password fields.")
    selector: Maybe[str] = None
    dialog: Maybe[DialogInfo] = None


@acts(
    "type",
    "type|t text... --submit",
    example={"text": "hello"},
    target=TargetRules(search="focus", optional=True),
    menu=(NodeMenu("t", "type…", roles=TYPED_INTO, asks="text"),),
    run=Run(may_open_tab=True),
    python="""
        if element: element.press_sequentially(text, delay=delay_ms)
        else: page.keyboard.type(text, delay=delay_ms)
        if submit: page.keyboard.press('Enter')
    """,
)
async def type_text(call: PageCall, input: TypeInput) -> TypeData:
    """Type text key by key, into an element, or where the focus is."""
    element = call.found
    note_held(call)
    call.deadline.extend(input.delay_ms * len(input.text))
    if element is not None:
        element.hides = input.text
        is_secret = await element.is_secret()
        typing = element.do(
            lambda it: it.press_sequentially(
                input.text, delay=input.delay_ms, timeout=call.deadline.ms
            ),
            "type into",
        )
        await call.tab.act(typing)
    else:
        is_secret = await focus_is_secret(call.page)
        await call.tab.act(call.page.keyboard.type(input.text, delay=input.delay_ms))
    if input.submit:
        await call.tab.act(call.page.keyboard.press("Enter"))
    if is_secret:
        call.hidden_inputs.add("text")
    return TypeData(
        text=MASK if is_secret else input.text,
        selector=element.selector if element else None,
        dialog=opened_dialog(call),
    )


def _mouse_options(call: PageCall, input: PointerInput) -> dict[str, Any]:
    return {"timeout": call.deadline.ms, "modifiers": input.modifiers}


async def _act(
    call: PageCall, action: Callable[[Locator], Awaitable[object]], verb: str, watch: int = 0
) -> ElementEffect:
    """Act on the element; what followed from it."""
    effect = await effect_of(call, call.element.do(action, verb), watch_ms=watch)
    return ElementEffect(selector=call.element.selector, **effect)


async def _press(call: PageCall, key: str) -> None:
    try:
        await call.page.keyboard.press(key)
    except Error as error:
        if call.page.is_closed() or call.tab.crashed:
            raise
        shown = MASK if "key" in call.hidden_inputs else key
        raise InvalidInput(
            f"key: {shown!r} is not a key",
            hint="examples are Enter, ArrowDown, a, Control+A",
            details={"key": shown},
        ) from error
