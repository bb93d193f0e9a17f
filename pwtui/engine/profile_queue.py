"""The queue of one profile: its requests run in order and share a cached runtime."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING

from pwtui.protocol.envelope import Diagnostic, Overrides
from pwtui.protocol.errors import with_hint
from pwtui.runtime.resolve import Runtime, resolve_runtime
from pwtui.state.config import ProfileConfig
from pwtui.state.profiles import Profile, Profiles
from pwtui.state.workspace import DEFAULT_PROFILE, Workspace, name_changed

if TYPE_CHECKING:
    from pwtui.browser.spec import SessionSpec


class Resolved:
    """The effective runtime of a request, and the session that it needs."""

    def __init__(self, runtime: Runtime, workspace: Workspace) -> None:
        self.runtime = runtime
        self.effective = runtime.effective()
        self._workspace = workspace

    @cached_property
    def spec(self) -> SessionSpec:
        from pwtui.browser.spec import SessionSpec

        return SessionSpec.of(self.runtime, self._workspace)


class ProfileQueue:
    """The queue and the cached runtime of one profile."""

    def __init__(self, workspace: Workspace, profile: str) -> None:
        self.profiles = Profiles(workspace)
        self.lock = asyncio.Lock()
        self.profile = profile
        self._last: tuple[ProfileConfig, Resolved] | None = None

    def load(self) -> Profile:
        return self.profiles.load(self.profile)

    def about_name(self, given: str | None) -> list[Diagnostic]:
        """A notice if the named profile is new, or is stored under another name."""
        name, said = self.profile, []
        if given is not None and given != name:
            said.append(name_changed(given, name))
        if name != DEFAULT_PROFILE and not self.profiles.exists(name):
            new = f"profile {name!r} does not exist yet; it is created on first use"
            said.append(with_hint(new, self.profiles.suggest(name)))
        return [Diagnostic(level="warning", source="profile", message=each) for each in said]

    def resolve(self, overrides: Overrides | None, config: ProfileConfig) -> Resolved:
        """The runtime; cached unless the request has overrides or the profile has changed."""
        if overrides is None and self._last is not None and self._last[0] is config:
            return self._last[1]
        workspace = self.profiles.workspace
        resolved = Resolved(resolve_runtime(self.profile, overrides, config, workspace), workspace)
        if overrides is None:
            self._last = (config, resolved)
        return resolved
