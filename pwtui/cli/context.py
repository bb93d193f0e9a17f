"""The context of a command: terminal, client, and how responses are printed."""

from __future__ import annotations

import argparse
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pwtui.cli.argument_parser import Parser, Stop
from pwtui.cli.options import OutputFormat
from pwtui.cli.output import PathNotFound, as_text, value_at
from pwtui.cli.terminal import Terminal
from pwtui.protocol.envelope import Overrides, Request, Response, RuntimeBlock
from pwtui.runtime.caller import Caller, Mode
from pwtui.state.paths import user_path
from pwtui.state.workspace import Workspace

if TYPE_CHECKING:
    from pwtui.client.client import Client

OK, FAILED, USAGE = 0, 1, 2

_QUOTED = re.compile(r"`(profile|session|daemon)\.(\w+)`")

Perform = Callable[[Request, Caller], Awaitable[Response]]


def as_commands(text: str) -> str:
    """A hint with commands instead of the operations that it quotes."""
    return _QUOTED.sub(r"`pw \1 \2`", text).replace("`ops.list`", "`pw ops`")


class Context(NamedTuple):
    """Runs the requests of a command and prints their responses."""

    terminal: Terminal
    perform: Perform
    arguments: argparse.Namespace
    client: Client | None = None
    """None where the daemon runs the command."""

    @classmethod
    def of(
        cls,
        arguments: argparse.Namespace,
        terminal: Terminal,
        perform: Perform,
        client: Client | None = None,
    ) -> Self:
        terminal.color = arguments.color
        if arguments.workspace is not None:
            folder = user_path(terminal.cwd, arguments.workspace)
            if not folder.is_dir():
                raise Stop(2, f"pw: --workspace: {arguments.workspace} is not a folder\n")
            terminal.workspace = Workspace(folder.resolve())
        return cls(terminal, perform, arguments, client)

    @property
    def format(self) -> OutputFormat | None:
        """The requested format; None without one."""
        format: OutputFormat | None = self.arguments.format
        return format

    def caller(self, *, mode: Mode = "exec", profile: str | None = None) -> Caller:
        terminal, artifacts = self.terminal, self.arguments.artifacts_dir
        return Caller(
            workspace=terminal.workspace,
            cwd=terminal.cwd,
            mode=mode,
            profile=profile,
            artifacts_dir=terminal.cwd / Path(artifacts) if artifacts is not None else None,
            verbosity=self.arguments.verbose,
            conversation=terminal,
        )

    def with_options(self, request: Request) -> Request:
        """Apply --browser and --timeout to a request that does not set them."""
        return with_overrides(request, {"browser": self.arguments.browser, **self.timeout})

    @property
    def timeout(self) -> dict[str, int]:
        """The override for --timeout."""
        seconds: float | None = self.arguments.timeout
        return {} if seconds is None else {"timeout_ms": round(seconds * 1000)}

    async def run(
        self, op: str, input: dict[str, Any] | None = None, *, profile: str | None = None
    ) -> int:
        """Run a command that is one operation."""
        request = Request(op=op, input=input or {})
        return self.show(await self.perform(request, self.caller(profile=profile)))

    def refuse(self, problem: object) -> int:
        """Report wrong usage together with the usage of the command."""
        parser: Parser = self.arguments.parser
        self.terminal.err(f"{parser.format_usage()}{parser.prog}: error: {problem}")
        return USAGE

    def show(
        self,
        response: Response,
        *,
        format: OutputFormat | None = None,
        advice: Callable[[str], str] = as_commands,
        paged: bool = True,
    ) -> int:
        """Print a response; the exit code says whether it was ok.

        `advice` rewrites hints, for example from operations to keywords.
        """
        terminal, quiet = self.terminal, self.arguments.quiet
        chosen = format or self.format or self._default_format()
        code = OK if response.ok else FAILED
        if self.arguments.get is not None:
            chosen, code = "text", self._show_value(response, code)
        elif chosen == "text":
            text = as_text(response, terminal.columns or None)
            if text and not (quiet and text == "ok"):
                (terminal.page if paged else terminal.out)(text)
        elif paged and terminal.is_tty:
            terminal.page(response.to_json(indent=2 if chosen == "json" else None))
        else:
            terminal.data(response.to_json(indent=2 if chosen == "json" else None))
        self._show_remarks(response, chosen, advice)
        return code

    def _show_value(self, response: Response, code: int) -> int:
        path: str = self.arguments.get
        try:
            self.terminal.data(value_at(response.to_wire(), path))
        except PathNotFound as error:
            if response.ok:
                self.terminal.err(f"pw: --get {path}: {error}")
            return FAILED
        return code

    def _default_format(self) -> OutputFormat:
        if not self.terminal.is_tty:
            return "ndjson"
        return "text" if self.arguments.for_people else "json"

    def _show_remarks(
        self, response: Response, format: OutputFormat, advice: Callable[[str], str]
    ) -> None:
        """Print the error and the diagnostics of a response to stderr, unless stdout has them."""
        terminal, verbosity = self.terminal, self.arguments.verbose
        if verbosity:
            outcome = response.error.code if response.error else "ok"
            terminal.err(f"{response.op}: {outcome} in {response.duration_ms} ms")
        is_text = format == "text"
        if not (is_text or verbosity or terminal.is_tty):
            return
        from pwtui.repl.render import error_text, notes

        if is_text and (error := error_text(response, advice)):
            terminal.err(error, style="red")
        if not self.arguments.quiet:
            for note in notes(response, advice):
                terminal.err(note, style="yellow" if note.startswith("warning") else None)


def with_overrides(request: Request, given: Mapping[str, Any]) -> Request:
    """The request with these overrides, where it does not set them itself."""
    overrides = request.overrides or Overrides()
    missing = {
        name: value
        for name, value in given.items()
        if value is not None and getattr(overrides, name) is None
    }
    if not missing:
        return request
    runtime = RuntimeBlock(profile=request.profile, overrides=overrides.model_copy(update=missing))
    return request.model_copy(update={"runtime": runtime})
