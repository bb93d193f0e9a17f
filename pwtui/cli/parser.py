"""The arguments of `pw`.

Only the standard library is loaded here, and a command's own arguments are added when it is used:
`pw --help` and a daemon that parses for its clients should be quick.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Awaitable, Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, get_args

from pwtui import __version__

if TYPE_CHECKING:
    from pwtui.cli.context import Context

OutputFormat = Literal["json", "ndjson", "text"]
Arguments = argparse.Namespace
Command = Callable[[Arguments, "Context"], Awaitable[int]]


class Stop(Exception):
    """Parsing ends here: help was asked for, or the usage is wrong."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class Parser(argparse.ArgumentParser):
    """Raises instead of printing and exiting, as a daemon parses for its clients."""

    def __init__(self, *, fill: Callable[[Parser], None] | None = None, **options: Any) -> None:
        # An abbreviated option would be understood by some versions, and not by the next one.
        super().__init__(**{"allow_abbrev": False, **options})
        self._fill = fill

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if (fill := self._fill) is not None:
            self._fill = None
            fill(self)
        return super().parse_known_args(args, namespace)

    def add_actions(self) -> Actions:
        return self.add_subparsers(required=True, metavar="ACTION", parser_class=Parser)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Stop(status, message or "")

    def error(self, message: str) -> NoReturn:
        raise Stop(2, f"{self.format_usage()}{self.prog}: error: {message}\n")

    def print_help(self, file: object = None) -> None:
        raise Stop(0, self.format_help())


Actions: TypeAlias = "argparse._SubParsersAction[Parser]"


class _ShowVersion(argparse.Action):
    def __call__(self, *_: object) -> NoReturn:
        raise Stop(0, f"pw {__version__}\n")


@cache
def parser() -> Parser:
    root = Parser(
        prog="pw",
        description="Drive browsers from a terminal. Data goes to stdout, the rest to stderr.",
        epilog="Exit codes: 0 ok, 1 not ok, 2 wrong usage.",
    )
    _add_common(root)
    root.add_argument(
        "-V", "--version", action=_ShowVersion, nargs=0, help="show the version and exit"
    )
    root.set_defaults(verbose=0, format=None)
    commands = root.add_subparsers(
        required=True, metavar="COMMAND", dest="name_of_command", parser_class=Parser
    )
    for name, help, fill in (
        ("exec", "run one operation", _exec),
        ("batch", "run NDJSON envelopes from stdin", _batch),
        ("repl", "drive a browser with keywords, at a prompt or from a pipe", _repl),
        ("replay", "replay recordings, each in its own browser", _replay),
        ("convert", "write a recording in another format", _convert),
        ("profile", "list, create, copy, rename and edit profiles", _profile),
        ("session", "list, start, show and stop browsers", _session),
        ("daemon", "start, stop and inspect the background process", _daemon),
        ("relay", "let Playwright use your own browser through an extension", _relay),
        ("doctor", "diagnose and fix problems", _doctor),
        ("install", "download a browser that Playwright provides", _install),
        ("ops", "list operations, or describe one", _ops),
    ):
        commands.add_parser(name, help=help, fill=fill)
    return root


def _exec(command: Parser) -> None:
    _add_common(command)
    command.add_argument("op", nargs="?", metavar="OP", help="operation id, see `pw ops`")
    source = command.add_mutually_exclusive_group()
    source.add_argument(
        "--input",
        metavar="JSON",
        help="the input: JSON, @file, or - for stdin; use - for secrets, `ps` shows arguments",
    )
    source.add_argument("--file", metavar="FILE", help="a whole envelope instead; - for stdin")
    command.add_argument("--profile", metavar="NAME", help="profile to run with")
    _add_artifacts(command)
    command.set_defaults(command=_imported("execute:exec_command"))


def _batch(command: Parser) -> None:
    _add_common(command)
    _add_variables(command)
    command.add_argument("--profile", metavar="NAME", help="profile of requests that name none")
    _add_artifacts(command)
    command.add_argument("--fail-fast", action="store_true", help="stop after a line that failed")
    command.set_defaults(command=_imported("execute:batch_command"))


def _repl(command: Parser) -> None:
    command.description = (
        "Lines come from the prompt, from -c, or from a pipe. See docs/keywords.md."
    )
    command.add_argument(
        "-c", dest="commands", action="append", default=[], metavar="LINE", help="run it and exit"
    )
    command.add_argument("-s", "--session", metavar="NAME", help='profile to use ("default")')
    command.add_argument("--headed", action="store_true", help="start a browser with a window")
    command.add_argument("--browser", choices=("chromium", "firefox", "webkit"))
    command.add_argument(
        "--attach-cli",
        action="store_true",
        help="drive a running session of Playwright's own CLI instead",
    )
    command.set_defaults(command=_imported("repl:repl_command"))


