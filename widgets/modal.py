"""The base of all modal screens."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen
from textual.widget import Widget

Result = TypeVar("Result")


class Modal(ModalScreen[Result]):
    """A modal screen that closes only once, and not before it has opened.

    Textual pops the top screen, so a second `dismiss` would close the screen below. It also removes
    the widgets of a screen that is still opening, whose `on_mount` needs them.
    """

    def watch_focused(self, focused: Widget | None) -> None:
        """Keys reach the widgets through the focus; a click beside them takes it away."""
        if focused is None:
            self.call_later(self._focus_again)

    def _focus_again(self) -> None:
        if self.focused is None and self.is_mounted and self.app.screen is self:
            self.focus_next()

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        if not self.is_mounted:
            self.call_later(self._dismiss_now, result)
        elif self.app.screen is self:
            return super().dismiss(result)
        return AwaitComplete()

    def _dismiss_now(self, result: Result | None) -> None:
        self.dismiss(result)
