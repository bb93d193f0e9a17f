"""A line above the page about something that needs an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from textual import on
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Static

from pwtui.widgets.stylesheet import stylesheet
from pwtui.widgets.text import plain


class _BarButton(Button, can_focus=False):
    """For the mouse only: the pane below handles the keys."""


class NoticeBar(Horizontal):
    """Hidden while there is nothing to show. The widgets are made when it is shown first."""

    DEFAULT_CSS = stylesheet("notice_bar")

    @dataclass
    class Answered(Message):
        """A button was pressed."""

        bar: NoticeBar
        answer: str

        @property
        def control(self) -> NoticeBar:
            return self.bar

    def show(self, text: str, answers: Mapping[str, str]) -> None:
        """Show a text, and the labels of the possible answers by their names."""
        if not self.children:
            self.mount(Static("", markup=False))
        self.query_one(Static).update(Content(plain(text)))
        known = {button.name: button for button in self.query(Button)}
        for answer, label in answers.items():
            if answer not in known:
                self.mount(
                    _BarButton(Content(label), name=answer, classes=f"-{answer}", compact=True)
                )
        for name, button in known.items():
            button.display = name in answers
        self.display = True

    def hide(self) -> None:
        self.display = False

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.post_message(self.Answered(self, event.button.name or ""))
