"""The whole `pw`, for what the fast path does not hand over."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pwtui.cli.parser import Stop, parser
from pwtui.protocol.printable import printable


def main(argv: Sequence[str] | None = None, *, leaves_daemon: bool = False) -> int:
    """Run a command line; `leaves_daemon` starts a daemon after one that had to do without."""
    # Searching what is imported for garbage takes a fifth of the start, and plugins of pydantic,
    # which are looked for among all that is installed, a twentieth.
    gc.set_threshold(100_000, 20, 20)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        arguments = parser().parse_args(argv)
    except Stop as stop:
        (sys.stderr if stop.code else sys.stdout).write(printable(stop.text))
        return stop.code
    if (serve := getattr(arguments, "in_foreground", None)) is not None:
        # Daemon and relay have a loop and signal handlers of their own.
        code: int = serve(arguments)
        return code
    from pwtui.cli.run import run

    return run(lambda: _carry_out(arguments, leaves_daemon), arguments.verbose)


async def _carry_out(arguments: argparse.Namespace, leaves_daemon: bool) -> int:
    from pwtui.cli.context import Context
    from pwtui.cli.terminal import RealTerminal
    from pwtui.client.client import Client
    from pwtui.client.start import leave_starting
    from pwtui.protocol.errors import IoError
    from pwtui.state.workspace import Workspace

    try:
        terminal = RealTerminal()
    except FileNotFoundError:
        # The daemon can still be asked and stopped: it knows no current folder.
        if not arguments.name_of_command.startswith("daemon"):
            raise IoError(
                "the current folder does not exist any more", hint="change to another"
            ) from None
        terminal = RealTerminal(cwd=Path("/"), workspace=Workspace(Path("/")))
    idle = getattr(arguments, "idle_timeout", None)
    client = Client(f"pw {arguments.name_of_command}", idle=idle)
    context = Context.of(arguments, terminal, client.perform, client)
    try:
        code: int = await arguments.command(arguments, context)
        return code
    finally:
        await client.close()
        if leaves_daemon and client.missed_daemon:
            leave_starting()


if __name__ == "__main__":
    sys.exit(main())
