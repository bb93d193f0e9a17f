"""The first command: starts the daemon before the rest of the command line is loaded."""

from __future__ import annotations

from pathlib import Path

from pwtui.cli.fast_path import command_position
from pwtui.client.spawn import read_word, spawn
from pwtui.daemon.instance import private_folder
from pwtui.protocol.catalog import catalog
from pwtui.protocol.errors import SessionError
from pwtui.state.workspace import Workspace

SETTING = "useDaemon"
OPTIONS = ("-v", "--verbose", "--workspace")
"""With these the whole command line has to be loaded first."""


def start_daemon_for(argv: list[str]) -> bool:
    """Start the daemon if this command surely runs there; whether it can be sent there now."""
    if any(SETTING in each or each.startswith(OPTIONS) for each in argv):
        return False
    if not _runs_in_daemon(argv[command_position(argv) :]):
        return False
    try:
        private_folder()
        return bool(read_word(spawn(warm=True)))
    except SessionError:
        return False  # what is wrong is reported by the command itself


def _runs_in_daemon(command: list[str]) -> bool:
    """Whether it is `exec` with an operation in a session, and no profile turns the daemon off."""
    is_exec = command[:1] == ["exec"] and len(command) > 1
    info = catalog().get(command[1]) if is_exec else None
    if info is None or info.runs_in != "session" or info.interactive:
        return False
    configs = Workspace.locate().profiles_dir.glob("*/config.json")
    return not any(map(_turns_daemon_off, configs))


def _turns_daemon_off(config: Path) -> bool:
    try:
        return SETTING.encode() in config.read_bytes()
    except OSError:
        return True
