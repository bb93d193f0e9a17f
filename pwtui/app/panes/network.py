"""The requests of the page."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from pwtui.app import actions
from pwtui.app.pane_rows import view_hint
from pwtui.app.panel import InPanel
from pwtui.app.store import Store
from pwtui.widgets.network_list import NetworkList

MOST_BODIES = 200
"""As many of the newest are read for a filter."""


class NetworkPane(InPanel, NetworkList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "open", id="network.open", tooltip="headers, bodies and timing"),
        Binding("c", "copy_as", "copy as…", id="network.copy-as", tooltip="cURL, route or HAR"),
        Binding("b", "block", "block", id="network.block", tooltip="abort requests to this URL"),
        Binding("m", "mock", "mock", id="network.mock", tooltip="answer requests to this URL"),
    ]

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._is_reading = False

    def paint(self, store: Store) -> None:
        self.empty_text = view_hint(store, self.EMPTY_TEXT)
        self.page_url = store.shown_snapshot.url
        self.show(store.shown_network)

    def caption(self, store: Store) -> str:
        return self.summary()

    def action_copy_as(self) -> None:
        if self.cursor_row is not None:
            self.app.start(actions.inspect.copy_as(self.app, self.cursor_row))

    def action_mock(self) -> None:
        if self.cursor_row is not None:
            self.app.start(actions.inspect.mock(self.app, self.cursor_row))

    def filter(self, text: str) -> None:
        super().filter(text)
        if self.wants_bodies:
            self.app.start(self._read_bodies())

    async def _read_bodies(self) -> None:
        """Read the newest bodies that are text, for the filter."""
        if self._is_reading:
            return
        self._is_reading = True
        try:
            for row in [*reversed(self._all_rows)][:MOST_BODIES]:
                if self.wants_bodies and row.index is not None and row.key not in self.bodies:
                    self.bodies[row.key] = await actions.inspect.body_of(self.app, row)
        finally:
            self._is_reading = False
        self.show_again()

    def action_block(self) -> None:
        if self.cursor_row is not None:
            actions.inspect.block(self.app, self.cursor_row)

    def on_row_list_chosen(self, event: NetworkList.Chosen) -> None:
        self.app.start(actions.inspect.open_request(self.app, event.row))


def network_badge(store: Store) -> str:
    count, failed = len(store.network), store.network.new_failures
    return " ".join(filter(None, [str(count) if count else "", f"✗{failed}" if failed else ""]))
