"""Queues keys until the screen that the previous key opens is ready."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from textual import events

if TYPE_CHECKING:
    from textual.app import App

HOLD_SECONDS = 10.0
PAUSE_SECONDS = 0.5
STEP_SECONDS = 0.005
TYPING_SECONDS = 0.5
OPENING_SECONDS = 2.0
"""The longest time for which keys wait for what a screen needs before it can be opened."""
# A key runs an action, which posts a message, whose handler posts another, which opens a screen.
ROUNDS = 4

Typed = events.Key | events.Paste


class KeyHandled(events.Event, bubble=True):
    """Follows a key through the same widgets; when it reaches the app, the key was handled."""

    def __init__(self) -> None:
        super().__init__()
        self.arrived = asyncio.Event()


class TypeAhead:
    """Delivers keys in order, each after everything that the previous one started.

    Textual queues a key for the widget that has the focus when the key arrives. Keys typed before a
    screen has opened would act on the screen below.
    """

    def __init__(self, app: App[None], deliver: Callable[[events.Event], Awaitable[None]]) -> None:
        self._app = app
        self._deliver = deliver
        self._waiting: deque[Typed] = deque()
        self._arrived = asyncio.Event()
        self._is_settled = True
        self._screen: object = None
        self._text_at = float("-inf")
        self._opening_until = float("-inf")
        self.is_idle = True
        """False while a key is queued, or what it started has not finished."""
        self._last_key_at = float("-inf")

    def add(self, event: Typed, *, first: bool = False) -> None:
        self.is_idle = False
        self._last_key_at = time.monotonic()
        if first:
            self._waiting.appendleft(event)
        else:
            self._waiting.append(event)
        self._arrived.set()

    @property
    def is_typing(self) -> bool:
        """Whether the next key may come soon."""
        return time.monotonic() - self._last_key_at < TYPING_SECONDS

    def unsettle(self) -> None:
        """A click may open a screen, too."""
        self._is_settled = False

    @contextmanager
    def opening(self) -> Iterator[None]:
        """A screen is about to be opened: the next keys are for it."""
        self._opening_until = asyncio.get_running_loop().time() + OPENING_SECONDS
        try:
            yield
        finally:
            self._opening_until = float("-inf")

    async def run(self) -> None:
        while True:
            self.is_idle = not self._arrived.is_set()
            await self._arrived.wait()
            if not self._is_settled and not await self._settle():
                continue
            event = self._waiting.popleft()
            if not self._waiting:
                self._arrived.clear()
            if self._is_for_another_screen(event):
                self._text_at = event.time
                continue
            is_text, is_in_field = self._is_text(event), self._is_in_field()
            await self._deliver(event)
            if is_text:
                self._text_at = event.time
            else:
                if not is_in_field:
                    self._text_at = float("-inf")  # a command: the user has finished the text
                await self._settle()

    def _is_for_another_screen(self, event: Typed) -> bool:
        """Whether the text was typed for another screen: no key opened the current one."""
        if self._screen in (None, self._app.screen):
            return False
        is_escape = isinstance(event, events.Key) and event.key == "escape"
        if event.time - self._text_at < PAUSE_SECONDS and not is_escape:
            return True  # Escape loses nothing, and who repeats it makes no pause
        self._screen = self._app.screen
        return False

    def _is_text(self, event: Typed) -> bool:
        """Whether the focused field inserts it as text, which opens no screen."""
        focused = self._app.focused
        if isinstance(event, events.Paste) or focused is None:
            return focused is not None
        return focused.check_consume_key(event.key, event.character)

    def _is_in_field(self) -> bool:
        """Whether the focused widget inserts letters as text."""
        focused = self._app.focused
        return focused is not None and focused.check_consume_key("a", "a")

    async def _settle(self) -> bool:
        """Wait until all messages are handled and the top screen is ready for keys."""
        app, loop = self._app, asyncio.get_running_loop()
        end = loop.time() + HOLD_SECONDS
        quiet = 0
        while quiet < ROUNDS and loop.time() < end:
            screen = app.screen
            if loop.time() < self._opening_until:
                await asyncio.sleep(STEP_SECONDS)
                quiet = 0
            elif app.screen.is_mounted:
                await self._round(end)
                quiet = quiet + 1 if screen is app.screen else 0
            else:
                await asyncio.sleep(STEP_SECONDS)
                quiet = 0
        if not app.screen.is_mounted:
            # The screen does not open: drop the keys that were typed for it.
            self._waiting.clear()
            self._arrived.clear()
        self._is_settled = True
        self._screen = app.screen
        return bool(self._waiting)

    async def _round(self, end: float) -> None:
        """Wait until the messages pending between the focused widget and the app are handled."""
        app, loop = self._app, asyncio.get_running_loop()
        screen, target = app.screen, app.focused or app.screen
        marker = KeyHandled()
        target.post_message(marker)
        # A screen that closes drops the marker.
        while app.screen is screen and target.is_attached and loop.time() < end:
            with suppress(TimeoutError):
                async with asyncio.timeout(STEP_SECONDS):
                    await marker.arrived.wait()
                    return
