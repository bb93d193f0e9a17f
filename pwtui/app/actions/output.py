"""Getting things out of the panel: copies, files, recordings, exports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pwtui.app.clipboard import copy
from pwtui.app.recording import ExportKind, export
from pwtui.widgets.dialogs import Choice, ChoiceDialog, PromptDialog

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp


def copy_text(app: PanelApp, text: str) -> None:
    try:
        where = copy(text, app.copy_to_clipboard)
    except ValueError as error:
        app.notify(str(error), severity="warning", markup=False)
        return
    app.notify(f"copied to {where}", timeout=2, markup=False)


def open_file(app: PanelApp, path: Path) -> None:
    """Show an artifact with whatever the system opens such files with; else copy its path."""
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    try:
        if sys.platform != "darwin" and not os.environ.get("DISPLAY"):
            raise OSError("there is no display")
        subprocess.Popen([opener, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except OSError:
        copy_text(app, str(path))


def toggle_recording(app: PanelApp) -> None:
    recorder = app.controller.recorder
    stopped = recorder.stop()
    done = f"recorded to {stopped}" if stopped else f"recording to {recorder.start()}"
    app.notify(done, markup=False)


async def export_log(app: PanelApp) -> None:
    """Ask what and where, then write it."""
    log = app.controller.store.log
    selected, filtered, everything = log.selection(), log.shown(), log.entries
    what = "selected" if selected else "shown" if len(filtered) < len(everything) else "all"
    kinds: list[Choice[tuple[ExportKind, bool]]] = [
        Choice(("requests", False), f"{what} requests, for pw batch", "r"),
        Choice(("pairs", False), f"{what} requests with responses", "p"),
        Choice(("requests", True), "requests with secrets in clear", "s", is_dangerous=True),
    ]
    chosen = await app.push_screen_wait(ChoiceDialog("Export NDJSON", kinds))
    if chosen is None:
        return
    target = await app.push_screen_wait(
        PromptDialog("Export to", value="session.ndjson", placeholder="file.ndjson")
    )
    if not target:
        return
    kind, with_secrets = chosen
    entries = selected or filtered
    if with_secrets:
        entries = [app.controller.history.unmasked(entry) for entry in entries]
    path = Path.cwd() / Path(target).expanduser()
    try:
        count = export(path, entries, kind)
    except OSError as error:
        app.notify(f"{path}: {error.strerror}", severity="error", markup=False)
        return
    app.notify(f"{count} lines in {path}", markup=False)
