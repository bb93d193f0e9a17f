"""The base of windows over the panel."""

from __future__ import annotations

from pathlib import Path

from textual import events, on

from pwtui.app.panel import InPanel
from pwtui.widgets.modal import Modal

NARROW = 100
"""In a terminal with fewer columns, a window uses all of it."""


def styles(screen: str) -> str:
    """The stylesheet of a screen, from the file beside its module."""
    return Path(__file__).with_name(f"{screen}.tcss").read_text(encoding="utf-8")


class Window(InPanel, Modal[None]):
    """The base of screens that are a box with a border, `#box`."""

    DEFAULT_CSS = styles("window")

    @on(events.Mount)
    @on(events.Resize)
    def _fit(self) -> None:
        """Textual's breakpoints have no effect before the first change of the size."""
        self.set_class(self.app.size.width < NARROW, "-narrow")

    def action_close(self) -> None:
        self.dismiss()
