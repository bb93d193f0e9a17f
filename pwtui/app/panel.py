"""What screens and panes have in common: they know the panel's app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp
    from pwtui.app.controller import Controller


class InPanel(MessagePump):
    """Mixed into screens and panes of the panel."""

    if TYPE_CHECKING:
        app: PanelApp

    @property
    def controller(self) -> Controller:
        return self.app.controller
