"""What every command is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pwtui.cli.output import Format, default_format, render
from pwtui.cli.terminal import Terminal
from pwtui.protocol.envelope import Request, Response
from pwtui.runtime.caller import Caller, Mode

OK, FAILED, USAGE = 0, 1, 2

Perform = Callable[[Request, Caller], Awaitable[Response]]


@dataclass(frozen=True)
class Context:
    """Where a command runs, and what carries its requests out."""

    terminal: Terminal
    perform: Perform
    verbosity: int = 0
    format: Format | None = None

    def caller(
        self,
        *,
        mode: Mode = "exec",
        profile: str | None = None,
        artifacts_dir: str | None = None,
    ) -> Caller:
        terminal = self.terminal
        return Caller(
            workspace=terminal.workspace,
            cwd=terminal.cwd,
            mode=mode,
            profile=profile,
            artifacts_dir=terminal.cwd / Path(artifacts_dir) if artifacts_dir is not None else None,
            verbosity=self.verbosity,
            conversation=terminal,
        )

    async def run(
        self, op: str, input: dict[str, Any] | None = None, *, profile: str | None = None
    ) -> int:
        """A command that is one operation."""
        request = Request(op=op, input=input or {})
        return self.show(await self.perform(request, self.caller(profile=profile)))

    def show(self, response: Response, *, format: Format | None = None) -> int:
        """Print a response; the exit code says whether it was ok."""
        chosen = format or self.format or default_format(is_tty=self.terminal.is_tty)
        write = self.terminal.out if chosen == "text" else self.terminal.data
        write(render(response, chosen))
        if self.verbosity:
            self._report(response)
        return OK if response.ok else FAILED

    def _report(self, response: Response) -> None:
        outcome = response.error.code if response.error else "ok"
        self.terminal.err(f"{response.op}: {outcome} in {response.duration_ms} ms")
        for note in response.diagnostics or ():
            self.terminal.err(f"  {note.level}: {note.message}")
