"""The context of a running operation. It does not load Playwright."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from pwtui.browser.page.deadline import Deadline
from pwtui.protocol.envelope import Artifact, ArtifactType, Diagnostic, Level
from pwtui.protocol.errors import IoError, UnsupportedMode
from pwtui.runtime.caller import Caller
from pwtui.runtime.resolve import Runtime
from pwtui.state.files import read_text, write_atomic
from pwtui.state.paths import user_path
from pwtui.state.profiles import Profile, Profiles

if TYPE_CHECKING:
    from pwtui.browser.launch.other_browsers import OtherBrowsers
    from pwtui.browser.session.pool import BrowserPool
    from pwtui.browser.spec import SessionSpec
    from pwtui.operations.admin.daemon import DaemonControl
    from pwtui.protocol.addresses import SessionKey
    from pwtui.protocol.models import SessionData


HoldAction = Literal["pause", "resume", "step"]


class SessionHolds(Protocol):
    """Holds the actions of other clients in a session."""

    async def change(
        self, action: HoldAction, name: str | None, caller: Caller, *, while_connected: bool
    ) -> tuple[SessionData, bool]:
        """Pause, resume or step a session: the session, and whether anything changed."""


class NoHolds:
    """For a process without a daemon, which has no other clients."""

    async def change(
        self, action: HoldAction, name: str | None, caller: Caller, *, while_connected: bool
    ) -> tuple[SessionData, bool]:
        raise UnsupportedMode(
            "only the daemon can hold the actions of other clients",
            hint="start it with `pw daemon start`",
        )


class OpenSessions(Protocol):
    """The sessions of all profiles, for operations that need none themselves."""

    @property
    def others(self) -> OtherBrowsers:
        """The browsers of other programs."""

    @property
    def holds(self) -> SessionHolds:
        """Holds the actions of other clients."""

    async def listed(self) -> list[SessionData]:
        """All that are open."""

    def is_starting(self, workspace_id: str, profile: str) -> bool:
        """Whether a session of the profile is being opened."""

    async def stop(self, keys: Collection[SessionKey], pid: int | None) -> bool:
        """Close sessions with these keys, only those of a browser process if one is given."""


class LazyPool:
    """The browsers of an executor; they and Playwright are loaded on first use."""

    def __init__(self, made: BrowserPool | None = None) -> None:
        self.made = made
        self.holds: SessionHolds = NoHolds()

    @cached_property
    def others(self) -> OtherBrowsers:
        from pwtui.browser.launch.other_browsers import OtherBrowsers

        return OtherBrowsers()

    def get(self) -> BrowserPool:
        if self.made is None:
            from pwtui.browser.session.pool import BrowserPool

            self.made = BrowserPool()
        return self.made

    async def close(self) -> None:
        if "others" in vars(self):
            self.others.close()
        if self.made is not None:
            await self.made.close()

    async def listed(self) -> list[SessionData]:
        return await self.made.described() if self.made is not None else []

    def is_starting(self, workspace_id: str, profile: str) -> bool:
        opening = self.made.opening if self.made is not None else ()
        return any(spec.key[:2] == (workspace_id, profile) for spec in opening)

    async def stop(self, keys: Collection[SessionKey], pid: int | None) -> bool:
        return self.made is not None and await self.made.stop(keys, pid)


@dataclass(eq=False, repr=False)
class Call:
    """The context of a running operation, and what it adds to the response besides data."""

    needs_session: ClassVar[bool] = False
    needs_page: ClassVar[bool] = False

    op: str
    caller: Caller
    runtime: Runtime
    profile: Profile
    profiles: Profiles
    browsers: LazyPool
    sessions: OpenSessions
    deadline: Deadline
    daemon: DaemonControl
    artifacts: list[Artifact] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    hidden_inputs: set[str] = field(default_factory=set)
    resolved_inputs: dict[str, Any] = field(default_factory=dict)
    """Replaces or adds to `inputs` in the response: durable locators for refs."""
    output: str | None = None

    def note(self, level: Level, message: str) -> None:
        self.diagnostics.append(Diagnostic(level=level, source=self.op, message=message))

    def report(self, verbosity: int, message: str) -> None:
        """Report progress to a caller with at least this verbosity (`-v`, `-vv`)."""
        if self.caller.verbosity >= verbosity:
            self.caller.conversation.show(f"{self.op}: {message}")

    def path(self, path: str) -> Path:
        """A path of the caller, relative to the caller's current folder."""
        return user_path(self.caller.cwd, path)

    @property
    def pool(self) -> BrowserPool:
        return self.browsers.get()

    def resolved_target(self) -> dict[str, str | None]:
        """The resolved URL and selector."""
        return {}

    def read_text(self, file: str) -> str:
        return read_text(self.path(file))

    def session_spec(self, runtime: Runtime | None = None) -> SessionSpec:
        from pwtui.browser.spec import SessionSpec

        return SessionSpec.of(runtime or self.runtime, self.caller.workspace)

    def save_artifact(
        self, kind: ArtifactType, path: str, data: bytes, *, private: bool = False
    ) -> Path:
        """Write a file of the caller, and list it in the response."""
        target = self.path(path)
        try:
            write_atomic(target, data, private=private)
        except OSError as error:
            raise IoError.of(f"write {target}", error) from error
        self.artifacts.append(Artifact(type=kind, path=str(target), size_bytes=len(data)))
        return target
