"""The complete `pw`, for commands that the fast path does not send to the daemon."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pwtui.cli.argument_parser import Stop
from pwtui.cli.command_table import KEYWORD_LINE
from pwtui.cli.lazy_metadata import use_no_plugins_of_pydantic
from pwtui.cli.parser import parse
from pwtui.protocol.printable import printable

if TYPE_CHECKING:
    from pwtui.cli.terminal import Terminal
    from pwtui.client.client import Client
    from pwtui.protocol.envelope import Request, Response
    from pwtui.runtime.caller import Caller

SILENT_SECONDS = 0.5
"""Delay before a start of the daemon is reported."""


def main(argv: Sequence[str] | None = None, *, leaves_daemon: bool = False) -> int:
    """Run a command line. `leaves_daemon`: start a daemon afterwards if it was missed."""
    use_no_plugins_of_pydantic()
    try:
        arguments = parse(sys.argv[1:] if argv is None else argv, os.environ)
        if arguments.in_foreground is not None:
            # Daemon and relay set up their own event loop and signal handlers.
            code: int = arguments.in_foreground(arguments)
            return code
        from pwtui.cli.run import run

        return run(lambda: _run(arguments, leaves_daemon), arguments.verbose)
    except Stop as stop:
        (sys.stderr if stop.code else sys.stdout).write(printable(stop.text))
        return stop.code


async def _run(arguments: argparse.Namespace, leaves_daemon: bool) -> int:
    from pwtui.cli.context import Context
    from pwtui.cli.terminal import RealTerminal
    from pwtui.client.client import Client
    from pwtui.client.spawn import leave_starting
    from pwtui.protocol.errors import IoError
    from pwtui.state.workspace import Workspace

    try:
        terminal = RealTerminal(pages=not arguments.no_pager)
    except FileNotFoundError:
        # The daemon can still be stopped: it needs no current folder.
        if not arguments.name_of_command.startswith("daemon"):
            raise IoError(
                "the current folder no longer exists", hint="change to another folder"
            ) from None
        terminal = RealTerminal(cwd=Path("/"), workspace=Workspace(Path("/")))
    client = Client(_client_name(arguments), idle=getattr(arguments, "idle_timeout", None))
    perform = partial(_perform, client, terminal, arguments)
    context = Context.of(arguments, terminal, perform, client)
    try:
        code: int = await arguments.command(arguments, context)
        return code
    finally:
        await client.close()
        if leaves_daemon and client.missed_daemon:
            leave_starting()


def _client_name(arguments: argparse.Namespace) -> str:
    name = arguments.name_of_command
    return f"pw {arguments.words[0] if name == KEYWORD_LINE else name}"


async def _perform(
    client: Client,
    terminal: Terminal,
    arguments: argparse.Namespace,
    request: Request,
    caller: Caller,
) -> Response:
    """Send a request; report on a terminal when the daemon has to start for it."""

    def report() -> None:
        if client.daemon.has_started_daemon:
            terminal.err("starting the daemon and the browser…")

    is_shown = terminal.errors_on_terminal and not arguments.quiet
    is_shown = is_shown and not client.daemon.has_started_daemon
    timer = asyncio.get_running_loop().call_later(SILENT_SECONDS, report) if is_shown else None
    try:
        return await client.perform(request, caller)
    finally:
        if timer is not None:
            timer.cancel()


if __name__ == "__main__":
    code = main()
    # While it exits, the interpreter would restore the default handler, which kills the process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)
