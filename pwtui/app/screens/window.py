"""A box over the panel."""

from __future__ import annotations

from pwtui.app.panel import InPanel
from pwtui.widgets.modal import Modal


class Window(InPanel, Modal[None]):
    """The base of screens that are a box with a border, `#box`."""

    DEFAULT_CSS = """
    Window {
        align: center middle;
        background: $background 45%;
        #box {
            width: 96%;
            height: 92%;
            background: $surface;
            border: round $primary;
            border-title-color: $primary;
            border-subtitle-color: $text-muted;
        }
        .verdict { height: auto; max-height: 4; padding: 0 1; }
        .verdict.-wrong { color: $text-error; }
        .verdict.-right { color: $text-success; }
    }
    """

    def action_close(self) -> None:
        self.dismiss()
