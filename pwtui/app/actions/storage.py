"""The actions of the storage pane: each is a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwtui.app.actions.files import ask_files, ask_target
from pwtui.app.storage import deletion, setting
from pwtui.widgets.dialogs import Choice, ChoiceDialog, ConfirmDialog, PromptDialog
from pwtui.widgets.storage_list import StorageKind, StorageRow
from pwtui.widgets.text import cut, plain

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp

STATE = (".json",)
_ADDABLE: tuple[Choice[StorageKind], ...] = (
    Choice("cookie", "cookie", "c"),
    Choice("local", "item in local storage", "l"),
    Choice("session", "item in session storage", "s"),
)


async def edit(app: PanelApp, row: StorageRow, *, is_hidden: bool) -> None:
    if app.refuses("cookies.set"):
        return
    title = cut(plain(f"{row.kind} {row.name}"), 56)
    prompt = PromptDialog(title, value=row.value, password=is_hidden, accept="Set")
    value = await app.push_screen_wait(prompt)
    if value is not None and value != row.value:
        await _set(app, row, value)


async def add(app: PanelApp) -> None:
    if app.refuses("cookies.set"):
        return
    kind = await app.push_screen_wait(ChoiceDialog("Add", _ADDABLE))
    if kind is None:
        return
    prompt = PromptDialog(f"New {kind}", placeholder="name=value", validate=_problem, accept="Add")
    text = await app.push_screen_wait(prompt)
    if text:
        name, _, value = text.partition("=")
        await _set(app, StorageRow(kind, name.strip()), value)


async def delete(app: PanelApp, row: StorageRow) -> None:
    if app.refuses("cookies.delete"):
        return
    what = plain(" ".join(filter(None, [row.kind, row.name, row.domain + row.path])))
    title = f"Delete this {'cookie' if row.kind == 'cookie' else 'item'}?"
    if not await app.push_screen_wait(ConfirmDialog(title, losses=[what], confirm="Delete")):
        return
    await app.perform(app.controller.request(*deletion(row)))
    await app.controller.storage.read()


async def save_state(app: PanelApp) -> None:
    """Save cookies and local storage to a file."""
    path = await ask_target(app, "Save cookies and storage to", "state.json", suffixes=STATE)
    if path is not None:
        response = await app.perform(app.controller.request("state.save", {"output": str(path)}))
        if response is not None and response.ok:
            app.notify(f"Saved {path}", markup=False)


async def load_state(app: PanelApp) -> None:
    """Replace cookies and local storage with those of a file."""
    for path in await ask_files(app, "Load cookies and storage from", suffixes=STATE):
        dialog = ConfirmDialog(
            "Replace cookies and storage?",
            f"Those of {path.name} replace what the session has now:",
            losses=[f"{len(app.controller.store.page.storage)} items"],
            confirm="Replace",
        )
        if await app.push_screen_wait(dialog):
            await app.perform(app.controller.request("state.load", {"file": str(path)}))
            await app.controller.storage.read()


async def _set(app: PanelApp, row: StorageRow, value: str) -> None:
    await app.perform(app.controller.request(*setting(row, value)))
    await app.controller.storage.read()


def _problem(text: str) -> str | None:
    return None if text.partition("=")[0].strip() else "name=value"
