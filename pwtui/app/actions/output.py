"""Output of the panel: clipboard, files, recordings, exports."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from pwtui.app.clipboard import copy
from pwtui.protocol.printable import printable
from pwtui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp


def copy_text(app: PanelApp, text: str) -> None:
    try:
        where = copy(text, app.copy_to_clipboard)
    except ValueError as error:
        app.notify(str(error), severity="warning", markup=False)
        return
    app.notify(f"Copied to {where}", timeout=2, markup=False)


def open_file(app: PanelApp, path: Path) -> None:
    """Open a file with the system's program for it, or copy its path."""
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    try:
        if sys.platform != "darwin" and not os.environ.get("DISPLAY"):
            raise OSError("there is no display")
        nowhere = subprocess.DEVNULL
        opening = subprocess.Popen([opener, str(path)], stdout=nowhere, stderr=nowhere)
        Thread(target=opening.wait, daemon=True).start()  # else it stays in the process table
    except OSError:
        copy_text(app, str(path))


def show_in_program(app: PanelApp, event: VirtualList.ShowRequested) -> None:
    """Show a text in $EDITOR or $PAGER, in a private file that is deleted afterwards."""
    if event.program == "editor":
        command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    else:
        command = os.environ.get("PAGER") or "less"
    handle, name = tempfile.mkstemp(suffix=event.list.TEXT_SUFFIX, prefix="pwtui-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(printable(event.text))
        with app.suspend():
            subprocess.run([*shlex.split(command), name], check=False)
    except SuspendNotSupported:
        app.notify("No other program can be opened here", severity="warning", timeout=5)
    except (OSError, ValueError) as error:
        app.notify(f"Cannot start {command}: {error}", severity="error", markup=False)
    finally:
        Path(name).unlink(missing_ok=True)


def toggle_recording(app: PanelApp) -> None:
    recorder = app.controller.recorder
    stopped = recorder.stop()
    done = f"Recorded to {stopped}" if stopped else f"Recording to {recorder.start()}"
    app.notify(done, markup=False)
