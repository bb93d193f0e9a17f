"""`pw convert`: write a recording in another format."""

from __future__ import annotations

from argparse import Namespace

from pwtui.cli.context import FAILED, OK, Context
from pwtui.cli.output import print_json
from pwtui.protocol.errors import PwError
from pwtui.recordings.formats import FORMATS, SUFFIXES, encode, format_of, load
from pwtui.state.files import write_text
from pwtui.state.paths import user_path


async def convert_command(arguments: Namespace, context: Context) -> int:
    terminal, source, output = context.terminal, arguments.source, arguments.output
    path = user_path(terminal.cwd, source)
    target = user_path(terminal.cwd, output) if output not in (None, "-") else None
    format = arguments.to or (format_of(target) if target else None)
    if format is None:
        return context.refuse(
            f"set the format with --to ({', '.join(FORMATS)}), or name an output that ends in "
            f"{', '.join(SUFFIXES)}"
        )
    if not path.is_file():
        return context.refuse(f"{source} is not a file")
    try:
        text, warnings = encode(load(path, arguments.variables), format)
        if target is not None:
            write_text(target, text, private=True)
    except PwError as error:
        terminal.err(f"pw convert: {error}")
        return FAILED
    report = {
        "format": format,
        **({"text": text} if target is None else {"path": str(target)}),
        "warnings": [{"line": line, "message": warning} for line, warning in warnings],
    }
    if print_json(context, report):
        return OK
    for line, warning in warnings:
        terminal.err(f"{source}:{line}: {warning}")
    if target is None:
        terminal.data(text.rstrip("\n"))
    return OK
