"""What a daemon that was killed left behind; the next one cleans it up."""

from __future__ import annotations

import json
import logging
import shutil
from contextlib import suppress
from pathlib import Path

from pwtui.browser.process import is_same_process
from pwtui.daemon.address import instance
from pwtui.state.descriptor import read_descriptor
from pwtui.state.files import write_json
from pwtui.state.places import temporary_folder, workspaces_file
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace

log = logging.getLogger(__name__)

MAX_WORKSPACES = 200


def remember_workspace(workspace: Workspace) -> None:
    """So that descriptors in it can be found after a crash."""
    known = _known()
    root = str(workspace.root)
    if root not in known:
        with suppress(OSError):
            write_json(workspaces_file(), [*known, root][-MAX_WORKSPACES:], private=True)


def clean_up() -> None:
    """Only for the daemon that holds the lock: what belongs to a daemon now, belongs to no one."""
    folder = temporary_folder(instance())
    if folder is not None and folder.is_dir():
        for leftover in folder.iterdir():
            shutil.rmtree(leftover, ignore_errors=True)
    for root in _known():
        for path in stale_descriptors(Workspace(Path(root))):
            log.info("removing the descriptor of a browser that is gone: %s", path)
            with suppress(OSError):
                path.unlink()


def stale_descriptors(workspace: Workspace) -> list[Path]:
    """The descriptors in a workspace whose browser does not run any more."""
    stale = []
    for path in sorted(Profiles(workspace).workspace.profiles_dir.glob("*/sessions/session*.json")):
        descriptor = read_descriptor(path)
        if descriptor is None or not is_same_process(descriptor.pid, descriptor.started_at):
            stale.append(path)
    return stale


def _known() -> list[str]:
    with suppress(OSError, ValueError):
        known = json.loads(workspaces_file().read_bytes())
        return [str(root) for root in known] if isinstance(known, list) else []
    return []
