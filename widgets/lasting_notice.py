"""A line with the latest notice, until it is dismissed."""

from __future__ import annotations

import time

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from pwtui.widgets.text import plain

DISMISS = "  esc dismiss"


class LastingNotice(Static):
    """Hidden without a notice."""

    DEFAULT_CSS = """
    LastingNotice {
        height: 1; padding: 0 1; display: none;
        background: $warning 20%; color: $foreground; text-wrap: nowrap; text-overflow: ellipsis;
        &.-bad { background: $error 25%; }
    }
    """

    class Dismissed(Message):
        """The user has seen the notices."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)

    def show(self, text: str, *, at: float, more: int, is_bad: bool) -> None:
        """Show a notice, and how many there are besides."""
        clock = time.strftime("%H:%M", time.localtime(at))
        rest = f"  and {more} more" if more else ""
        left = Content.assemble(
            ("⚠ " if is_bad else "● ", "$error" if is_bad else "$success"),
            (f"{clock} ", "$foreground-muted"),
            f"{plain(text)}{rest}",
        )
        room = self.app.size.width - 2 - len(DISMISS)
        fitted = left.truncate(room, ellipsis=True).pad_right(max(0, room - left.cell_length))
        self.update(Content.assemble(fitted, (DISMISS, "$foreground-muted")))
        self.set_class(is_bad, "-bad")
        self.display = True

    def hide(self) -> None:
        self.display = False

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Dismissed())
