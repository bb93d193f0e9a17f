"""What every command is given."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pwtui.cli.output import as_text
from pwtui.cli.parser import OutputFormat
from pwtui.cli.terminal import Terminal
from pwtui.protocol.envelope import Request, Response
from pwtui.runtime.caller import Caller, Mode

if TYPE_CHECKING:
    from pwtui.client.client import Client

OK, FAILED, USAGE = 0, 1, 2

Perform = Callable[[Request, Caller], Awaitable[Response]]


@dataclass(frozen=True)
class Context:
    """Where a command runs, and what carries its requests out."""

    terminal: Terminal
    perform: Perform
    client: Client | None = None
    """None where the daemon runs the command."""
    verbosity: int = 0
    format: OutputFormat | None = None
    for_people: bool = False
    """Whether a terminal gets text where no format was asked for."""

    @classmethod
    def of(
        cls,
        arguments: argparse.Namespace,
        terminal: Terminal,
        perform: Perform,
        client: Client | None = None,
    ) -> Self:
        for_people = getattr(arguments, "for_people", False)
        return cls(terminal, perform, client, arguments.verbose, arguments.format, for_people)

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

    def show(self, response: Response, *, format: OutputFormat | None = None) -> int:
        """Print a response; the exit code says whether it was ok."""
        terminal = self.terminal
        chosen = format or self.format or self._default_format()
        if chosen == "text":
            data = as_text(response, terminal.columns or None)
            if data:
                terminal.out(data)
        else:
            terminal.data(response.to_json(indent=2 if chosen == "json" else None))
        said = self._said(response, chosen)
        if said:
            terminal.err(said)
        return OK if response.ok else FAILED

    def _default_format(self) -> OutputFormat:
        if not self.terminal.is_tty:
            return "ndjson"
        return "text" if self.for_people else "json"

    def _said(self, response: Response, format: OutputFormat) -> str:
        """What goes to stderr beside the response."""
        lines = []
        if self.verbosity:
            outcome = response.error.code if response.error else "ok"
            lines.append(f"{response.op}: {outcome} in {response.duration_ms} ms")
        if format == "text":
            from pwtui.repl.render import remarks

            lines.append(remarks(response))
        elif self.verbosity or self.terminal.is_tty:
            from pwtui.repl.render import notes

            lines.append(notes(response))
        return "\n".join(filter(None, lines))
