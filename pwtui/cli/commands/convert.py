"""`pw convert`: a recording in another format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pwtui.cli.context import FAILED, OK, USAGE, Context
from pwtui.protocol.errors import IoError, PwError
from pwtui.recordings.formats import FORMATS, SUFFIXES, Format, encode, format_of, load
from pwtui.state.files import write_atomic


class WrongUsage(Exception):
    """The command line makes no sense."""


async def convert_command(
    context: Context,
    *,
    source: str,
    output: str | None,
    to: Format | None,
    variables: Mapping[str, str],
) -> int:
    terminal = context.terminal
    path = terminal.cwd / Path(source).expanduser()
    target = terminal.cwd / Path(output).expanduser() if output not in (None, "-") else None
    format = to or (format_of(target) if target else None)
    try:
        if format is None:
            raise WrongUsage(
                f"say the format with --to ({', '.join(FORMATS)}), or name an output that ends in "
                f"{', '.join(SUFFIXES)}"
            )
        if not path.is_file():
            raise WrongUsage(f"{source} is no file")
    except WrongUsage as error:
        terminal.err(f"pw convert: {error}")
        return USAGE
    try:
        text, warnings = encode(load(path, variables), format)
        if target is not None:
            write_new(target, text, private=True)
    except PwError as error:
        terminal.err(f"pw convert: {error}")
        return FAILED
    for line, warning in warnings:
        terminal.err(f"{source}:{line}: {warning}")
    if target is None:
        terminal.data(text.rstrip("\n"))
    return OK


def write_new(path: Path, text: str, *, private: bool = False) -> None:
    try:
        write_atomic(path, text.encode("utf-8", "replace"), private=private)
    except OSError as error:
        raise IoError.of(f"write {path}", error) from error
