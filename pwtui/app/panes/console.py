"""The console of the page."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from pwtui.app import actions
from pwtui.app.pane_rows import view_hint
from pwtui.app.panel import InPanel
from pwtui.app.store import Store
from pwtui.widgets.console_list import ConsoleList


class ConsolePane(InPanel, ConsoleList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "open", id="console.open", tooltip="the whole text and stack"),
        Binding("e", "evaluate", "evaluate", id="console.evaluate"),
        Binding("ctrl+l", "clear", "clear", id="console.clear"),
    ]

    def paint(self, store: Store) -> None:
        self.empty_text = view_hint(store, self.EMPTY_TEXT)
        self.show(store.shown_console)

    def caption(self, store: Store) -> str:
        return self.summary()

    def action_evaluate(self) -> None:
        self.app.start(actions.inspect.evaluate(self.app))

    def action_clear(self) -> None:
        self.app.store.clear_console()
        self.controller.undo.add_restoration("clear console", self.app.store.restore_console)

    def on_row_list_chosen(self, event: ConsoleList.Chosen) -> None:
        actions.inspect.open_message(self.app, event.row)


def console_badge(store: Store) -> str:
    return f"✗{store.console.new_errors}" if store.console.new_errors else ""
