"""The actions on a session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pwtui.app.actions.output import copy_text
from pwtui.app.actions.page import show_tab
from pwtui.app.pane_rows import session_name
from pwtui.widgets.dialogs import Choice, ChoiceDialog, ConfirmDialog, PromptDialog
from pwtui.widgets.session_list import SessionRow, session_row_key
from pwtui.widgets.units import duration, memory

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp
    from pwtui.protocol.models import SessionData

NOTICE_SECONDS = 20.0
IDLE_MINUTES = 10

SessionAction = Callable[[], Awaitable[object] | None]


async def view(app: PanelApp, row: SessionRow) -> None:
    """Show a session, without a change to it or to the profile of the user's work.

    In the session that the user works in, also show the tab of the row.
    """
    controller, session = app.controller, row.session
    if row.has_ended:
        await open_session_menu(app, row)
    elif controller.store.is_here(session) and session.profile:
        view_only = session.profile != controller.store.control_profile
        controller.activate(session.profile, view_only=view_only)
        if row.tab_index not in (None, row.active_tab) and row.is_current and not view_only:
            await show_tab(app, row.tab_index)
    else:
        from pwtui.app.screens.session import SessionScreen

        app.push_screen(SessionScreen(session))


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
    store = app.store
    cdp, ws, profile = session.cdp_endpoint, session.ws_endpoint, session.profile or ""
    choices: list[Choice[SessionAction]] = []
    if store.is_here(session):
        if profile != store.active_profile or store.is_viewing:
            choices.append(Choice(partial(app.controller.activate, profile), "make current", "c"))
        own = store.session_of(profile)
        # By their keys: the row may be from before the newest list.
        is_own = own is not None and session_row_key(own) == session_row_key(session)
        if is_own and session.attached:
            choices.append(Choice(partial(_detach, app, session), f"detach profile {profile}", "d"))
        elif session.pid:
            stop = partial(_send, app, "session.stop", session, pid=session.pid)
            choices.append(Choice(stop, "stop", "x", is_dangerous=True))
    elif session.origin != "pwtui" and (endpoint := cdp or ws):
        attach = partial(_attach, app, endpoint)
        choices.append(Choice(attach, f"attach profile {store.control_profile}", "a"))
    if can_be_held(session):
        is_held = store.activity_of(session).held_by is not None
        op, word = ("session.resume", "resume") if is_held else ("session.pause", "pause")
        choices.append(Choice(partial(change_hold, app, op, session), word, "p"))
    if cdp:
        choices.append(Choice(partial(copy_text, app, cdp), "copy CDP endpoint", "1"))
    if ws:
        choices.append(Choice(partial(copy_text, app, ws), "copy Playwright endpoint", "2"))
    as_json = session.model_dump_json(indent=2)
    choices.append(Choice(partial(copy_text, app, as_json), "copy as JSON", "i"))
    if can_be_killed(session):
        kill = partial(end, app, session)
        choices.append(Choice(kill, "kill process", "k", is_dangerous=True))
    return sorted(choices, key=lambda choice: choice.is_dangerous)


# -- pausing ---------------------------------------------------------------------------------------


def can_be_held(session: SessionData) -> bool:
    """Whether the actions of its clients can be paused."""
    return session.session_key is not None and session.origin in ("pwtui", "playwright")


def offers_hold(action: str, row: SessionRow | None) -> bool:
    """Whether to pause ("hold"), or to resume and step, the session of a row."""
    if row is None or row.is_paused:
        return row is not None and action != "hold"
    return action == "hold" and can_be_held(row.session)


async def change_hold(app: PanelApp, op: str, session: SessionData) -> None:
    """Pause, resume or step a session; what the panel has paused ends with the panel."""
    input: dict[str, object] = {"name": session.session_key}
    if op == "session.pause":
        input["whileConnected"] = True
    await app.perform(app.controller.request(op, input))


# -- ending ----------------------------------------------------------------------------------------


def can_be_killed(session: SessionData) -> bool:
    """Whether it is another program's browser whose process is known."""
    return session.origin in ("cdp", "pipe", "playwright") and session.pid is not None


