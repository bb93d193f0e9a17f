"""The running browsers."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from pwtui.app.actions.sessions import open_session_menu
from pwtui.app.pane_rows import session_rows
from pwtui.app.panel import InPanel
from pwtui.app.store import Store
from pwtui.widgets.session_list import SessionList, session_row_key


class SessionsPane(InPanel, SessionList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "actions", id="session.menu"),
    ]

    def paint(self, store: Store) -> None:
        is_known = store.own_sessions is not None
        self.empty_text = self.EMPTY_TEXT if is_known else "waiting for the daemon…"
        self.show(session_rows(store))
        current = store.session_of(store.active_profile)
        if current is not None and not self.has_focus:
            self.move_to_key(session_row_key(current))

    def on_row_list_chosen(self, event: SessionList.Chosen) -> None:
        self.app.start(open_session_menu(self.app, event.row))
