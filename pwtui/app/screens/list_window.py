"""What lists and texts ask of their screen, and windows with one."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Input

from pwtui.app import actions
from pwtui.app.panel import InPanel
from pwtui.app.panes.pane import Filterable, FilterField
from pwtui.app.screens.window import Window
from pwtui.widgets.virtual_list import VirtualList


class ListOutput(InPanel):
    """A mixin of screens: copies texts, and opens them in other programs."""

    @on(VirtualList.SearchMissed)
    def _report_missed(self, event: VirtualList.SearchMissed) -> None:
        self.app.notify(f"No matches for {event.text}", timeout=3, markup=False)

    @on(VirtualList.ShowRequested)
    def _show_in(self, event: VirtualList.ShowRequested) -> None:
        actions.output.show_in_program(self.app, event)

    @on(VirtualList.CopyRequested)
    def _copy(self, event: VirtualList.CopyRequested) -> None:
        actions.output.copy_text(self.app, event.text)


class ListWindow(ListOutput, Window):
    """A window with lists or texts in its `#box`: `/` filters a list and searches in a text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "filter", key_display="/", id="filter"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._filtered: VirtualList | None = None

    async def action_filter(self) -> None:
        assert isinstance(self, Screen)
        focused = self.focused
        self._filtered = focused if isinstance(focused, VirtualList) else self.query(VirtualList)[0]
        fields = self.query(FilterField)
        if not fields:
            hint = "words" if isinstance(self._filtered, Filterable) else "find: words"
            await self.query_one("#box").mount(FilterField(hint, id="window-filter"))
        field = self.query_one(FilterField)
        field.add_class("-open")
        field.focus()

    @on(Input.Changed, ".filter")
    def _narrow(self, event: Input.Changed) -> None:
        if isinstance(self._filtered, Filterable):
            self._filtered.filter(event.value)
        elif self._filtered is not None:
            self._filtered.search(event.value)

    @on(Input.Submitted, ".filter")
    def _keep(self, event: Input.Submitted) -> None:
        event.input.set_class(bool(event.value), "-open")
        if self._filtered is not None:
            self._filtered.focus()

    def action_close(self) -> None:
        """End the filter first."""
        open_fields = self.query(".filter.-open").results(FilterField)
        if (field := next(open_fields, None)) is not None:
            field.value = ""
            field.remove_class("-open")
            if self._filtered is not None:
                self._filtered.focus()
        else:
            super().action_close()

    def action_back(self) -> None:
        self.action_close()
