"""The accessibility tree of the page."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from pwtui.app import actions
from pwtui.app.pane_rows import page_hint, page_state
from pwtui.app.panel import InPanel
from pwtui.app.store import Store
from pwtui.widgets.log_entry import day_and_time
from pwtui.widgets.snapshot_tree import SnapshotTreeView


class PagePane(InPanel, SnapshotTreeView):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "o",
            "reopen",
            "start again",
            id="page.reopen",
            tooltip="start a browser that exited again",
        ),
    ]

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.placeholder = "connecting to the daemon…"

    def paint(self, store: Store) -> None:
        shown, past = store.shown_snapshot, store.past
        if past is not None and past.before is not None and self.snapshot is not shown.tree:
            self.show(past.before, url=shown.url)  # marks what the request has changed
        if self.snapshot is not shown.tree or self.is_stale != shown.is_stale:
            self.show(shown.tree, url=shown.url, stale=shown.is_stale)
        self.label(store.page.labels(shown.url))
        self.placeholder = page_hint(store)

    def caption(self, store: Store) -> str:
        state = "past" if store.past is not None else page_state(store)
        return " · ".join(filter(None, [self.summary(), state]))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "reopen":
            return self.app.store.active_profile in self.app.store.ended
        return super().check_action(action, parameters)

    def action_reopen(self) -> None:
        self.app.start(actions.page.reopen(self.app))

    @on(SnapshotTreeView.RefChosen)
    def _act(self, event: SnapshotTreeView.RefChosen) -> None:
        if self._is_past():
            return
        operation = actions.node_menu.operations_of(event.node)[0]
        self.app.start(actions.page.act(self.app, operation, event.ref, event.node))

    @on(SnapshotTreeView.FillRequested)
    def _fill(self, event: SnapshotTreeView.FillRequested) -> None:
        if self._is_past():
            return
        self.app.start(
            actions.page.act(self.app, actions.node_menu.text_operation(), event.ref, event.node)
        )

    @on(SnapshotTreeView.ActionsRequested)
    def _open_menu(self, event: SnapshotTreeView.ActionsRequested) -> None:
        if self._is_past():
            return
        at = event.screen_offset
        self.app.start(actions.page.open_node_menu(self.app, event.ref, event.node, at))

    def _is_past(self) -> bool:
        """Nothing acts on a page of the past."""
        past = self.app.store.past
        if past is not None:
            at = day_and_time(past.entry.time)
            self.app.notify(f"This is the page of {at}. Press Escape to return to now.", timeout=4)
        return past is not None
