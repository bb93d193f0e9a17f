"""What a daemon that was killed left behind; the next one cleans it up."""

from __future__ import annotations

import shutil
from pathlib import Path

from pwtui.browser.launch.registry import remove_dead_bindings
from pwtui.browser.spec import is_alive
from pwtui.daemon.address import instance
from pwtui.state.descriptor import read_descriptor
from pwtui.state.paths import temporary_folder
from pwtui.state.workspace import Workspace


def clean_up() -> None:
    """Only for the daemon that holds the lock.

    Descriptors stay: the next request of their profile reports that its browser is gone.
    """
    folder = temporary_folder(instance())
    if folder is not None and folder.is_dir():
        for leftover in folder.iterdir():
            shutil.rmtree(leftover, ignore_errors=True)
    remove_dead_bindings()


def stale_descriptors(workspace: Workspace) -> list[Path]:
    """The descriptors in a workspace whose browser does not run any more."""
    stale = []
    for path in sorted(workspace.profiles_dir.glob("*/sessions/session*.json")):
        descriptor = read_descriptor(path)
        if descriptor is None or not is_alive(descriptor):
            stale.append(path)
    return stale
