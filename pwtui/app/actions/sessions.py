"""The actions on a session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from pwtui.app.actions.output import copy_text
from pwtui.app.pane_rows import session_name
from pwtui.protocol.addresses import Endpoint
from pwtui.protocol.models import SessionData
from pwtui.widgets.dialogs import Choice, ChoiceDialog, ConfirmDialog
from pwtui.widgets.session_list import SessionRow

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp

NOTICE_SECONDS = 20.0

SessionAction = Callable[[], Awaitable[object] | None]


async def open_session_menu(app: PanelApp, row: SessionRow) -> None:
    session = row.session
    if row.has_ended:
        start = partial(_send, app, "session.start", session)
        choices: list[Choice[SessionAction]] = [Choice(start, "start again", "o")]
    else:
        choices = session_choices(app, session)
    chosen = await app.push_screen_wait(ChoiceDialog(session_name(session), choices))
    if chosen is not None and (work := chosen()) is not None:
        await work


def session_choices(app: PanelApp, session: SessionData) -> list[Choice[SessionAction]]:
    store = app.controller.store
    cdp, ws, profile = session.cdp_endpoint, session.ws_endpoint, session.profile or ""
    choices: list[Choice[SessionAction]] = []
    if store.is_here(session):
        if profile != store.active_profile:
            choices.append(Choice(partial(app.controller.activate, profile), "make current", "c"))
        if session is store.session_of(profile) and session.attached:
            choices.append(Choice(partial(_detach, app, session), f"detach profile {profile}", "d"))
        elif session.pid:
            stop = partial(_send, app, "session.stop", session, pid=session.pid)
            choices.append(Choice(stop, "stop", "x", is_dangerous=True))
    elif session.origin != "pwtui" and (endpoint := cdp or ws):
        attach = partial(_attach, app, endpoint)
        choices.append(Choice(attach, f"attach profile {store.active_profile}", "a"))
    if cdp:
        choices.append(Choice(partial(copy_text, app, cdp), "copy CDP endpoint", "1"))
    if ws:
        choices.append(Choice(partial(copy_text, app, ws), "copy Playwright endpoint", "2"))
    as_json = session.model_dump_json(indent=2)
    choices.append(Choice(partial(copy_text, app, as_json), "copy as JSON", "i"))
    # A relay listens on the port itself, and another process may have taken over a port.
    if session.origin == "cdp" and Endpoint(cdp).port and session.owner_pid:
        kill = partial(_kill, app, session)
        choices.append(Choice(kill, "kill process", "k", is_dangerous=True))
    return sorted(choices, key=lambda choice: choice.is_dangerous)


async def _send(app: PanelApp, op: str, session: SessionData, **input: object) -> None:
    await app.perform(app.controller.request(op, input, profile=session.profile))


async def _detach(app: PanelApp, session: SessionData) -> None:
    # Disconnect from the browser before its endpoint is cleared.
    await _send(app, "session.stop", session)
    await _send(app, "connect", session, clear=True)


async def _kill(app: PanelApp, session: SessionData) -> None:
    dialog = ConfirmDialog("Kill this browser?", session_name(session), confirm="Kill")
    if await app.push_screen_wait(dialog):
        whose = {"port": Endpoint(session.cdp_endpoint).port, "pid": session.owner_pid}
        await app.perform(app.controller.request("connect", {"kill": True, **whose}))


async def _attach(app: PanelApp, endpoint: str) -> None:
    """Attach the active profile to another browser and show its page."""
    controller = app.controller
    profile = controller.store.active_profile
    left = controller.store.session_of(profile)
    for op, input in (("connect", {"endpoint": endpoint}), ("session.start", {})):
        response = await app.perform(controller.request(op, {**input}, profile=profile))
        if response is None or not response.ok:
            return
    if left is not None:
        app.notify(
            f"{session_name(left)} is still running; you can stop it in Sessions",
            title=f"{profile} now uses {endpoint}",
            timeout=NOTICE_SECONDS,
            markup=False,
        )
