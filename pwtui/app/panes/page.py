"""The page: its address, its dialog and its accessibility tree."""

from __future__ import annotations

import time
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from pwtui.app.actions import page
from pwtui.app.actions.node_menu import operations_of, text_operation
from pwtui.app.pane_rows import address, page_hint, page_state
from pwtui.app.panel import InPanel
from pwtui.app.store import DialogView, Store
from pwtui.widgets.dialog_bar import Answer, DialogBar
from pwtui.widgets.snapshot_tree import SnapshotTreeView
from pwtui.widgets.text import plain

# A key that was typed before the dialog could be read must not answer it.
READ_SECONDS = 0.8


class AddressLine(Static):
    def __init__(self) -> None:
        super().__init__(id="address", markup=False)

    def paint(self, store: Store) -> None:
        self.update(Content(plain(address(store))))


class PageDialogBar(InPanel, DialogBar):
    """Shows the dialog of the active profile."""

    def paint(self, store: Store) -> None:
        dialog = store.dialogs.get(store.active_profile)
        if dialog is None:
            self.hide()
        else:
            is_here = store.active_tab in (None, dialog.tab)
            info = dialog.info
            self.show(info.type, info.message, tab=None if is_here else dialog.tab)
        self.screen.refresh_bindings()

    def on_dialog_bar_answered(self, event: DialogBar.Answered) -> None:
        self.app.start(page.answer_dialog(self.app, event.answer))


class PagePane(InPanel, SnapshotTreeView):
    """The tree. While a dialog is open, the dialog's keys come first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer_dialog('accept')", "accept", id="dialog.accept"),
        Binding("n", "answer_dialog('dismiss')", "dismiss", id="dialog.dismiss"),
        Binding("t", "answer_dialog('text')", "answer", id="dialog.text"),
        # A binding of a subclass replaces those of its base for the same key.
        Binding("y", "copy", "copy", show=False, id="list.copy"),
        Binding("n", "search(1)", "next", id="list.match-next"),
        Binding("o", "reopen", "start again", id="page.reopen"),
    ]

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.placeholder = "connecting to the daemon…"
        self._could_answer: DialogView | None = None

    def paint(self, store: Store) -> None:
        shown = store.snapshot
        if self.snapshot is not shown.tree or self.is_stale != shown.is_stale:
            self.show(shown.tree, url=shown.url, stale=shown.is_stale)
        self.placeholder = page_hint(store)

    def caption(self, store: Store) -> str:
        if (answerable := self._answerable()) is not self._could_answer:
            self._could_answer = answerable
            self.screen.refresh_bindings()
        return " · ".join(filter(None, [self.summary(), page_state(store)]))

    def _answerable(self) -> DialogView | None:
        """The dialog of the shown page, after READ_SECONDS."""
        store = self.controller.store
        dialog = store.dialogs.get(store.active_profile)
        if dialog is None or store.active_tab not in (None, dialog.tab):
            return None
        return dialog if time.time() - dialog.opened >= READ_SECONDS else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "answer_dialog":
            dialog = self._answerable()
            is_prompt = dialog is not None and dialog.info.type == "prompt"
            return dialog is not None and (parameters != ("text",) or is_prompt)
        if action == "reopen":
            return self.controller.store.active_profile in self.controller.store.ended
        if action == "search" and self._answerable() is not None:
            return False
        return super().check_action(action, parameters)

    def action_answer_dialog(self, answer: Answer) -> None:
        self.app.start(page.answer_dialog(self.app, answer))

    def action_reopen(self) -> None:
        self.app.start(page.reopen(self.app))

    @on(SnapshotTreeView.RefChosen)
    def _act(self, event: SnapshotTreeView.RefChosen) -> None:
        operation = operations_of(event.node)[0]
        self.app.start(page.act(self.app, operation, event.ref, event.node))

    @on(SnapshotTreeView.FillRequested)
    def _fill(self, event: SnapshotTreeView.FillRequested) -> None:
        self.app.start(page.act(self.app, text_operation(), event.ref, event.node))

    @on(SnapshotTreeView.ActionsRequested)
    def _open_menu(self, event: SnapshotTreeView.ActionsRequested) -> None:
        at = event.screen_offset
        self.app.start(page.open_node_menu(self.app, event.ref, event.node, at))
