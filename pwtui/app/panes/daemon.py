"""The daemon."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from pwtui.app.actions.daemon import DaemonAction, run_daemon_action
from pwtui.app.pane_rows import daemon_view
from pwtui.app.panel import InPanel
from pwtui.app.store import Store
from pwtui.widgets.daemon_card import DaemonCard


class DaemonPane(InPanel, DaemonCard):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "daemon('start')", "start", id="daemon.start"),
        Binding("delete", "daemon('stop')", "stop", id="daemon.stop"),
        Binding("r", "daemon('restart')", "restart", id="daemon.restart"),
        Binding("l", "daemon('logs')", "copy log path", id="daemon.logs"),
    ]

    def paint(self, store: Store) -> None:
        self.show(*daemon_view(store))

    def action_daemon(self, action: str) -> None:
        self.app.start(run_daemon_action(self.app, DaemonAction(action)))
