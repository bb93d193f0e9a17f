"""Panes and fields of the main screen, with the keys that act on what they show."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from pwtui.widgets.daemon_card import DaemonCard
from pwtui.widgets.dialog_bar import Answer, DialogBar
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.profile_list import ProfileList
from pwtui.widgets.session_list import SessionList
from pwtui.widgets.snapshot_tree import SnapshotTreeView
from pwtui.widgets.text_fields import LineField


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


class PagePane(SnapshotTreeView):
    """While a dialog blocks the page, its keys come before the tree's."""

    # Not `screen.…`: Textual checks such an action with the screen on top, which may be another.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer_dialog('accept')", "accept", id="dialog.accept"),
        Binding("n", "answer_dialog('dismiss')", "dismiss", id="dialog.dismiss"),
        Binding("t", "answer_dialog('text')", "answer", id="dialog.text"),
        # A key of a subclass replaces those of its base.
        Binding("y", "copy", "copy", show=False, id="list.copy"),
        Binding("n", "search(1)", "next", id="list.match-next"),
        Binding("o", "reopen", "start again", id="page.reopen"),
    ]

    class ReopenRequested(Message):
        """The browser that ended is to be started again."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("answer_dialog", "reopen"):
            return self.screen.check_action(action, parameters)
        if action == "search" and self.screen.check_action("answer_dialog", ("dismiss",)):
            return False
        return super().check_action(action, parameters)

    def action_answer_dialog(self, answer: Answer) -> None:
        self.post_message(DialogBar.Answered(answer))

    def action_reopen(self) -> None:
        self.post_message(self.ReopenRequested())


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


class PaneKeys(KeyBar):
    """Offers the keys of the page only there; they work everywhere."""

    PAGE_ACTIONS: ClassVar = frozenset(("snapshot", "repeat", "open_url", "picture"))

    def offers(self, binding: Binding) -> bool:
        focused = self.screen.focused
        is_in_page = focused is None or isinstance(focused, PagePane)
        return is_in_page or binding.action not in self.PAGE_ACTIONS
