"""Raw keyboard and mouse input."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Annotated, Any

from pydantic import Field

from pwtui.operations.framework.confirmed import DOUBLE_CLICK, DRAG, confirmed
from pwtui.operations.framework.declare import Group, Run, acts
from pwtui.operations.framework.effects import PageEffect, WatchMs, effect_of
from pwtui.operations.framework.fields import MayBeSecret, Milliseconds
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.target_fields import UrlFields
from pwtui.operations.input.interact import Button, Modifier, hide_secret, press_key
from pwtui.protocol.model import Maybe
from pwtui.protocol.secrets import MASK, holds_secret

GROUP = Group.KEYBOARD_AND_MOUSE

Pixels = Annotated[float, Field(allow_inf_nan=False)]


class HeldEffect(PageEffect):
    held: Maybe[list[str]] = Field(
        None, description="Keys and mouse buttons that are held down in this tab."
    )


class KeyInput(UrlFields):
    key: Annotated[str, MayBeSecret("key")] = Field(
        min_length=1, description="One key: Shift, Control, ArrowDown, a."
    )


@acts("key.down", "keydown key", example={"key": "Shift"}, python="page.keyboard.down(key)")
async def key_down(call: PageCall, input: KeyInput) -> HeldEffect:
    """Hold a key down, until key.up or a navigation."""
    shown = await hide_secret(call, "key", input.key)
    effect = await effect_of(call, press_key(call, call.page.keyboard.down(input.key), shown))
    held = call.tab.held
    held.press(held.keys, input.key)
    return _with_held(call, effect)


@acts("key.up", "keyup key", example={"key": "Shift"}, python="page.keyboard.up(key)")
async def key_up(call: PageCall, input: KeyInput) -> HeldEffect:
    """Release a key."""
    shown = await hide_secret(call, "key", input.key)
    held = call.tab.held
    held.let_go(held.keys, input.key)
    effect = await effect_of(call, press_key(call, call.page.keyboard.up(input.key), shown))
    return _with_held(call, effect)


class PointInput(UrlFields):
    x: Pixels = Field(description="X coordinate in viewport pixels.")
    y: Pixels = Field(description="Y coordinate in viewport pixels.")


class MoveInput(PointInput):
    steps: int = Field(1, ge=1, le=1000, description="Number of mouse moves.")


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
    """Hold a mouse button down, until mouse.up or a navigation."""
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
    """Turn the mouse wheel; scrolling may continue after the response."""
    return _with_held(call, await effect_of(call, call.page.mouse.wheel(input.dx, input.dy)))


class PointClickInput(PointInput):
    button: Button = Field("left", description="Mouse button.")
    clicks: int = Field(1, ge=1, le=3, description="Number of clicks: 2 for a double click.")
    delay_ms: Milliseconds = Field(0, description="Time between press and release.")
    modifiers: list[Modifier] | None = Field(None, description="Modifier keys to hold down.")
    wait_ms: WatchMs = 0


@acts(
    "mouse.click",
    "mouseclick x y [button]",
    example={"x": 100, "y": 200},
    run=Run(may_open_tab=True),
    python="page.mouse.click(x, y, button=button)",
)
async def mouse_click(call: PageCall, input: PointClickInput) -> HeldEffect:
    """Click at a point, without waiting for an element."""
    call.deadline.extend(input.delay_ms * input.clicks)

    options: Any = {"button": input.button, "click_count": input.clicks, "delay": input.delay_ms}
    keyboard, keys = call.page.keyboard, input.modifiers or []

    async def click() -> None:
        for key in keys:
            await keyboard.down(key)
        try:
            async with _confirming_clicks(call, input.clicks):
                await call.page.mouse.click(input.x, input.y, **options)
        finally:
            for key in keys:
                await keyboard.up(key)

    return _with_held(call, await effect_of(call, click(), watch_ms=input.wait_ms))


class PointDragInput(UrlFields):
    from_x: Pixels = Field(description="X coordinate of the start, in viewport pixels.")
    from_y: Pixels = Field(description="Y coordinate of the start.")
    to_x: Pixels = Field(description="X coordinate of the end.")
    to_y: Pixels = Field(description="Y coordinate of the end.")
    button: Button = Field("left", description="Mouse button.")
    steps: int = Field(10, ge=1, le=1000, description="Number of mouse moves.")


@acts(
    "mouse.drag",
    "mousedrag from-x from-y to-x to-y",
    example={"fromX": 100, "fromY": 200, "toX": 300, "toY": 200},
)
async def mouse_drag(call: PageCall, input: PointDragInput) -> HeldEffect:
    """Drag with the mouse from one point to another."""

    async def drag() -> None:
        mouse = call.page.mouse
        async with confirmed(call, DRAG, call.page.main_frame):
            await mouse.move(input.from_x, input.from_y)
            await mouse.down(button=input.button)
            try:
                await mouse.move(input.to_x, input.to_y, steps=input.steps)
            finally:
                await mouse.up(button=input.button)

    return _with_held(call, await effect_of(call, drag()))


def _confirming_clicks(call: PageCall, clicks: int) -> AbstractAsyncContextManager[None]:
    return confirmed(call, DOUBLE_CLICK, call.page.main_frame) if clicks > 1 else nullcontext()


def _with_held(call: PageCall, effect: dict[str, Any]) -> HeldEffect:
    held = call.tab.held.names
    if "key" in call.hidden_inputs:
        held = [MASK if holds_secret("key", name) else name for name in held]
    return HeldEffect(held=held or None, **effect)
