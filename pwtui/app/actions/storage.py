"""The actions of the storage pane: each is a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pwtui.widgets.dialogs import Choice, ChoiceDialog, ConfirmDialog, PromptDialog
from pwtui.widgets.storage_list import StorageKind, StorageRow
from pwtui.widgets.text import cut, plain

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp

_ADDABLE: tuple[Choice[StorageKind], ...] = (
    Choice("cookie", "cookie", "c"),
    Choice("local", "item in local storage", "l"),
    Choice("session", "item in session storage", "s"),
)


async def edit(app: PanelApp, row: StorageRow, *, is_hidden: bool) -> None:
    title = cut(plain(f"{row.kind} {row.name}"), 56)
    prompt = PromptDialog(title, value=row.value, password=is_hidden, accept="Set")
    value = await app.push_screen_wait(prompt)
    if value is not None and value != row.value:
        await _set(app, row, value)


async def add(app: PanelApp) -> None:
    kind = await app.push_screen_wait(ChoiceDialog("Add", _ADDABLE))
    if kind is None:
        return
    prompt = PromptDialog(f"New {kind}", placeholder="name=value", validate=_problem, accept="Add")
    text = await app.push_screen_wait(prompt)
    if text:
        name, _, value = text.partition("=")
        await _set(app, StorageRow(kind, name.strip()), value)


async def delete(app: PanelApp, row: StorageRow) -> None:
    what = plain(" ".join(filter(None, [row.kind, row.name, row.domain + row.path])))
    title = f"Delete this {'cookie' if row.kind == 'cookie' else 'item'}?"
    if not await app.push_screen_wait(ConfirmDialog(title, losses=[what], confirm="Delete")):
        return
    if row.kind == "cookie":
        input = {"name": row.name, "domain": row.domain, "path": row.path}
        await app.perform(app.controller.request("cookies.delete", input))
    else:
        op = "localstorage.delete" if row.kind == "local" else "sessionstorage.delete"
        await app.perform(app.controller.request(op, {"key": row.name}))
    await app.controller.storage.read()


async def _set(app: PanelApp, row: StorageRow, value: str) -> None:
    if row.kind == "cookie":
        input: dict[str, Any] = {"name": row.name, "value": value}
        if row.domain:  # it is there: only its value changes
            input |= {"domain": row.domain, "path": row.path}
            input |= {"httpOnly": row.is_http_only, "secure": row.is_secure}
            input |= {"expires": row.expires} if row.expires >= 0 else {}
            input |= {"sameSite": row.same_site} if row.same_site else {}
        await app.perform(app.controller.request("cookies.set", input))
    else:
        op = "localstorage.set" if row.kind == "local" else "sessionstorage.set"
        await app.perform(app.controller.request(op, {"key": row.name, "value": value}))
    await app.controller.storage.read()


def _problem(text: str) -> str | None:
    return None if text.partition("=")[0].strip() else "name=value"
