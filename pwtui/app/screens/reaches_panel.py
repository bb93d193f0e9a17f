"""What a screen of the panel shares with the others: the way to the panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp


class ReachesPanel(MessagePump):
    """For a screen that asks the panel to do something."""

    takes_keys = True
    """False while it still loads what keys would act on."""

    @property
    def panel(self) -> PanelApp:
        from pwtui.app.app import PanelApp

        assert isinstance(self.app, PanelApp)
        return self.app
