"""Runs the user's own actions."""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import DEVNULL, PIPE
from typing import TYPE_CHECKING

from textual.binding import Binding

from pwtui.app.custom_actions import CustomAction, MissingValue, load_actions
from pwtui.keywords.errors import KeywordError
from pwtui.protocol.envelope import RuntimeBlock
from pwtui.widgets.network_list import NetworkRow
from pwtui.widgets.row_list import RowList
from pwtui.widgets.session_list import SessionRow
from pwtui.widgets.snapshot_tree import SnapshotTreeView
from pwtui.widgets.text import cut, plain

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp
    from pwtui.app.screens.main import MainScreen

LONGEST_OUTPUT = 200_000
WAITING_SECONDS = 1.0


def bind_custom_actions(app: PanelApp, screen: MainScreen) -> list[str]:
    """Bind the keys of the user's actions in their panes; returns what is wrong with the file."""
    app.custom_actions, problems = load_actions(frozenset(screen.frames))
    for index, action in enumerate(app.custom_actions):
        for name, frame in screen.frames.items():
            if action.pane in ("", name):
                for key in action.key.split(","):
                    binding = Binding(
                        key.strip(),
                        f"app.custom({index})",
                        action.title,
                        show=bool(action.pane),
                        id=f"custom.{index + 1}",
                    )
                    # The user's key replaces that of the pane.
                    frame.body._bindings.key_to_bindings[binding.key] = [binding]
    return problems


async def run_custom_action(app: PanelApp, screen: MainScreen, action: CustomAction) -> None:
    store = app.store
    try:
        values = await _values(app, screen, action)
        if action.shell:
            if store.is_read_only:
                app.notify("The panel is read-only: no command is run", severity="warning")
                return
            await _run_command(app, action, action.environment(values))
            return
        request = action.to_request(values)
    except (MissingValue, KeywordError) as error:
        app.notify(plain(f"{action.title}: {error}"), severity="warning", markup=False)
        return
    if request.runtime is None:
        request = request.model_copy(update={"runtime": RuntimeBlock(profile=values["profile"])})
    await app.perform(request)


async def _values(app: PanelApp, screen: MainScreen, action: CustomAction) -> dict[str, str | None]:
    """What is known of the place where the key was pressed."""
    store, tree = app.store, screen.query_one(SnapshotTreeView)
    session = store.session_of(store.active_profile)
    url, title = store.snapshot.url, store.snapshot.title
    row = screen.focused.cursor_row if isinstance(screen.focused, RowList) else None
    if isinstance(row, SessionRow):
        session, url, title = row.session, row.url, row.title
    elif isinstance(row, NetworkRow):
        url = row.url
    values: dict[str, str | None] = {
        "url": url,
        "title": title,
        "ref": tree.cursor_ref,
        "session": session.session_key if session is not None else None,
        "profile": store.active_profile,
        "workspace": store.workspace,
        "pid": str(session.pid) if session is not None and session.pid else None,
    }
    if "selector" in action.needs and tree.cursor_ref is not None:
        located = await app.controller.ask("page.locator", ref=tree.cursor_ref)
        values["selector"] = (located.data or {}).get("selector")
    return values


async def _run_command(app: PanelApp, action: CustomAction, values: dict[str, str]) -> None:
    """Run a command in the background and report how it ended."""
    process = await asyncio.create_subprocess_shell(
        action.shell,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        env={**os.environ, **values},
        start_new_session=True,
    )
    waiting = app.set_timer(
        WAITING_SECONDS,
        lambda: app.notify("running…", title=action.title, timeout=3, markup=False),
    )
    out, err = await process.communicate()
    waiting.stop()
    text = (out + err)[:LONGEST_OUTPUT].decode("utf-8", "replace").strip()
    last = cut(plain(text.splitlines()[-1]), 200) if text else ""
    if process.returncode:
        app.notify(
            last or f"exit code {process.returncode}",
            title=f"{action.title}: exit code {process.returncode}",
            severity="error",
            markup=False,
        )
    elif action.output == "window" and text:
        from pwtui.app.screens.text import TextWindow

        app.push_screen(TextWindow(action.title, text))
    else:
        app.notify(last or "done", title=action.title, timeout=4, markup=False)
