"""The base of the panel's screens and panes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp
    from pwtui.app.controller import Controller


class InPanel(MessagePump):
    """A mixin with typed access to the app and its controller."""

    if TYPE_CHECKING:
        app: PanelApp

    @property
    def controller(self) -> Controller:
        return self.app.controller