def _replay(command: Parser) -> None:
    _add_variables(command)
    command.add_argument("files", nargs="+", metavar="FILE", help=".pw, .ndjson, .py, or a folder")
    command.add_argument("--step", action="store_true", help="wait for Enter before each step")
    command.add_argument("--headed", action="store_true", help="in a browser with a window")
    command.add_argument("--keep-going", action="store_true", help="continue after a failed step")
    command.add_argument(
        "--compare", action="store_true", help="report where responses differ from recorded ones"
    )
    command.add_argument(
        "--report", action="append", default=[], metavar="FILE", help="write .xml (JUnit) or .html"
    )
    command.add_argument("--profile", metavar="NAME", help="with this profile's config and logins")
    command.add_argument(
        "--allow-code",
        action="store_true",
        help="allow run-code, local pages, and files outside the recording's folder",
    )
    command.add_argument("--timeout", type=int, metavar="MS", help="for each step that has none")
    _add_artifacts(command, " (pw-replay)")
    command.set_defaults(command=_imported("replay:replay_command"))


def _convert(command: Parser) -> None:
    _add_variables(command)
    command.add_argument("source", metavar="IN", help=".pw, .ndjson, or a generated .py")
    command.add_argument("output", nargs="?", metavar="OUT", help="file; stdout without it")
    command.add_argument("--to", choices=("pw", "ndjson", "pytest"), help="format of the output")
    command.set_defaults(command=_imported("convert:convert_command"))


def _profile(group: Parser) -> None:
    group.set_defaults(for_people=True)
    actions = group.add_actions()
    _add_operation(actions, "profile.list")
    _add_operation(actions, "profile.show", "name").set_defaults(for_people=False)
    _add_operation(actions, "profile.create", "name")
    _add_operation(actions, "profile.copy", "name", "to")
    _add_operation(actions, "profile.rename", "name", "to")
    _add_operation(actions, "profile.set", "name", "--file")
    edit = _add_action(actions, "edit", "edit a config in $EDITOR", "profile:edit_command")
    edit.add_argument("name")
    _add_operation(actions, "profile.trust", "name")
    _add_operation(actions, "profile.delete", "name")


def _session(group: Parser) -> None:
    group.set_defaults(for_people=True)
    actions = group.add_actions()
    _add_operation(actions, "session.list")
    start = _add_operation(actions, "session.start", "--headful")
    others = [_add_operation(actions, f"session.{name}") for name in ("status", "stop", "clear")]
    for command in (start, *others):
        command.add_argument("--profile", metavar="NAME", help="profile of the session")


def _daemon(group: Parser) -> None:
    group.set_defaults(for_people=True)
    actions = group.add_actions()
    start = _add_operation(actions, "daemon.start")
    _add_foreground(start, "pwtui.client.start:serve_in_foreground")
    start.add_argument(
        "--idle-timeout",
        type=float,
        metavar="SECONDS",
        help="shut down after SECONDS without clients (0: never)",
    )
    _add_operation(actions, "daemon.stop")
    _add_operation(actions, "daemon.status")
    _add_action(actions, "restart", "stop, then start", "daemon:restart_command")
    logs = _add_action(actions, "logs", "show its log", "daemon:logs_command")
    logs.add_argument("-n", "--lines", type=int, default=50, help="how many lines")
    logs.add_argument("--follow", action="store_true", help="print new lines as they come")


def _relay(group: Parser) -> None:
    from pwtui.state.relay_records import DEFAULT_PORT

    actions = group.add_actions()

    def add(name: str, help: str) -> Parser:
        command = _add_action(actions, name, help, f"relay:{name}_command")
        command.add_argument("--json", action="store_true", help="as JSON")
        command.add_argument(
            "--port", type=port_number, default=DEFAULT_PORT, help="its port (%(default)s)"
        )
        return command

    start = add("start", "start it, unless it runs")
    start.add_argument(
        "--separate-window",
        action=argparse.BooleanOptionalAction,
        help="open tabs in a window of their own",
    )
    _add_foreground(start, "pwtui.cli.commands.relay:serve_relay")
    add("stop", "stop it, and close the browser that `open` started")
    add("status", "show browsers, tabs and clients")
    trace = add("trace", "show the connection progress of each client")
    trace.add_argument("--follow", action="store_true", help="print events as they happen")
    add("extension", "show where the extension is, and how to load it")
    open = add("open", "start a browser that has the extension")
    open.add_argument("url", nargs="?", metavar="URL", help="the first page")
    open.add_argument("--headless", action="store_true", help="without a window")
    token = _add_action(actions, "token", "print the access token", "relay:token_command")
    token.add_argument("--new", action="store_true", help="replace it, and disconnect all clients")


