"""Trust in profile settings that affect files outside the workspace or other machines.

A profile may be part of a cloned repository. Such settings are used only if this user set them
with pwtui or trusted them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pwtui.protocol.addresses import Endpoint
from pwtui.protocol.errors import InvalidInput
from pwtui.state.config import ProfileConfig
from pwtui.state.files import locked, write_json
from pwtui.state.paths import user_state_dir
from pwtui.state.workspace import Workspace

DottedSettings = Mapping[str, str]
"""Values by dotted name."""


def far_settings(config: ProfileConfig, workspace: Workspace) -> DottedSettings:
    """The settings with a program, a path outside the workspace or another machine's address."""
    paths = {
        "har.path": config.har and config.har.path,
        "downloads.dir": config.downloads.dir,
        "defaults.authFile": config.defaults.auth_file,
    }
    far = {name: path for name, path in paths.items() if path and _is_outside(path, workspace)}
    endpoint = config.defaults.cdp_endpoint
    if endpoint and not Endpoint(endpoint).is_local:
        far["defaults.cdpEndpoint"] = endpoint
    if config.defaults.executable_path:
        # Wherever it is: a program of a cloned repository must not run by itself.
        far["defaults.executablePath"] = config.defaults.executable_path
    return far


def untrusted(file: Path, settings: DottedSettings) -> list[str]:
    """The names of the settings in this config file that the user has not set or trusted."""
    if not settings:
        return []
    known = _read().get(str(file), {})
    return [name for name, value in settings.items() if known.get(name) != _digest(value)]


def trust(file: Path, settings: DottedSettings) -> None:
    """Record these settings as trusted, and no others of this file."""
    if not settings and str(file) not in _read():
        return
    path = _record_file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with locked(path.with_suffix(".lock")):
        record = {name: value for name, value in _read().items() if Path(name).exists()}
        record[str(file)] = {name: _digest(value) for name, value in settings.items()}
        write_json(path, record, private=True)


def check_trusted(file: Path, settings: DottedSettings, profile: str) -> None:
    """Raises InvalidInput if one of the settings is not trusted."""
    if names := untrusted(file, settings):
        listed = ", ".join(f"{name} ({settings[name]})" for name in names)
        raise InvalidInput(
            f"profile {profile!r} has settings for programs, for paths outside the workspace or "
            f"for other machines that you did not set: {listed}",
            hint=f"accept them with `pw profile trust {profile}`, or change them with "
            f"`pw profile edit {profile}`",
            details={"profile": profile, "settings": names, "path": str(file)},
        )


def _record_file() -> Path:
    return user_state_dir() / "trusted-settings.json"


def _read() -> dict[str, dict[str, str]]:
    with suppress(OSError, ValueError):
        record = json.loads(_record_file().read_bytes())
        if isinstance(record, dict):
            return {name: each for name, each in record.items() if isinstance(each, dict)}
    return {}


def _digest(value: str) -> str:
    """A hash of the value, which may contain a token."""
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()


def _is_outside(path: str, workspace: Workspace) -> bool:
    place = workspace.resolve_path(path).resolve()
    roots = (workspace.root, workspace.project_root)
    return not any(place.is_relative_to(root.resolve()) for root in roots)
