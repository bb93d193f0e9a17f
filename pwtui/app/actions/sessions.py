"""What can be done to a browser that runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from pwtui.app.actions.output import copy_text
from pwtui.app.pane_rows import session_name, session_row_key
from pwtui.protocol.addresses import Endpoint
from pwtui.protocol.models import SessionData
from pwtui.widgets.dialogs import Choice, ChoiceDialog, ConfirmDialog

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp

NOTICE_SECONDS = 20.0

SessionAction = Callable[[], Awaitable[object] | None]


async def open_session_menu(app: PanelApp, row_key: str) -> None:
    store = app.controller.store
    ended = [view.session for view in store.ended.values() if view.session is not None]
    known = (session for session in (*store.sessions, *ended))
    session = next((each for each in known if session_row_key(each) == row_key), None)
    if session is None:
        return
    if session in ended:
        choices: list[Choice[SessionAction]] = [
            Choice(partial(_send, app, "session.start", session), "start it again", "o")
        ]
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
            choices.append(Choice(partial(_detach, app, session), f"detach {profile} from it", "d"))
        elif session.pid:
            stop = partial(_send, app, "session.stop", session, pid=session.pid)
            choices.append(Choice(stop, "stop it", "x", is_dangerous=True))
    elif session.origin != "pwtui" and (endpoint := cdp or ws):
        attach = partial(_attach, app, endpoint)
        choices.append(Choice(attach, f"attach {store.active_profile} to it", "a"))
    if cdp:
        choices.append(Choice(partial(copy_text, app, cdp), "copy CDP endpoint", "1"))
    if ws:
        choices.append(Choice(partial(copy_text, app, ws), "copy Playwright endpoint", "2"))
    as_json = session.model_dump_json(indent=2)
    choices.append(Choice(partial(copy_text, app, as_json), "copy all as JSON", "i"))
    # The port of a relay is the relay's own, and a port may have changed hands.
    if session.origin == "cdp" and Endpoint(cdp).port and session.owner_pid:
        kill = partial(_kill, app, session)
        choices.append(Choice(kill, "end its process", "k", is_dangerous=True))
    return choices


async def _send(app: PanelApp, op: str, session: SessionData, **input: object) -> None:
    await app.perform(app.controller.request(op, input, profile=session.profile))


async def _detach(app: PanelApp, session: SessionData) -> None:
    # First leave the browser, then forget where it is.
    await _send(app, "session.stop", session)
    await _send(app, "connect", session, clear=True)


async def _kill(app: PanelApp, session: SessionData) -> None:
    dialog = ConfirmDialog("End this browser?", session_name(session), confirm="End it")
    if await app.push_screen_wait(dialog):
        whose = {"port": Endpoint(session.cdp_endpoint).port, "pid": session.owner_pid}
        await app.perform(app.controller.request("connect", {"kill": True, **whose}))


async def _attach(app: PanelApp, endpoint: str) -> None:
    """Use another browser from now on, and show its page at once."""
    controller = app.controller
    profile = controller.store.active_profile
    left = controller.store.session_of(profile)
    for op, input in (("connect", {"endpoint": endpoint}), ("session.start", {})):
        response = await app.perform(controller.request(op, {**input}, profile=profile))
        if response is None or not response.ok:
            return
    if left is not None:
        app.notify(
            f"{session_name(left)} still runs; stop it in Sessions",
            title=f"{profile} uses {endpoint} now",
            timeout=NOTICE_SECONDS,
            markup=False,
        )