def _doctor(command: Parser) -> None:
    command.usage = (
        "pw doctor [-h] [-v] [-f FORMAT] [--fix]\n"
        "       pw doctor cdp [-h] [-v] [-f FORMAT] [--timeout SECONDS] URL"
    )
    _add_common(command)
    command.add_argument("--fix", action="store_true", help="repair what is safe to repair")
    command.set_defaults(command=_imported("doctor:doctor_command"))
    actions = command.add_subparsers(prog="pw doctor", metavar="cdp", parser_class=Parser)
    help = "why a CDP endpoint hangs: the seven steps, with times"
    cdp = _add_action(actions, "cdp", help, "doctor_cdp:doctor_cdp_command")
    cdp.add_argument("url", metavar="URL", help="http(s):// or ws(s)://")
    cdp.add_argument(
        "--timeout", type=_seconds, default=10.0, metavar="SECONDS", help="how long to wait (10)"
    )
    cdp.add_argument(
        "--header",
        dest="headers",
        action="append",
        default=[],
        metavar="'NAME: VALUE'",
        help="send a header, such as Authorization; @FILE reads them from a file",
    )


def _install(command: Parser) -> None:
    command.add_argument(
        "browser",
        nargs="?",
        choices=("chromium", "firefox", "webkit", "ffmpeg"),
        default="chromium",
        help="what to install (chromium); ffmpeg is for videos",
    )
    command.add_argument(
        "--with-deps", action="store_true", help="also install the system libraries that it needs"
    )
    command.set_defaults(command=_imported("install:install_command"))


def _ops(command: Parser) -> None:
    async def run(arguments: Arguments, context: Context) -> int:
        if arguments.op is None:
            return await context.run("ops.list")
        return await context.run("ops.describe", {"op": arguments.op})

    _add_common(command)
    command.add_argument("op", nargs="?", metavar="OP")
    command.set_defaults(command=run, for_people=True)


def _add_common(command: Parser) -> None:
    # SUPPRESS: an option that is not given must not reset what stood before the subcommand.
    command.add_argument(
        "-v",
        "--verbose",
        action="count",
        default=argparse.SUPPRESS,
        help="report on stderr what happens",
    )
    command.add_argument(
        "-f",
        "--format",
        choices=get_args(OutputFormat),
        default=argparse.SUPPRESS,
        help="on a terminal json, or text where people read it; otherwise ndjson (one line)",
    )


def _add_variables(command: Parser) -> None:
    command.add_argument(
        "--var",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="value of {{NAME}}; NAME alone takes it from the environment",
    )
    command.add_argument(
        "--var-file",
        action="append",
        default=[],
        metavar="FILE",
        help="values, a line NAME=VALUE each; PW_VAR_NAME in the environment is used, too",
    )


def _add_artifacts(command: Parser, default: str = "") -> None:
    help = f"save a screenshot, HTML and snapshot of failures here{default}"
    command.add_argument("--artifacts-dir", metavar="DIR", help=help)


def _add_foreground(command: Parser, path: str) -> None:
    command.add_argument(
        "--foreground",
        action="store_const",
        const=lambda arguments: _call(path, arguments),
        dest="in_foreground",
        help="stay in this terminal",
    )


def _add_action(actions: Actions, name: str, help: str, run: str | Command) -> Parser:
    command = actions.add_parser(name, help=help)
    _add_common(command)
    command.set_defaults(command=_imported(run) if isinstance(run, str) else run)
    return command


def _add_operation(actions: Actions, op: str, *inputs: str) -> Parser:
    """Add a command that is one operation; the arguments are fields of its input."""
    from pwtui.protocol.catalog import catalog

    names = [name.removeprefix("--") for name in inputs]

    async def run(arguments: Arguments, context: Context) -> int:
        input = {name: getattr(arguments, name) for name in names}
        return await context.run(op, input, profile=getattr(arguments, "profile", None))

    info = catalog()[op]
    command = _add_action(actions, op.partition(".")[2], _as_help(info.summary), run)
    for argument, name in zip(inputs, names, strict=True):
        field = info.input["properties"][name]
        options: dict[str, Any] = {"help": _as_help(field["description"])}
        if argument.startswith("--"):
            is_flag = field.get("type") == "boolean"
            options |= {"action": "store_true"} if is_flag else {"required": True}
        command.add_argument(argument, **options)
    return command


def _as_help(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:].rstrip(".")


def _imported(path: str) -> Command:
    """A command that is a function of a module in `pwtui.cli.commands`."""

    async def run(arguments: Arguments, context: Context) -> int:
        if "var" in arguments:
            from pwtui.cli.context import USAGE
            from pwtui.protocol.errors import PwError

            try:
                arguments.variables = _variables(arguments, context.terminal.cwd)
            except PwError as error:
                context.terminal.err(f"pw {arguments.name_of_command}: {error}")
                return USAGE
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
        # What it writes is kept: only variables that are named go into it.
        for name in os.environ:
            if name.startswith(ENVIRONMENT_PREFIX):
                del environment[name]
    files = [cwd / Path(name).expanduser() for name in arguments.var_file]
    return read_variables(arguments.var, files, environment)


def port_number(text: str) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port (1 to 65535)")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds
