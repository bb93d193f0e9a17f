"""Keys and mouse buttons that are held down in a tab."""

from __future__ import annotations

from contextlib import suppress

from playwright.async_api import Error, Page


class HeldInput:
    """The held keys and buttons; a new page has none."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.buttons: list[str] = []

    @property
    def names(self) -> list[str]:
        return [*self.keys, *(f"{button} mouse button" for button in self.buttons)]

    def press(self, kind: list[str], name: str) -> None:
        if name not in kind:
            kind.append(name)

    def let_go(self, kind: list[str], name: str) -> None:
        if name in kind:
            kind.remove(name)

    async def release(self, page: Page) -> None:
        """Release everything."""
        keys, buttons = self.keys[:], self.buttons[:]
        self.keys.clear()
        self.buttons.clear()
        with suppress(Error):
            for key in keys:
                await page.keyboard.up(key)
            for button in buttons:
                await page.mouse.up(button=button)  # type: ignore[arg-type]
