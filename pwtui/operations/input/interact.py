"""Actions on elements: click, fill, type, select and so on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import nullcontext
from typing import Annotated, Any, Literal

from playwright.async_api import Locator
from pydantic import Field

from pwtui.browser.page.element import focus_is_secret
from pwtui.operations.framework.browser_errors import rejected_as
from pwtui.operations.framework.confirmed import DOUBLE_CLICK, Gesture, confirmed
from pwtui.operations.framework.declare import Group, NodeMenu, Run, TargetRules, acts
from pwtui.operations.framework.effects import (
    ElementEffect,
    PageEffect,
    WatchMs,
    effect_of,
    element_effect,
    note_held,
    opened_dialog,
)
from pwtui.operations.framework.fields import Data, MayBeSecret, Milliseconds
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.target_fields import ElementInput
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import Maybe
from pwtui.protocol.models import DialogInfo
from pwtui.protocol.secrets import MASK, SecretKind, holds_secret

GROUP = Group.ACTIONS
TICKED = ("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio")
TYPED_INTO = ("textbox", "searchbox")

Button = Literal["left", "middle", "right"]
Modifier = Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]


class PointerInput(ElementInput):
    """The input of a mouse action on an element."""

    wait_ms: WatchMs = 0
    modifiers: list[Modifier] | None = Field(None, description="Modifier keys to hold down.")


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

    A navigation that the click starts is awaited. Set waitMs to watch for one that starts later.
    """
    return await _use_mouse(call, "click", "click", input, button=input.button)


@acts(
    "dblclick",
    "dblclick|dc target [button] --modifiers",
    example={"selector": "#word"},
    menu=(NodeMenu("d", "double click"),),
    run=Run(may_open_tab=True),
    python="element.dblclick(button=button, modifiers=modifiers)",
)
async def dblclick(call: PageCall, input: ClickInput) -> ElementEffect:
    """Double-click an element."""
    return await _use_mouse(
        call, "dblclick", "double-click", input, DOUBLE_CLICK, button=input.button
    )


@acts(
    "hover",
    "hover|h target",
    example={"selector": "#menu"},
    menu=(NodeMenu("h", "hover"),),
    python="element.hover(modifiers=modifiers)",
)
async def hover(call: PageCall, input: PointerInput) -> ElementEffect:
    """Hover over an element."""
    return await _use_mouse(call, "hover", "hover over", input)


@acts(
    "check",
    "check|chk target",
    example={"selector": "#agree"},
    target=TargetRules(search="check"),
    menu=(NodeMenu("x", "check", roles=TICKED, checked=False),),
    python="element.check()",
)
async def check(call: PageCall, input: ElementInput) -> ElementEffect:
    """Check a checkbox, radio button or switch, unless it is checked."""
    timeout = call.deadline.ms
    return ElementEffect(
        **await element_effect(call, lambda it: it.check(timeout=timeout), "check")
    )


@acts(
    "uncheck",
    "uncheck|unchk target",
    example={"selector": "#agree"},
    target=TargetRules(search="check"),
    menu=(NodeMenu("x", "uncheck", roles=TICKED, checked=True),),
    python="element.uncheck()",
)
async def uncheck(call: PageCall, input: ElementInput) -> ElementEffect:
    """Uncheck a checkbox or switch."""
    timeout = call.deadline.ms
    effect = await element_effect(call, lambda it: it.uncheck(timeout=timeout), "uncheck")
    return ElementEffect(**effect)


class SelectInput(ElementInput):
    values: list[str] = Field(description="Values or labels of the options to select.")


class SelectData(ElementEffect):
    selected: list[str] = Field(description="The values that are selected now.")


@acts(
    "select",
    "select|sel target value=values",
    example={"selector": "#color", "values": ["red"]},
    target=TargetRules(search="select"),
    outcome="ok, selected: {selected|'nothing'}",
    menu=(NodeMenu("s", "select…", roles=("combobox", "listbox"), asks="option"),),
    python="element.select_option(one_or_list(values))",
)
async def select(call: PageCall, input: SelectInput) -> SelectData:
    """Select options of a select element by value or label."""
    selected: list[str] = []

    async def choose(it: Locator) -> None:
        selected[:] = await it.select_option(input.values, timeout=call.deadline.ms)

    effect = await element_effect(call, choose, "select options of")
    return SelectData(selected=selected, **effect)


class PressInput(ElementInput):
    key: Annotated[str, MayBeSecret("key")] = Field(
        description="Key or combination: Enter, ArrowDown, a, Control+A."
    )


