"""How the commands of `pw` get actions, and which function runs them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Awaitable, Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pwtui.cli.argument_parser import Parser
from pwtui.cli.options import OUTPUT, add_common
from pwtui.state.paths import user_path

if TYPE_CHECKING:
    from pwtui.cli.context import Context

Arguments = argparse.Namespace
Command = Callable[[Arguments, "Context"], Awaitable[int]]
Actions: TypeAlias = "argparse._SubParsersAction[Parser]"


def add_group(group: Parser) -> Actions:
    """Add actions to a command; without an action, its help is printed with exit code 2."""

    async def show_actions(arguments: Arguments, context: Context) -> int:
        context.terminal.err(group.format_help().rstrip("\n"))
        return 2

    group.set_defaults(command=show_actions, for_people=True)
    return group.add_subparsers(
        title="actions", metavar="ACTION", dest="action", parser_class=Parser
    )


def add_foreground(command: Parser, path: str) -> None:
    command.add_argument(
        "--foreground",
        action="store_const",
        const=partial(_call, path),
        dest="in_foreground",
        help="stay in this terminal",
    )


def add_action(
    actions: Actions,
    name: str,
    help: str,
    run: str | Command,
    *,
    output: tuple[str, ...] = OUTPUT,
) -> Parser:
    command = actions.add_parser(name, help=help)
    command.set_defaults(parser=command)
    add_common(command, *output)
    command.set_defaults(command=imported(run) if isinstance(run, str) else run)
    return command


def add_operation(actions: Actions, op: str, *inputs: str, **options: str) -> Parser:
    """Add a command that is one operation.

    Its arguments are fields of the operation's input; `options` are fields that an option sets.
    """
    from pwtui.protocol.catalog import catalog

    fields = {**dict(zip(inputs, inputs, strict=True)), **options}

    async def run(arguments: Arguments, context: Context) -> int:
        input = {field: getattr(arguments, name) for field, name in fields.items()}
        takes_profile = "--profile" in command.visible_options()
        profile = arguments.profile if takes_profile else None
        return await context.run(op, input, profile=profile)

    info = catalog()[op]
    command = add_action(actions, op.partition(".")[2], _as_help(info.summary), run)
    for name in inputs:
        about = info.input["properties"][name]["description"]
        command.add_argument(name, metavar=name.upper(), help=_as_help(about))
    return command


def _as_help(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:].rstrip(".")


def imported(path: str) -> Command:
    """A command that is implemented by a function in `pwtui.cli.commands`."""

    async def run(arguments: Arguments, context: Context) -> int:
        from pwtui.protocol.errors import PwError

        if "--var" in arguments.parser.visible_options():
            try:
                arguments.variables = _variables(arguments, context.terminal.cwd)
            except PwError as error:
                return context.refuse(error)
        code: int = await _call(f"pwtui.cli.commands.{path}", arguments, context=context)
        return code

    return run


def _call(path: str, arguments: Arguments, **known: Any) -> Any:
    """Call a function with the arguments that it names."""
    from inspect import signature

    module, _, name = path.partition(":")
    function = getattr(import_module(module), name)
    known |= {**vars(arguments), "arguments": arguments}
    return function(**{name: known[name] for name in signature(function).parameters})


def _variables(arguments: Arguments, cwd: Path) -> dict[str, str]:
    from pwtui.recordings.variables import ENVIRONMENT_PREFIX, read_variables

    environment = dict(os.environ)
    if arguments.name_of_command == "convert":
        # Its output is saved, so only variables named on the command line are filled in.
        for name in os.environ:
            if name.startswith(ENVIRONMENT_PREFIX):
                del environment[name]
    files = [user_path(cwd, name) for name in arguments.var_file or ()]
    return read_variables(arguments.var or [], files, environment)
