"""Keys and the mouse, by what they do and not by what they meet."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Annotated, Any

from playwright.async_api import Error
from pydantic import Field

from pwtui.operations.framework.declare import Group, Run, acts
from pwtui.operations.framework.effects import PageEffect, WatchMs, effect_of
from pwtui.operations.framework.fields import MayBeSecret, Milliseconds, UrlFields
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.input.interact import Button, Modifier, hide_key
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import Maybe
from pwtui.protocol.secrets import MASK, holds_secret

GROUP = Group.KEYBOARD_AND_MOUSE

Pixels = Annotated[float, Field(allow_inf_nan=False)]


class HeldEffect(PageEffect):
    held: Maybe[list[str]] = Field(
        None, description="Keys and mouse buttons that are down now in this tab."
    )


class KeyInput(UrlFields):
    key: Annotated[str, MayBeSecret("key")] = Field(
        min_length=1, description="One key: Shift, Control, ArrowDown, a."
    )


@acts("key.down", "keydown key", example={"key": "Shift"}, python="page.keyboard.down(key)")
async def key_down(call: PageCall, input: KeyInput) -> HeldEffect:
    """Press a key and hold it, until key.up or until the tab goes to another page."""
    await hide_key(call, input.key)
    effect = await effect_of(call, _pressing(call, call.page.keyboard.down(input.key), input.key))
    held = call.tab.held
    held.press(held.keys, input.key)
    return _with_held(call, effect)


@acts("key.up", "keyup key", example={"key": "Shift"}, python="page.keyboard.up(key)")
async def key_up(call: PageCall, input: KeyInput) -> HeldEffect:
    """Release a key."""
    await hide_key(call, input.key)
    held = call.tab.held
    held.let_go(held.keys, input.key)
    effect = await effect_of(call, _pressing(call, call.page.keyboard.up(input.key), input.key))
    return _with_held(call, effect)


class PointInput(UrlFields):
    x: Pixels = Field(description="Pixels from the left edge of the view.")
    y: Pixels = Field(description="Pixels from its upper edge.")


class MoveInput(PointInput):
    steps: int = Field(1, ge=1, le=1000, description="In how many moves it gets there.")


@acts("mouse.move", "mousemove x y", example={"x": 100, "y": 200}, python="page.mouse.move(x, y)")
async def mouse_move(call: PageCall, input: MoveInput) -> HeldEffect:
    """Move the mouse to a point."""
    moving = call.page.mouse.move(input.x, input.y, steps=input.steps)
    return _with_held(call, await effect_of(call, moving))


class MouseButtonInput(UrlFields):
    button: Button = Field("left", description="Mouse button.")


@acts(
    "mouse.down",
    "mousedown [button]",
    example={"button": "left"},
    python="page.mouse.down(button=button)",
)
async def mouse_down(call: PageCall, input: MouseButtonInput) -> HeldEffect:
    """Press a mouse button and hold it, until mouse.up or until the tab goes to another page."""
    effect = await effect_of(call, call.page.mouse.down(button=input.button))
    held = call.tab.held
    held.press(held.buttons, input.button)
    return _with_held(call, effect)


@acts(
    "mouse.up",
    "mouseup [button]",
    example={"button": "left"},
    run=Run(may_open_tab=True),
    python="page.mouse.up(button=button)",
)
async def mouse_up(call: PageCall, input: MouseButtonInput) -> HeldEffect:
    """Release a mouse button."""
    held = call.tab.held
    held.let_go(held.buttons, input.button)
    return _with_held(call, await effect_of(call, call.page.mouse.up(button=input.button)))


class WheelInput(UrlFields):
    dx: Pixels = Field(0, description="Pixels to scroll to the right.")
    dy: Pixels = Field(0, description="Pixels to scroll down.")


@acts(
    "mouse.wheel",
    "mousewheel dx dy",
    example={"dx": 0, "dy": 400},
    python="page.mouse.wheel(dx or 0, dy or 0)",
)
async def mouse_wheel(call: PageCall, input: WheelInput) -> HeldEffect:
    """Turn the wheel where the mouse is; scrolling may take a moment longer than this answer."""
    return _with_held(call, await effect_of(call, call.page.mouse.wheel(input.dx, input.dy)))


class PointClickInput(PointInput):
    button: Button = Field("left", description="Mouse button.")
    clicks: int = Field(1, ge=1, le=3, description="1 for a click, 2 for a double click.")
    delay_ms: Milliseconds = Field(0, description="Time between down and up.")
    modifiers: list[Modifier] | None = Field(None, description="Keys to hold down meanwhile.")
    wait_ms: WatchMs = 0


@acts(
    "mouse.click",
    "mouseclick x y [button]",
    example={"x": 100, "y": 200},
    run=Run(may_open_tab=True),
    python="page.mouse.click(x, y, button=button)",
)
async def mouse_click(call: PageCall, input: PointClickInput) -> HeldEffect:
    """Click at a point, whatever is there; nothing is waited for."""
    call.deadline.extend(input.delay_ms * input.clicks)

    async def click() -> None:
        keyboard = call.page.keyboard
        for key in input.modifiers or []:
            await keyboard.down(key)
        try:
            await call.page.mouse.click(
                input.x,
                input.y,
                button=input.button,
                click_count=input.clicks,
                delay=input.delay_ms,
            )
        finally:
            for key in input.modifiers or []:
                await keyboard.up(key)

    return _with_held(call, await effect_of(call, click(), watch_ms=input.wait_ms))


class PointDragInput(UrlFields):
    from_x: Pixels = Field(description="Where to begin, from the left edge of the view.")
    from_y: Pixels = Field(description="Where to begin, from its upper edge.")
    to_x: Pixels = Field(description="Where to end, from the left edge.")
    to_y: Pixels = Field(description="Where to end, from the upper edge.")
    button: Button = Field("left", description="Mouse button.")
    steps: int = Field(10, ge=1, le=1000, description="In how many moves it gets there.")


@acts(
    "mouse.drag",
    "mousedrag from-x from-y to-x to-y",
    example={"fromX": 100, "fromY": 200, "toX": 300, "toY": 200},
)
async def mouse_drag(call: PageCall, input: PointDragInput) -> HeldEffect:
    """Press a mouse button at one point, move to another, and release it there."""

    async def drag() -> None:
        mouse = call.page.mouse
        await mouse.move(input.from_x, input.from_y)
        await mouse.down(button=input.button)
        try:
            await mouse.move(input.to_x, input.to_y, steps=input.steps)
        finally:
            await mouse.up(button=input.button)

    return _with_held(call, await effect_of(call, drag()))


def _with_held(call: PageCall, effect: dict[str, Any]) -> HeldEffect:
    held = call.tab.held.names
    if "key" in call.hidden_inputs:
        held = [MASK if holds_secret("key", name) else name for name in held]
    return HeldEffect(held=held or None, **effect)


async def _pressing(call: PageCall, action: Awaitable[object], key: str) -> None:
    try:
        await action
    except Error as error:
        if not call.tab.is_usable:
            raise
        shown = MASK if "key" in call.hidden_inputs else key
        raise InvalidInput(
            f"key: {shown!r} is not a key",
            hint="examples are Shift, Control, Enter, ArrowDown, a",
            details={"key": shown},
        ) from error
