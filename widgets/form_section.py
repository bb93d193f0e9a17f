"""The heading of a group of fields, which can fold them away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from pwtui.widgets.schema_fields import Section
from pwtui.widgets.text import plain


class SectionHeading(Static):
    """The name of a group; with a fold mark if its fields can be folded."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "fold", "fold or unfold", show=False, id="form.fold"),
        Binding("up", "leave(-1)", "field above", show=False),
        Binding("down", "leave(1)", "field below", show=False),
    ]
    DEFAULT_CSS = """
    SectionHeading { height: 1; margin-top: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    SectionHeading.-folded { margin-top: 0; }
    SectionHeading:focus { background: $panel; }
    """
    ALLOW_SELECT = False

    @dataclass
    class Toggled(Message):
        """The user folds or unfolds the fields."""

        heading: SectionHeading

    @dataclass
    class Left(Message):
        """The user wants to go to the field above (-1) or below (1)."""

        heading: SectionHeading
        step: int

    def __init__(self, section: Section, *, can_fold: bool) -> None:
        super().__init__(classes="form--group", markup=False)
        self.section = section
        self.can_focus = self._can_fold = can_fold
        self.is_folded = can_fold
        self.set_class(can_fold, "-folded")
        self._show()

    def fold(self, folded: bool) -> None:
        self.is_folded = folded and self._can_fold
        self.set_class(self.is_folded, "-folded")
        self._show()

    def _show(self) -> None:
        section = self.section
        mark = ("▸ " if self.is_folded else "▾ ") if self._can_fold else ""
        title = "  " * (len(section.path) - 1) + mark + plain(section.path[-1])
        described = f"  {plain(section.description)}" if section.description else ""
        self.update(Content.assemble((title, "bold $primary"), (described, "$foreground-muted")))

    def on_click(self) -> None:
        self.action_fold()

    def action_fold(self) -> None:
        if self._can_fold:
            self.post_message(self.Toggled(self))

    def action_leave(self, step: int) -> None:
        self.post_message(self.Left(self, step))
