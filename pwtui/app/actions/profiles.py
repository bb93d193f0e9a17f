"""The actions on a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwtui.protocol.errors import PwError
from pwtui.state.workspace import normalise_profile_name
from pwtui.widgets.dialogs import Choice, ChoiceDialog, ConfirmDialog, PromptDialog

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp
    from pwtui.protocol.models import SessionData


async def create(app: PanelApp, _: str) -> None:
    if not app.refuses("profile.create") and (to := await _ask_name(app, "New profile")):
        await _send_and_activate(app, "profile.create", {"name": to}, to)


async def edit(app: PanelApp, name: str) -> None:
    from pwtui.app.screens.profile_editor import ProfileEditor

    app.push_screen(ProfileEditor(name))


async def duplicate(app: PanelApp, name: str) -> None:
    if app.refuses("profile.copy"):
        return
    if to := await _ask_name(app, f"Copy {name} as", f"{name}-copy"):
        await _send_and_activate(app, "profile.copy", {"name": name, "to": to}, to)


async def start_browser(app: PanelApp, name: str) -> None:
    await app.perform(app.controller.request("session.start", profile=name))


async def rename(app: PanelApp, name: str) -> None:
    if app.refuses("profile.rename"):
        return
    to = await _ask_name(app, f"Rename {name}", name, own=name)
    if not to or normalise_profile_name(to) == name:
        return
    session = app.store.session_of(name)
    if session is not None:
        dialog = ConfirmDialog(
            f"Stop {_browser_of(session)}?",
            f"It uses the profile {name}. Stopping it closes:",
            losses=_pages_of(session),
            confirm="Stop and rename",
        )
        if not await app.push_screen_wait(dialog) or not await _stop(app, name):
            return
    active = to if name == app.store.active_profile else None
    await _send_and_activate(app, "profile.rename", {"name": name, "to": to}, active)


async def delete(app: PanelApp, name: str) -> None:
    if app.refuses("profile.delete"):
        return
    folder = app.controller.profiles.folder(name)
    losses = [path.name for path in sorted(folder.iterdir())] if folder.is_dir() else []
    session, text = app.store.session_of(name), "It can be restored for 7 days:"
    if session is not None:
        losses = [_browser_of(session), *_pages_of(session), *losses]
        text = "Its files can be restored for 7 days, but this closes its browser:"
    dialog = ConfirmDialog(f"Delete profile {name}?", text, losses=losses, confirm="Delete")
    if await app.push_screen_wait(dialog) and (session is None or await _stop(app, name)):
        response = await app.perform(app.controller.request("profile.delete", {"name": name}))
        if response is not None and (response.data or {}).get("canRestore"):
            text = f"deleted profile {name}: ctrl+z, or U in Profiles, restores it, for 7 days"
            app.store.notices.add(text, about=f"undo profile.delete {name}", is_bad=False)


async def restore(app: PanelApp, _: str) -> None:
    deleted = app.controller.profiles.deleted()
    if not deleted:
        app.notify("No profile was deleted in the last 7 days", timeout=4)
        return
    choices = [Choice(name, name) for name in deleted]
    if chosen := await app.push_screen_wait(ChoiceDialog("Restore a profile", choices)):
        await _send_and_activate(app, "profile.restore", {"name": chosen}, None)
        app.store.notices.add("", about=f"undo profile.delete {chosen}")


async def _send_and_activate(
    app: PanelApp, op: str, input: dict[str, str], profile: str | None
) -> None:
    response = await app.perform(app.controller.request(op, {**input}))
    if response is not None and response.ok and profile is not None:
        app.controller.activate(normalise_profile_name(profile))


async def _stop(app: PanelApp, profile: str) -> bool:
    response = await app.perform(app.controller.request("session.stop", profile=profile))
    return response is not None and response.ok


async def _ask_name(app: PanelApp, title: str, value: str = "", *, own: str = "") -> str | None:
    """Ask for a name that no other profile has."""

    def problem(text: str) -> str | None:
        try:
            name = normalise_profile_name(text)
        except PwError as error:
            return str(error)
        exists = name != own and app.controller.profiles.exists(name)
        return f"profile {name} already exists" if exists else None

    return await app.push_screen_wait(
        PromptDialog(title, value=value, placeholder="name", validate=problem, note=_stored_as)
    )


def _stored_as(name: str) -> str:
    """A note if the name is not stored as typed."""
    stored = normalise_profile_name(name)
    return f"stored as {stored}" if stored != name else ""


def _browser_of(session: SessionData) -> str:
    return f"{session.browser or 'browser'} (pid {session.pid or 'unknown'})"


def _pages_of(session: SessionData) -> list[str]:
    return [page.url for page in session.pages or ()]


ACTIONS = {
    each.__name__: each
    for each in (create, edit, duplicate, rename, delete, restore, start_browser)
}
