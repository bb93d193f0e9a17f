"""The running browsers."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from pwtui.app import actions
from pwtui.app.panel import InPanel
from pwtui.app.panes.page_area import PageArea
from pwtui.app.session_rows import iframe_ref, session_rows
from pwtui.app.store import Store
from pwtui.widgets.session_list import (
    Heading,
    SessionColumns,
    SessionList,
    SessionRow,
    session_row_key,
)


class SessionsPane(InPanel, SessionList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "view", id="session.view"),
        Binding("a", "menu", "actions", id="session.menu"),
        Binding("p", "hold", "pause", id="session.pause"),
        Binding("p", "release", "resume", id="session.resume"),
        Binding("n", "step", "step", id="session.step"),
        Binding("delete", "end", "end", id="session.end"),
        Binding("K", "end_orphans", "end idle orphans", show=False, id="session.end-orphans"),
    ]

    def paint(self, store: Store) -> None:
        is_known = store.own_sessions is not None
        self.empty_text = self.EMPTY_TEXT if is_known else "waiting for the daemon…"
        was_paused = self.row is not None and self.row.is_paused
        self.show(session_rows(store))
        if self.row is not None and self.row.is_paused != was_paused:
            self.screen.refresh_bindings()
        current = store.session_of(store.active_profile)
        if current is not None and not self.has_focus:
            self.move_to_key(session_row_key(current))

    def on_resize(self) -> None:
        if self.parent is not None:
            for columns in self.parent.query_children(SessionColumns):
                columns.show_for(self.view_width)

    def caption(self, store: Store) -> str:
        held = sum(len(each.waiting) for each in store.activities.paused())
        parts = [f"{held} held" if held else "", self.order_note("place")]
        return " · ".join(filter(None, parts))

    @property
    def row(self) -> SessionRow | None:
        """The session under the cursor, or that of the tab there."""
        row = self.cursor_row
        return row if isinstance(row, SessionRow) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("hold", "release", "step"):
            return actions.sessions.offers_hold(action, self.row)
        if action == "end_orphans":
            return any(isinstance(each, Heading) and each.orphans for each in self._rows)
        return super().check_action(action, parameters)

    def on_row_list_highlighted(self) -> None:
        self.screen.refresh_bindings()

    def on_row_list_chosen(self, event: SessionList.Chosen) -> None:
        self.app.start(self._view(event.row))

    async def _view(self, row: SessionRow) -> None:
        store = self.app.store
        await actions.sessions.view(self.app, row)
        if row.frame is not None and store.active_profile == row.profile:
            area = self.screen.query_one(PageArea)
            if not await area.find(lambda: iframe_ref(store, row)):
                self.app.notify("The tree has no such frame.", timeout=5)

    def action_menu(self) -> None:
        if self.row is not None:
            self.app.start(actions.sessions.open_session_menu(self.app, self.row))

    def action_hold(self) -> None:
        self._change_hold("session.pause")

    def action_release(self) -> None:
        self._change_hold("session.resume")

    def action_step(self) -> None:
        self._change_hold("session.step")

    def _change_hold(self, op: str) -> None:
        if self.row is not None:
            self.app.start(actions.sessions.change_hold(self.app, op, self.row.session))

    def action_end(self) -> None:
        if self.row is not None:
            self.app.start(actions.sessions.end(self.app, self.row.session))

    def action_end_orphans(self) -> None:
        self.app.start(actions.sessions.end_idle_orphans(self.app))
