"""The actions on the daemon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwtui.app.pane_rows import session_name
from pwtui.widgets.dialogs import ConfirmDialog

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp


async def stop_daemon(app: PanelApp) -> None:
    own = app.store.own_sessions or []
    closing = [session_name(session) for session in own if session.owner == "daemon"]
    message = "This closes:" if closing else "No browser will be closed."
    dialog = ConfirmDialog("Stop the daemon?", message, losses=closing, confirm="Stop")
    if await app.push_screen_wait(dialog):
        await app.controller.stop_daemon()
