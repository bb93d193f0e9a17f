"""What can be done to the daemon."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from pwtui.app.actions.output import copy_text
from pwtui.app.pane_rows import session_name
from pwtui.state.paths import daemon_log_file
from pwtui.widgets.dialogs import ConfirmDialog

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp


class DaemonAction(StrEnum):
    START = "start"
    STOP = "stop"
    RESTART = "restart"
    LOGS = "logs"


async def run_daemon_action(app: PanelApp, action: DaemonAction) -> None:
    match action:
        case DaemonAction.START:
            app.controller.start_daemon()
        case DaemonAction.RESTART:
            await app.controller.restart_daemon()
        case DaemonAction.STOP:
            await _stop(app)
        case DaemonAction.LOGS:
            copy_text(app, str(daemon_log_file()))


async def _stop(app: PanelApp) -> None:
    own = app.controller.store.own_sessions or []
    ending = [session_name(session) for session in own if session.owner == "daemon"]
    message = "These browsers end with it:" if ending else "No browser ends with it."
    dialog = ConfirmDialog("Stop the daemon?", message, losses=ending, confirm="Stop")
    if await app.push_screen_wait(dialog):
        await app.controller.stop_daemon()
