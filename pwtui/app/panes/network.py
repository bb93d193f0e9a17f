"""The requests of the page."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from pwtui.app.actions import inspect
from pwtui.app.panel import InPanel
from pwtui.app.store import Store
from pwtui.widgets.network_list import NetworkList


class NetworkPane(InPanel, NetworkList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "open", id="network.open", tooltip="headers, bodies and timing"),
        Binding("c", "copy_curl", "copy as cURL", id="network.curl"),
        Binding("b", "block", "block", id="network.block", tooltip="abort requests to this URL"),
    ]

    def paint(self, store: Store) -> None:
        self.page_url = store.snapshot.url
        self.show(store.network.rows)

    def caption(self, store: Store) -> str:
        return self.summary()

    def action_copy_curl(self) -> None:
        if self.cursor_row is not None:
            self.app.start(inspect.copy_as_curl(self.app, self.cursor_row))

    def action_block(self) -> None:
        if self.cursor_row is not None:
            inspect.block(self.app, self.cursor_row)

    def on_row_list_chosen(self, event: NetworkList.Chosen) -> None:
        self.app.start(inspect.open_request(self.app, event.row))


def network_badge(store: Store) -> str:
    count, failed = len(store.network.rows), store.network.new_failures
    return " ".join(filter(None, [str(count) if count else "", f"✗{failed}" if failed else ""]))
