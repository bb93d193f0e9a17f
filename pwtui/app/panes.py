"""Panes and fields of the main screen, with the keys that act on what they show."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from widgets.daemon_card import DaemonCard
from widgets.profile_list import ProfileList
from widgets.session_list import SessionList
from widgets.text_fields import LineField


class ProfilePane(ProfileList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "use", id="profile.use"),
        Binding("n", "screen.profile('new')", "new", id="profile.new"),
        Binding("e", "screen.profile('edit')", "edit", id="profile.edit"),
        Binding("d", "screen.profile('duplicate')", "duplicate", id="profile.duplicate"),
        Binding("f2", "screen.profile('rename')", "rename", id="profile.rename"),
        Binding("delete", "screen.profile('delete')", "delete", id="profile.delete"),
        Binding("o", "screen.profile('start')", "open browser", id="profile.start"),
    ]


class SessionPane(SessionList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "actions", id="session.menu"),
    ]


class DaemonPane(DaemonCard):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "screen.daemon('start')", "start", id="daemon.start"),
        Binding("delete", "screen.daemon('stop')", "stop", id="daemon.stop"),
        Binding("r", "screen.daemon('restart')", "restart", id="daemon.restart"),
        Binding("l", "screen.daemon('logs')", "copy log path", id="daemon.logs"),
    ]


class FilterField(LineField):
    """A line below a pane: what of it is shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "keep the filter", id="filter.keep"),
        Binding("escape", "screen.back", "show all", key_display="esc", id="filter.end"),
    ]

    def __init__(self, words: str, *, id: str) -> None:
        super().__init__(placeholder=f"filter: {words}", id=id, classes="filter", compact=True)
