"""A bar that shows the dialog of a page, with buttons to answer it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from textual import on
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Static

from pwtui.widgets.stylesheet import stylesheet
from pwtui.widgets.text import plain

Answer = Literal["accept", "dismiss", "text"]

_BUTTONS: dict[Answer, str] = {"accept": "y accept", "dismiss": "n dismiss", "text": "t text…"}


class _BarButton(Button, can_focus=False):
    """For the mouse only: the pane below handles the keys."""


class DialogBar(Horizontal):
    """Hidden while there is no dialog."""

    DEFAULT_CSS = stylesheet("dialog_bar")

    @dataclass
    class Answered(Message):
        """The user wants to accept or dismiss the dialog, or to answer it with a text."""

        answer: Answer

    def show(self, kind: str, message: str, *, tab: int | None = None) -> None:
        """Show a dialog. The dialog of another tab (`tab`) cannot be answered."""
        where = f" in tab {tab}: switch to it to answer" if tab is not None else ""
        text = f'⚠ {kind} "{plain(message)}"{where}'
        if not self.children:  # most pages open no dialog
            buttons = (
                _BarButton(Content(label), id=f"dialog-bar-{answer}", compact=True)
                for answer, label in _BUTTONS.items()
            )
            self.mount(Static("", id="dialog-bar-said", markup=False), *buttons)
        self.query_one("#dialog-bar-said", Static).update(Content(text))
        for answer in _BUTTONS:
            is_possible = tab is None and (answer != "text" or kind == "prompt")
            self.query_one(f"#dialog-bar-{answer}").display = is_possible
        self.display = True

    def hide(self) -> None:
        self.display = False

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        answer = next(each for each in _BUTTONS if event.button.id == f"dialog-bar-{each}")
        self.post_message(self.Answered(answer))
