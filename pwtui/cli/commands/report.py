"""`pw report merge`: one report of several."""

from __future__ import annotations

from argparse import Namespace

from pwtui.cli.context import FAILED, OK, Context
from pwtui.protocol.errors import PwError
from pwtui.recordings.merge import merged_reports
from pwtui.state.files import write_text
from pwtui.state.paths import user_path


async def merge_command(arguments: Namespace, context: Context) -> int:
    terminal = context.terminal
    try:
        text = merged_reports(user_path(terminal.cwd, name) for name in arguments.reports)
        if arguments.output is not None:
            write_text(user_path(terminal.cwd, arguments.output), text)
    except PwError as error:
        terminal.err(f"pw report merge: {error}")
        return FAILED
    if arguments.output is None:
        terminal.data(text.rstrip("\n"))
    return OK
