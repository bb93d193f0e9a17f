"""Who sends a request."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from pwtui.state.workspace import Workspace

Mode = Literal["exec", "batch"]


class Conversation(Protocol):
    """How an interactive operation reaches the person who started it."""

    def show(self, text: str) -> None: ...

    async def wait_for_enter(self) -> None: ...


class NoConversation:
    """For callers without a person: messages are dropped, and nothing is waited for."""

    def show(self, text: str) -> None:
        pass

    async def wait_for_enter(self) -> None:
        pass


@dataclass(frozen=True)
class Caller:
    """Who sends a request, and from where."""

    workspace: Workspace
    cwd: Path
    mode: Mode = "exec"
    profile: str | None = None
    artifacts_dir: Path | None = None
    verbosity: int = 0
    may_start: bool = True
    """False where no browser may be started."""
    impatient: bool = False
    """True for a person who types selectors: one that matches nothing fails early."""
    conversation: Conversation = field(default_factory=NoConversation)
