"""Workspaces, their folders, and profile names."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pwtui.protocol.addresses import SessionKey
from pwtui.protocol.errors import InvalidInput
from pwtui.state.layout import PROFILES_FOLDER, STATE_FOLDER
from pwtui.state.paths import user_path
from pwtui.state.siphash import hash_text

if TYPE_CHECKING:
    from pwtui.protocol.envelope import BrowserName

DEFAULT_PROFILE = "default"
FIRST_PORT, PORT_COUNT = 9222, 1000
MAX_PROFILE_NAME = 120

_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9._-]")


@lru_cache(maxsize=256)
def normalise_profile_name(raw: str) -> str:
    """The name as a safe folder name: `prod/team A` becomes `prod-team-A`."""
    name = _NOT_ALLOWED.sub("-", raw).strip("-")
    hint = None
    if not name:
        problem = f"profile name {raw!r} is not allowed"
        hint = "use letters, digits, '.', '_' and '-'"
    elif name in (".", ".."):
        problem = f"profile name {raw!r} is not allowed: it is outside the profiles folder"
    elif len(name) > MAX_PROFILE_NAME:
        problem = f"profile name is too long: {len(name)} characters, at most {MAX_PROFILE_NAME}"
    else:
        return name
    raise InvalidInput(problem, hint=hint, details={"profile": raw})


def name_changed(given: str, name: str) -> str:
    """The warning that a profile name was normalised."""
    return f"profile {given!r} is stored as {name!r}: names have letters, digits, '.', '_' and '-'"


@dataclass(frozen=True)
class Workspace:
    """A folder and the state in it. The constructor does not access the disk."""

    root: Path

    @classmethod
    def locate(cls, explicit: str | Path | None = None) -> Workspace:
        """The given folder, else `PW_WORKSPACE_ROOT`, else the current folder."""
        chosen = explicit or os.environ.get("PW_WORKSPACE_ROOT") or "."
        return cls(Path(chosen).resolve())

    @cached_property
    def id(self) -> str:
        return f"{hash_text(str(self.root)):016x}"

    @property
    def state_dir(self) -> Path:
        return self.root / STATE_FOLDER

    @property
    def profiles_dir(self) -> Path:
        return self.root / PROFILES_FOLDER

    @property
    def deleted_dir(self) -> Path:
        """Deleted profiles, which can be restored for a while."""
        return self.state_dir / "deleted"

    @property
    def locks_dir(self) -> Path:
        return self.state_dir / "locks"

    @cached_property
    def project_root(self) -> Path:
        """The nearest parent folder with a Playwright config, else the workspace.

        Relative paths in a profile (auth file, HAR, downloads) are relative to it.
        """
        for folder in (self.root, *self.root.parents):
            if any((folder / f"playwright.config.{ext}").is_file() for ext in ("ts", "js")):
                return folder
        return self.root

    def resolve_path(self, path: str) -> Path:
        """A path of a profile or an override, with `~` expanded, relative to the project."""
        return user_path(self.project_root, path)

    def profile_id(self, profile: str) -> str:
        return f"{self.id}:{profile}"

    def session_key(self, profile: str, browser: BrowserName, *, headless: bool) -> SessionKey:
        return SessionKey(self.id, profile, browser, headless)

    def default_port(self, profile: str) -> int:
        """The default debugging port of this profile."""
        return default_port(self.profile_id(profile))


def default_port(profile_id: str) -> int:
    return FIRST_PORT + hash_text(profile_id) % PORT_COUNT
