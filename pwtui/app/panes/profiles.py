"""The profiles of the workspace."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from pwtui.app import actions
from pwtui.app.pane_rows import profile_rows
from pwtui.app.panel import InPanel
from pwtui.app.store import Store
from pwtui.widgets.profile_list import ProfileList


class ProfilesPane(InPanel, ProfileList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "use", id="profile.use"),
        Binding("n", "profile('create')", "new", id="profile.new"),
        Binding("e", "profile('edit')", "edit", id="profile.edit"),
        Binding("d", "profile('duplicate')", "duplicate", id="profile.duplicate"),
        Binding("f2", "profile('rename')", "rename", id="profile.rename"),
        Binding("delete", "profile('delete')", "delete", id="profile.delete"),
        Binding("U", "profile('restore')", "restore", show=False, id="profile.restore"),
        Binding("b", "profile('start_browser')", "start browser", id="profile.start"),
    ]

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._painted_active = ""

    def paint(self, store: Store) -> None:
        self.show(profile_rows(store))
        active = store.active_profile
        if (not self.has_focus or active != self._painted_active) and self.move_to_key(active):
            self._painted_active = active  # a new profile is the one that the next key is for

    def caption(self, store: Store) -> str:
        return self.order_note("as stored")

    def on_row_list_chosen(self, event: ProfileList.Chosen) -> None:
        self.controller.activate(event.key)

    def action_profile(self, action: str) -> None:
        name = self.cursor_key or self.app.store.active_profile
        self.app.start(actions.profiles.ACTIONS[action](self.app, name))
