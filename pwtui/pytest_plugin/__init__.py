"""The pytest plugin: recordings are tests. See docs/how-to/pytest.md.

pytest loads this module wherever pwtui is installed, so it imports nothing else of pwtui until a
recording is found, and collects recordings only where they are wanted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest

Kind = Literal["linelist", "string", "bool"]
SUFFIXES = (".pw", ".ndjson")
FOLDERS = "pw_recordings"


class Setting(NamedTuple):
    """A setting, `--pw-name` on the command line and `pw_name` in pytest's configuration."""

    name: str
    help: str
    metavar: str = ""
    """Without one, it is a flag."""
    is_list: bool = False
    plugin: str = ""
    others: str = ""
    """The option of another plugin that is used where this setting is not set."""

    @property
    def key(self) -> str:
        return f"pw_{self.name.replace('-', '_')}"


SETTINGS = (
    Setting("var", "set a variable of recordings, or several", "NAME=VALUE", is_list=True),
    Setting("var-file", "read variables from this file", "FILE", is_list=True),
    Setting(
        "base-url",
        "the URL that relative URLs start from",
        "URL",
        plugin="base_url",
        others="base_url",
    ),
    Setting(
        "browser",
        "replay in this browser, or in each of several",
        "NAME",
        True,
        "playwright",
        "browser",
    ),
    Setting("headed", "show the browser", plugin="playwright", others="headed"),
    Setting("on", "replay at these endpoints: a list, a file, or profiles", "ENDPOINT", True),
    Setting("header", "send this HTTP header to the endpoints", "NAME: VALUE", is_list=True),
    Setting("profile", "copy the config and saved logins of this profile", "NAME"),
    Setting("timeout", "limit each step that sets no timeout: 5s, 800ms", "DURATION"),
    Setting("compare", "fail where results differ from the recorded ones"),
    Setting("allow-code", "allow what only trusted recordings may do"),
    Setting("artifacts-dir", "save files of failures in this folder (pw-replay)", "DIR"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("pwtui", "recordings of pwtui (.pw, .ndjson)")
    parser.addini(FOLDERS, "folders whose recordings are tests", "args", ["recordings"])
    for each in SETTINGS:
        how: dict[str, Any] = {"action": "store_true", "default": None}
        if each.metavar:
            how = {"action": "append" if each.is_list else "store", "metavar": each.metavar}
        group.addoption(f"--pw-{each.name}", dest=each.key, help=each.help, **how)
        kind: Kind = "linelist" if each.is_list else "string" if each.metavar else "bool"
        parser.addini(each.key, each.help, kind, [] if each.is_list else None)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Recordings that are named on the command line, or lie in a folder of recordings."""
    if file_path.suffix not in SUFFIXES:
        return None
    is_named = parent.session.isinitpath(file_path)
    folders = (parent.config.rootpath / name for name in parent.config.getini(FOLDERS))
    if not is_named and not any(file_path.is_relative_to(folder) for folder in folders):
        return None
    from pwtui.pytest_plugin.items import RecordingFile, is_recording

    if not is_named and not is_recording(file_path):
        return None
    return RecordingFile.from_parent(parent, path=file_path)
