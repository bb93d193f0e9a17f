"""The sender of a request."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from pwtui.state.workspace import Workspace

Mode = Literal["exec", "batch"]


class Conversation(Protocol):
    """How an interactive operation communicates with the user."""

    def show(self, text: str) -> None: ...

    async def wait_for_enter(self) -> None: ...


class NoConversation:
    """For callers without a user: drops messages and does not wait."""

    def show(self, text: str) -> None:
        pass

    async def wait_for_enter(self) -> None:
        pass


class Caller(NamedTuple):
    """The sender of a request and its settings."""

    workspace: Workspace
    cwd: Path
    mode: Mode = "exec"
    profile: str | None = None
    artifacts_dir: Path | None = None
    verbosity: int = 0
    may_start: bool = True
    """False if no browser may be started."""
    impatient: bool = False
    """True for a user who types selectors: one without a match fails early."""
    conversation: Conversation = NoConversation()
