"""What the site of the page stores."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from pwtui.app import actions
from pwtui.app.pane_rows import view_hint
from pwtui.app.panel import InPanel
from pwtui.app.store import Store
from pwtui.widgets.storage_list import StorageList

READ_SECONDS = 2.0


class StoragePane(InPanel, StorageList):
    """Reads again every few seconds while it is shown: pages change their storage themselves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "w", "save_state", "save to file", id="storage.save", tooltip="cookies, local storage"
        ),
        Binding(
            "r", "load_state", "load file", id="storage.load", tooltip="cookies, local storage"
        ),
    ]

    def on_mount(self) -> None:
        self.set_interval(READ_SECONDS, self._read)

    def _read(self) -> None:
        if self.region.area and self.app.screen is self.screen:
            self.app.start(self.controller.storage.read())

    def on_show(self) -> None:
        self._read()

    def action_save_state(self) -> None:
        self.app.start(actions.storage.save_state(self.app))

    def action_load_state(self) -> None:
        self.app.start(actions.storage.load_state(self.app))

    def paint(self, store: Store) -> None:
        if store.past is not None:
            self.empty_text = "The history has no storage. Press Escape to return to now."
            self.show([])
            return
        self.empty_text = store.page.storage_problem or view_hint(store, self.EMPTY_TEXT)
        self.show(store.page.storage)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if self.app.store.past is not None and action in ("add", "save_state", "load_state"):
            return False  # nothing acts on the past
        return super().check_action(action, parameters)

    def caption(self, store: Store) -> str:
        return self.summary()

    @on(StorageList.Chosen)
    def _edit(self, event: StorageList.Chosen) -> None:
        is_hidden = self.is_hidden(event.row)
        self.app.start(actions.storage.edit(self.app, event.row, is_hidden=is_hidden))

    @on(StorageList.AddRequested)
    def _add(self) -> None:
        self.app.start(actions.storage.add(self.app))

    @on(StorageList.DeleteRequested)
    def _delete(self, event: StorageList.DeleteRequested) -> None:
        self.app.start(actions.storage.delete(self.app, event.row))
