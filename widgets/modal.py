"""The base of every screen that is opened on top of another."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

Result = TypeVar("Result")


class Modal(ModalScreen[Result]):
    """A modal screen that closes once, and not before it is open.

    Textual pops whichever screen is on top, so a second `dismiss` would close the screen below.
    It removes the widgets of a screen that is still opening, whose `on_mount` needs them.
    """

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        if not self.is_mounted:
            self.call_later(self._dismiss_now, result)
        elif self.app.screen is self:
            return super().dismiss(result)
        return AwaitComplete()

    def _dismiss_now(self, result: Result | None) -> None:
        self.dismiss(result)