class PressData(PageEffect):
    key: str
    selector: Maybe[str] = None


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
    """Press a key or a combination such as Control+A, on an element or where the focus is."""
    shown = await hide_secret(call, "key", input.key)
    if call.found is None:
        effect = await effect_of(call, press_key(call, call.page.keyboard.press(input.key), shown))
        return PressData(key=shown, **effect)
    timeout = call.deadline.ms
    effect = await element_effect(
        call, lambda it: it.press(input.key, timeout=timeout), "press a key in"
    )
    return PressData(key=shown, **effect)


async def hide_secret(call: PageCall, field: SecretKind, text: str) -> str:
    """Mask an input field whose text goes into a secret field; returns what may be shown of it."""
    element = call.found
    if not holds_secret(field, text):
        return text
    if element is not None and field == "text":
        element.hides = text
    if not await (element.is_secret() if element else focus_is_secret(call.tab)):
        return text
    call.hidden_inputs.add(field)
    if element is not None:
        element.hides = text
    return MASK


class FillInput(ElementInput):
    text: Annotated[str, MayBeSecret()] = Field(
        "", description="Text to fill in; an empty text clears the field."
    )
    submit: bool = Field(False, description="Press Enter afterwards.")


class FillData(Data):
    selector: str
    text: str = Field(description="The text; masked for password fields.")
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
    """Fill a field with a text, replacing its content; an empty text clears it."""
    element = call.element
    element.hides = input.text
    # Asked before the fill, as the page may navigate, and answered while it runs.
    asked = asyncio.create_task(element.is_secret_now())
    await asyncio.sleep(0)
    try:
        await call.tab.act(
            element.do(lambda it: it.fill(input.text, timeout=call.deadline.ms), "fill")
        )
        shown = await _shown_of_filled(call, input.text, asked)
    finally:
        asked.cancel()
    if input.submit:
        await call.tab.act(
            element.do(lambda it: it.press("Enter", timeout=call.deadline.ms), "submit")
        )
    return FillData(selector=element.selector, text=shown, dialog=opened_dialog(call))


async def _shown_of_filled(call: PageCall, text: str, asked: asyncio.Task[bool | None]) -> str:
    """What may be shown of the text: all of it if the field is known to hold no secret.

    The answer from before the fill counts, as the page may show the password in a text field.
    """
    if not text:
        return text
    is_secret = await asked if asked.done() or call.tab.is_usable else None
    if is_secret is None and call.tab.is_usable:
        is_secret = await call.element.is_secret_now()  # it may have appeared since
    if is_secret is False:
        return text
    call.hidden_inputs.add("text")
    return MASK


class TypeInput(ElementInput):
    text: Annotated[str, MayBeSecret()] = Field(description="Text to type, key by key.")
    delay_ms: Milliseconds = Field(0, description="Time between two keys.")
    submit: bool = Field(False, description="Press Enter afterwards.")


class TypeData(Data):
    text: str = Field(description="The text; masked for password fields.")
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
    """Type text key by key, into an element or where the focus is."""
    element, delay = call.found, input.delay_ms
    note_held(call)
    call.deadline.extend(delay * len(input.text))
    shown = await hide_secret(call, "text", input.text)
    if element is not None:
        options: Any = {"delay": delay, "timeout": call.deadline.ms}
        await call.tab.act(
            element.do(lambda it: it.press_sequentially(input.text, **options), "type into")
        )
    else:
        await call.tab.act(call.page.keyboard.type(input.text, delay=delay))
    if input.submit:
        await call.tab.act(call.page.keyboard.press("Enter"))
    selector = element.selector if element else None
    return TypeData(text=shown, selector=selector, dialog=opened_dialog(call))


async def _use_mouse(
    call: PageCall,
    method: str,
    verb: str,
    input: PointerInput,
    gesture: Gesture | None = None,
    **options: Any,
) -> ElementEffect:
    options |= {"timeout": call.deadline.ms, "modifiers": input.modifiers}

    async def act(it: Locator) -> None:
        async with confirmed(call, gesture, it) if gesture else nullcontext():
            await getattr(it, method)(**options)

    return ElementEffect(**await element_effect(call, act, verb, watch_ms=input.wait_ms))


async def press_key(call: PageCall, pressing: Awaitable[object], shown: str) -> None:
    """Press, hold or release a key; one that the browser does not know is an error."""
    error = InvalidInput(
        f"key: {shown!r} is not a key",
        hint="examples: Enter, Shift, ArrowDown, a, Control+A",
        details={"key": shown},
    )
    with rejected_as(call, lambda _: error):
        await pressing
