"""What can be done to a profile."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from pwtui.protocol.errors import PwError
from pwtui.protocol.models import SessionData
from pwtui.state.workspace import normalise_profile_name
from pwtui.widgets.dialogs import ConfirmDialog, PromptDialog

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp


class ProfileAction(StrEnum):
    NEW = "new"
    EDIT = "edit"
    DUPLICATE = "duplicate"
    RENAME = "rename"
    DELETE = "delete"
    START = "start"


async def run_profile_action(app: PanelApp, action: ProfileAction, name: str) -> None:
    match action:
        case ProfileAction.EDIT:
            from pwtui.app.screens.profile_editor import ProfileEditor

            app.push_screen(ProfileEditor(name))
        case ProfileAction.START:
            await app.perform(app.controller.request("session.start", profile=name))
        case ProfileAction.NEW:
            if to := await _ask_name(app, "New profile"):
                await _use_when_done(app, "profile.create", {"name": to}, to)
        case ProfileAction.DUPLICATE:
            if to := await _ask_name(app, f"Copy {name} as", f"{name}-copy"):
                await _use_when_done(app, "profile.copy", {"name": name, "to": to}, to)
        case ProfileAction.RENAME:
            await _rename(app, name)
        case ProfileAction.DELETE:
            await _delete(app, name)


async def _rename(app: PanelApp, name: str) -> None:
    to = await _ask_name(app, f"Rename {name}", name, own=name)
    if not to or normalise_profile_name(to) == name:
        return
    session = app.controller.store.session_of(name)
    if session is not None:
        dialog = ConfirmDialog(
            f"Stop {_browser_of(session)}?",
            f"It runs with profile {name}, which can be renamed when it is stopped.",
            losses=_pages_of(session),
            confirm="Stop and rename",
        )
        if not await app.push_screen_wait(dialog) or not await _stop(app, name):
            return
    is_active = name == app.controller.store.active_profile
    used = to if is_active else None
    await _use_when_done(app, "profile.rename", {"name": name, "to": to}, used)


async def _delete(app: PanelApp, name: str) -> None:
    folder = app.controller.profiles.folder(name)
    losses = [path.name for path in sorted(folder.iterdir())] if folder.is_dir() else []
    session = app.controller.store.session_of(name)
    if session is not None:
        losses = [_browser_of(session), *_pages_of(session), *losses]
    dialog = ConfirmDialog(
        f"Delete profile {name}?", "This is lost:", losses=losses, confirm="Delete"
    )
    if await app.push_screen_wait(dialog) and (session is None or await _stop(app, name)):
        await app.perform(app.controller.request("profile.delete", {"name": name}))


async def _use_when_done(
    app: PanelApp, op: str, input: dict[str, str], profile: str | None
) -> None:
    response = await app.perform(app.controller.request(op, {**input}))
    if response is not None and response.ok and profile is not None:
        app.controller.activate(normalise_profile_name(profile))


async def _stop(app: PanelApp, profile: str) -> bool:
    response = await app.perform(app.controller.request("session.stop", profile=profile))
    return response is not None and response.ok


async def _ask_name(app: PanelApp, title: str, value: str = "", *, own: str = "") -> str | None:
    """A name that no other profile has."""

    def problem(text: str) -> str | None:
        try:
            name = normalise_profile_name(text)
        except PwError as error:
            return str(error)
        exists = name != own and app.controller.profiles.exists(name)
        return f"there is a profile {name}" if exists else None

    return await app.push_screen_wait(
        PromptDialog(title, value=value, placeholder="name", validate=problem, note=_stored_as)
    )


def _stored_as(name: str) -> str:
    """What a name becomes, where it is not stored as typed."""
    stored = normalise_profile_name(name)
    return f"stored as {stored}" if stored != name else ""


def _browser_of(session: SessionData) -> str:
    return f"{session.browser or 'browser'} (pid {session.pid or 'unknown'})"


def _pages_of(session: SessionData) -> list[str]:
    return [page.url for page in session.pages or ()]
