"""The command line of `pw`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from pwtui import __version__
from pwtui.cli.execute import FAILED, OK, batch_command, exec_command
from pwtui.cli.output import FORMATS, default_format, show
from pwtui.cli.profile import edit_command
from pwtui.cli.run import caller, executor, run
from pwtui.protocol.envelope import Request

Command = Callable[[], Coroutine[Any, Any, int]]


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    command: Command = arguments.command(arguments)
    return run(command, arguments.verbose)


def _exec(arguments: argparse.Namespace) -> Command:
    return lambda: exec_command(
        op=arguments.op,
        input=arguments.input,
        file=arguments.file,
        profile=arguments.profile,
        artifacts_dir=arguments.artifacts_dir,
        format=arguments.format or default_format(),
        verbosity=arguments.verbose,
    )


def _batch(arguments: argparse.Namespace) -> Command:
    return lambda: batch_command(
        profile=arguments.profile,
        artifacts_dir=arguments.artifacts_dir,
        format=arguments.format or "ndjson",
        verbosity=arguments.verbose,
    )


def _edit(arguments: argparse.Namespace) -> Command:
    return lambda: edit_command(
        arguments.name,
        format=arguments.format or default_format(),
        verbosity=arguments.verbose,
    )


def _operation(op: str, *fields: str) -> Callable[[argparse.Namespace], Command]:
    """A command that is one operation; the named arguments are its input."""

    def command(arguments: argparse.Namespace) -> Command:
        async def execute() -> int:
            given = {field: getattr(arguments, field) for field in fields}
            async with executor(arguments.verbose) as running:
                response = await running.execute(Request(op=op, input=given), caller())
                show(response, arguments.format or default_format())
            return OK if response.ok else FAILED

        return execute

    return command


def _ops(arguments: argparse.Namespace) -> Command:
    known = _operation("ops.list") if arguments.op is None else _operation("ops.describe", "op")
    return known(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pw",
        description="Drive browsers with v5 envelopes. Data goes to stdout, the rest to stderr.",
        epilog="Exit codes: 0 ok, 1 not ok, 2 wrong usage.",
    )
    parser.add_argument("--version", action="version", version=f"pw {__version__}")
    parser.set_defaults(verbose=0, format=None)
    common = _common_options()
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("exec", parents=[common], help="run one operation")
    command.add_argument("op", nargs="?", metavar="OP", help="operation id, see `pw ops`")
    source = command.add_mutually_exclusive_group()
    source.add_argument("--input", metavar="JSON", help="the input: JSON, @file, or - for stdin")
    source.add_argument("--file", metavar="FILE", help="a whole envelope instead; - for stdin")
    command.add_argument("--profile", metavar="NAME", help="profile to run with")
    command.add_argument("--artifacts-dir", metavar="DIR", help="keep what a failure looked like")
    command.set_defaults(command=_exec)

    command = commands.add_parser("batch", parents=[common], help="run NDJSON envelopes from stdin")
    command.add_argument("--profile", metavar="NAME", help="profile of requests that name none")
    command.add_argument("--artifacts-dir", metavar="DIR", help="keep what failures looked like")
    command.set_defaults(command=_batch)

    profile = commands.add_parser("profile", help="list, show, set, edit and delete profiles")
    actions = profile.add_subparsers(required=True, metavar="ACTION")
    command = actions.add_parser("list", parents=[common], help="list the profiles")
    command.set_defaults(command=_operation("profile.list"))
    command = actions.add_parser("show", parents=[common], help="show a profile's config")
    command.add_argument("name")
    command.set_defaults(command=_operation("profile.show", "name"))
    command = actions.add_parser("set", parents=[common], help="replace a profile's config")
    command.add_argument("name")
    command.add_argument("--file", required=True, help="the new config as JSON")
    command.set_defaults(command=_operation("profile.set", "name", "file"))
    command = actions.add_parser("edit", parents=[common], help="edit a config in $EDITOR")
    command.add_argument("name")
    command.set_defaults(command=_edit)
    command = actions.add_parser("delete", parents=[common], help="delete a profile")
    command.add_argument("name")
    command.set_defaults(command=_operation("profile.delete", "name"))

    command = commands.add_parser("ops", parents=[common], help="list operations, or describe one")
    command.add_argument("op", nargs="?", metavar="OP")
    command.set_defaults(command=_ops)
    return parser


def _common_options() -> argparse.ArgumentParser:
    # SUPPRESS: an option that is not given must not reset what stood before the subcommand.
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("-v", "--verbose", action="count", help="tell on stderr what happens")
    common.add_argument(
        "-f", "--format", choices=FORMATS, help="json on a terminal, ndjson (one line) otherwise"
    )
    return common


if __name__ == "__main__":
    sys.exit(main())
