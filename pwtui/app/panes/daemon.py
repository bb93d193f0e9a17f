"""The daemon."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from pwtui.app import actions
from pwtui.app.pane_rows import daemon_view
from pwtui.app.panel import InPanel
from pwtui.app.store import LinkState, Store
from pwtui.state.paths import daemon_log_file
from pwtui.widgets.daemon_card import DaemonCard


class DaemonPane(InPanel, DaemonCard):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "start_daemon", "start", id="daemon.start"),
        Binding("delete", "stop_daemon", "stop", id="daemon.stop"),
        Binding("r", "restart_daemon", "restart", id="daemon.restart"),
        Binding("l", "copy_log_path", "copy log path", id="daemon.logs"),
    ]

    _link: LinkState | None = None

    def paint(self, store: Store) -> None:
        self.show(*daemon_view(store))
        if self._link != store.link:
            self._link = store.link
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A panel that is read-only neither starts nor ends the daemon, which is one at a time."""
        if not action.endswith("_daemon"):
            return super().check_action(action, parameters)
        possible: LinkState = "stopped" if action == "start_daemon" else "connected"
        return self.app.store.link == possible and not self.app.store.is_read_only

    def action_start_daemon(self) -> None:
        self.controller.start_daemon()

    def action_stop_daemon(self) -> None:
        self.app.start(actions.daemon.stop_daemon(self.app))

    def action_restart_daemon(self) -> None:
        self.app.start(self.controller.restart_daemon())

    def action_copy_log_path(self) -> None:
        actions.output.copy_text(self.app, str(daemon_log_file()))