def abandoned(sessions: Sequence[SessionData], idle_seconds: float) -> list[SessionData]:
    """The browsers without a window whose program has exited, idle for longer than this."""
    return [
        each
        for each in sessions
        if each.orphan
        and can_be_killed(each)
        and not each.may_have_user
        and each.idle_seconds is not None
        and each.idle_seconds >= idle_seconds
    ]


def kill_question(session: SessionData) -> str:
    """What is asked before a browser is ended."""
    if session.may_have_user:
        return (
            "It has a window, or may have one: a person may be using it. "
            "Everything open in it is lost."
        )
    return "Its program has exited." if session.orphan else "Its program will lose it."


async def end(app: PanelApp, session: SessionData) -> None:
    """Stop a session of pwtui, or kill another program's browser after a question."""
    if app.store.is_here(session):
        if session.attached:
            await _send(app, "session.stop", session)
        elif session.pid:
            await _send(app, "session.stop", session, pid=session.pid)
        return
    if not can_be_killed(session):
        app.notify("It cannot be ended from here", severity="warning", timeout=4)
        return
    whose = ", ".join(session.programs or ())
    dialog = ConfirmDialog(
        "Kill this browser?",
        f"{session_name(session)}. {kill_question(session)}",
        losses=[*(page.url for page in session.pages or ()), *([f"of {whose}"] if whose else [])],
        confirm="Kill",
    )
    if await app.push_screen_wait(dialog):
        await _kill(app, [session], window=session.may_have_user)


async def end_idle_orphans(app: PanelApp) -> None:
    """Ask for the time, show what would be ended, and end it."""
    text = await app.push_screen_wait(
        PromptDialog(
            "End orphans",
            "Browsers without a window whose program has exited, idle for more than (minutes):",
            value=str(IDLE_MINUTES),
            validate=lambda text: None if _minutes(text) is not None else "must be a number",
        )
    )
    minutes = _minutes(text or "")
    if minutes is None:
        return
    found = abandoned(app.store.other_sessions, minutes * 60)
    if not found:
        app.notify(f"No orphan has been idle for {minutes:g} minutes", timeout=5)
        return
    dialog = ConfirmDialog(
        f"Kill {len(found)} browser{'s' if len(found) > 1 else ''}?",
        "None of them has a window, and their programs have exited.",
        losses=[
            f"{session_name(each)} · idle {duration(each.idle_seconds)} · "
            f"{memory(each.memory_bytes)}"
            for each in found
        ],
        confirm="Kill",
    )
    if await app.push_screen_wait(dialog):
        await _kill(app, found, window=False)


def _minutes(text: str) -> float | None:
    try:
        minutes = float(text)
    except ValueError:
        return None
    return minutes if minutes >= 0 else None


async def _kill(app: PanelApp, sessions: Sequence[SessionData], *, window: bool) -> None:
    input: dict[str, object] = {"pids": [each.pid for each in sessions]}
    if window:
        input["window"] = True
    await app.perform(app.controller.request("session.kill", input))


# -- attaching -------------------------------------------------------------------------------------


async def _send(app: PanelApp, op: str, session: SessionData, **input: object) -> None:
    await app.perform(app.controller.request(op, input, profile=session.profile))


async def _detach(app: PanelApp, session: SessionData) -> None:
    # Disconnect from the browser before its endpoint is cleared.
    await _send(app, "session.stop", session)
    await _send(app, "connect", session, clear=True)


async def _attach(app: PanelApp, endpoint: str) -> None:
    """Attach the profile of the user's work to another browser and show its page."""
    controller = app.controller
    profile = controller.store.control_profile
    controller.activate(profile)
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
