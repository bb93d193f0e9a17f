"""The arguments of `pw`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from pwtui import __version__
from pwtui.cli.output import FORMATS
from pwtui.state.relay_port import DEFAULT_PORT

# Each command imports what it needs, as the others must not wait for it.
if TYPE_CHECKING:
    from pwtui.cli.context import Context

Command = Callable[[argparse.Namespace, "Context"], Awaitable[int]]


class Stop(Exception):
    """Parsing ends here: help was asked for, or the usage is wrong."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class Parser(argparse.ArgumentParser):
    """Raises instead of printing and exiting: a daemon parses for its clients."""

    def __init__(self, **options: Any) -> None:
        # An abbreviated option would be understood by some versions, and not by the next one.
        super().__init__(**{"allow_abbrev": False, **options})

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Stop(status, message or "")

    def error(self, message: str) -> NoReturn:
        raise Stop(2, f"{self.format_usage()}{self.prog}: error: {message}\n")

    def print_help(self, file: object = None) -> None:
        raise Stop(0, self.format_help())


class _ShowVersion(argparse.Action):
    def __call__(self, *_: object) -> NoReturn:
        raise Stop(0, f"pw {__version__}\n")


@cache
def parser() -> Parser:
    common = _common_options()
    root = Parser(
        prog="pw",
        # Its own copy: defaults that are set here must not reach the subcommands' options.
        parents=[_common_options()],
        description="Drive browsers from a terminal. Data goes to stdout, the rest to stderr.",
        epilog="Exit codes: 0 ok, 1 not ok, 2 wrong usage.",
    )
    root.add_argument(
        "-V", "--version", action=_ShowVersion, nargs=0, help="show the version and exit"
    )
    root.set_defaults(verbose=0, format=None)
    commands = root.add_subparsers(
        required=True, metavar="COMMAND", dest="name_of_command", parser_class=Parser
    )

    command = commands.add_parser("exec", parents=[common], help="run one operation")
    command.add_argument("op", nargs="?", metavar="OP", help="operation id, see `pw ops`")
    source = command.add_mutually_exclusive_group()
    source.add_argument(
        "--input",
        metavar="JSON",
        help="the input: JSON, @file, or - for stdin; use - for secrets, `ps` shows arguments",
    )
    source.add_argument("--file", metavar="FILE", help="a whole envelope instead; - for stdin")
    command.add_argument("--profile", metavar="NAME", help="profile to run with")
    command.add_argument("--artifacts-dir", metavar="DIR", help="keep what a failure looked like")
    command.set_defaults(command=_exec)

    command = commands.add_parser(
        "batch", parents=[common, _with_variables()], help="run NDJSON envelopes from stdin"
    )
    command.add_argument("--profile", metavar="NAME", help="profile of requests that name none")
    command.add_argument("--artifacts-dir", metavar="DIR", help="keep what failures looked like")
    command.add_argument("--fail-fast", action="store_true", help="stop after a line that failed")
    command.set_defaults(command=_given_variables(_batch))

    _add_repl(commands)
    _add_recordings(commands)
    _add_profile(commands, common)
    _add_session(commands, common)
    _add_daemon(commands, common)

    _add_relay(commands, common)
    _add_doctor(commands, common)

    command = commands.add_parser("install", help="download a browser that Playwright provides")
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
    command.set_defaults(command=_install)

    command = commands.add_parser("ops", parents=[common], help="list operations, or describe one")
    command.add_argument("op", nargs="?", metavar="OP")
    command.set_defaults(command=_ops, for_people=True)
    return root


def _add_repl(commands: argparse._SubParsersAction[Parser]) -> None:
    command = commands.add_parser(
        "repl",
        help="drive a browser with keywords, at a prompt or from a pipe",
        description="Lines come from the prompt, from -c, or from a pipe. See docs/keywords.md.",
    )
    command.add_argument(
        "-c", dest="commands", action="append", default=[], metavar="LINE", help="run it and exit"
    )
    command.add_argument("-s", "--session", metavar="NAME", help="the profile (default)")
    command.add_argument("--headed", action="store_true", help="start a browser with a window")
    command.add_argument("--browser", choices=("chromium", "firefox", "webkit"))
    command.add_argument(
        "--attach-cli",
        action="store_true",
        help="drive a running session of Playwright's own CLI instead",
    )
    command.set_defaults(command=_repl)


def _with_variables() -> Parser:
    varied = Parser(add_help=False)
    varied.add_argument(
        "--var",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="value of {{NAME}}; NAME alone takes it from the environment",
    )
    varied.add_argument(
        "--var-file",
        action="append",
        default=[],
        metavar="FILE",
        help="values, a line NAME=VALUE each; PW_VAR_NAME in the environment is used, too",
    )
    return varied


def _given_variables(command: Command) -> Command:
    """The command with `arguments.variables`, the values of all variables that are given."""

    async def run(arguments: argparse.Namespace, context: Context) -> int:
        from pwtui.cli.context import USAGE
        from pwtui.protocol.errors import PwError
        from pwtui.recordings.variables import ENVIRONMENT_PREFIX, read_variables

        environment = dict(os.environ)
        if arguments.name_of_command == "convert":
            # What it writes is kept: only what is named goes into it.
            environment = {
                name: value
                for name, value in environment.items()
                if not name.startswith(ENVIRONMENT_PREFIX)
            }
        files = [context.terminal.cwd / Path(name).expanduser() for name in arguments.var_file]
        try:
            arguments.variables = read_variables(arguments.var, files, environment)
        except PwError as error:
            context.terminal.err(f"pw {arguments.name_of_command}: {error}")
            return USAGE
        return await command(arguments, context)

    return run


def _add_recordings(commands: argparse._SubParsersAction[Parser]) -> None:
    varied = _with_variables()
    command = commands.add_parser(
        "replay", parents=[varied], help="replay recordings, each in its own browser"
    )
    command.add_argument("files", nargs="+", metavar="FILE", help=".pw, .ndjson, .py, or a folder")
    command.add_argument("--step", action="store_true", help="wait for Enter before each step")
    command.add_argument("--headed", action="store_true", help="in a browser with a window")
    command.add_argument("--keep-going", action="store_true", help="continue after a failed step")
    command.add_argument(
        "--compare",
        action="store_true",
        help="report where responses differ from recorded ones",
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
    command.add_argument(
        "--artifacts-dir", metavar="DIR", help="for what failures looked like (pw-replay)"
    )
    command.set_defaults(command=_given_variables(_replay))

    command = commands.add_parser(
        "convert", parents=[varied], help="write a recording in another format"
    )
    command.add_argument("source", metavar="IN", help=".pw, .ndjson, or a generated .py")
    command.add_argument("output", nargs="?", metavar="OUT", help="file; stdout without it")
    command.add_argument("--to", choices=("pw", "ndjson", "pytest"), help="format of the output")
    command.set_defaults(command=_given_variables(_convert))


def _add_profile(commands: argparse._SubParsersAction[Parser], common: Parser) -> None:
    profile = commands.add_parser("profile", help="list, create, copy, rename and edit profiles")
    profile.set_defaults(for_people=True)
    actions = profile.add_subparsers(required=True, metavar="ACTION", parser_class=Parser)
    command = actions.add_parser("list", parents=[common], help="list the profiles")
    command.set_defaults(command=_operation("profile.list"))
    command = actions.add_parser("show", parents=[common], help="show a profile's config")
    command.add_argument("name")
    command.set_defaults(command=_operation("profile.show", "name"), for_people=False)
    command = actions.add_parser("create", parents=[common], help="create a profile")
    command.add_argument("name")
    command.set_defaults(command=_operation("profile.create", "name"))
    for action, help in (
        ("copy", "create a profile with the config and saved logins of another"),
        ("rename", "rename a profile that no browser runs with"),
    ):
        command = actions.add_parser(action, parents=[common], help=help)
        command.add_argument("name")
        command.add_argument("to", metavar="NEW_NAME")
        command.set_defaults(command=_operation(f"profile.{action}", "name", "to"))
    command = actions.add_parser("set", parents=[common], help="replace a profile's config")
    command.add_argument("name")
    command.add_argument("--file", required=True, help="the new config as JSON")
    command.set_defaults(command=_operation("profile.set", "name", "file"))
    command = actions.add_parser("edit", parents=[common], help="edit a config in $EDITOR")
    command.add_argument("name")
    command.set_defaults(command=_edit_profile)
    command = actions.add_parser(
        "trust", parents=[common], help="accept settings that reach beyond the workspace"
    )
    command.add_argument("name")
    command.set_defaults(command=_operation("profile.trust", "name"))
    command = actions.add_parser("delete", parents=[common], help="delete a profile")
    command.add_argument("name")
    command.set_defaults(command=_operation("profile.delete", "name"))


def _add_session(commands: argparse._SubParsersAction[Parser], common: Parser) -> None:
    session = commands.add_parser("session", help="list, start, show and stop browsers")
    session.set_defaults(for_people=True)
    actions = session.add_subparsers(required=True, metavar="ACTION", parser_class=Parser)
    profiled = Parser(add_help=False, parents=[common])
    profiled.add_argument("--profile", metavar="NAME", help="profile of the session")
    command = actions.add_parser("list", parents=[common], help="all browsers on this machine")
    command.set_defaults(command=_operation("session.list"))
    command = actions.add_parser("start", parents=[profiled], help="start the profile's browser")
    command.add_argument("--headful", action="store_true", help="with a window")
    command.set_defaults(command=_operation("session.start", "headful"))
    for name, help in (
        ("status", "whether it runs"),
        ("stop", "end it"),
        ("clear", "forget its descriptor; touches no browser"),
    ):
        command = actions.add_parser(name, parents=[profiled], help=help)
        command.set_defaults(command=_operation(f"session.{name}"))


def _add_daemon(commands: argparse._SubParsersAction[Parser], common: Parser) -> None:
    daemon = commands.add_parser("daemon", help="start, stop and inspect the background process")
    daemon.set_defaults(for_people=True)
    actions = daemon.add_subparsers(required=True, metavar="ACTION", parser_class=Parser)
    command = actions.add_parser("start", parents=[common], help="start it, unless it runs")
    command.add_argument(
        "--foreground",
        action="store_const",
        const=_serve_daemon,
        dest="in_foreground",
        help="stay in this terminal",
    )
    command.add_argument(
        "--idle-timeout",
        type=float,
        metavar="SECONDS",
        help="end after this long without clients; 0 is never",
    )
    command.set_defaults(command=_operation("daemon.start"))
    for name, help in (("stop", "end it and its browsers"), ("status", "what it does")):
        command = actions.add_parser(name, parents=[common], help=help)
        command.set_defaults(command=_operation(f"daemon.{name}"))
    command = actions.add_parser("restart", parents=[common], help="stop, then start")
    command.set_defaults(command=_daemon_restart)
    command = actions.add_parser("logs", parents=[common], help="show its log")
    command.add_argument("-n", "--lines", type=int, default=50, help="how many lines")
    command.add_argument("--follow", action="store_true", help="print new lines as they come")
    command.set_defaults(command=_daemon_logs)


def _add_relay(commands: argparse._SubParsersAction[Parser], common: Parser) -> None:
    relay = commands.add_parser("relay", help="your own browser for clients, by an extension")
    actions = relay.add_subparsers(required=True, metavar="ACTION", parser_class=Parser)
    placed = Parser(add_help=False, parents=[common])
    placed.add_argument("--json", action="store_true", help="as JSON")
    placed.add_argument("--port", type=_port, default=DEFAULT_PORT, help="its port (%(default)s)")
    command = actions.add_parser("start", parents=[placed], help="start it, unless it runs")
    command.add_argument(
        "--separate-window",
        action=argparse.BooleanOptionalAction,
        help="open tabs in a window of their own",
    )
    command.add_argument(
        "--foreground",
        action="store_const",
        const=_serve_relay,
        dest="in_foreground",
        help="stay in this terminal",
    )
    command.set_defaults(command=_relay("start"))
    stop = "stop it, and close the browser that `open` started"
    for name, help in (("stop", stop), ("status", "browsers, tabs and clients")):
        command = actions.add_parser(name, parents=[placed], help=help)
        command.set_defaults(command=_relay(name))
    command = actions.add_parser(
        "trace", parents=[placed], help="how far each client is, and which step is missing"
    )
    command.add_argument("--follow", action="store_true", help="print events as they happen")
    command.set_defaults(command=_relay("trace"))
    command = actions.add_parser("extension", parents=[placed], help="where it is, how to load it")
    command.set_defaults(command=_relay("extension"))
    command = actions.add_parser("open", parents=[placed], help="a browser that has the extension")
    command.add_argument("url", nargs="?", metavar="URL", help="the page to begin with")
    command.add_argument("--headless", action="store_true", help="without a window")
    command.set_defaults(command=_relay("open"))
    command = actions.add_parser("token", parents=[common], help="print what clients must send")
    command.add_argument(
        "--new", action="store_true", help="replace it, and disconnect all clients"
    )
    command.set_defaults(command=_relay("token"))


def _add_doctor(commands: argparse._SubParsersAction[Parser], common: Parser) -> None:
    doctor = commands.add_parser(
        "doctor",
        parents=[common],
        help="diagnose and fix problems",
        usage="pw doctor [-h] [-v] [-f FORMAT] [--fix]\n"
        "       pw doctor cdp [-h] [-v] [-f FORMAT] [--timeout SECONDS] URL",
    )
    doctor.add_argument("--fix", action="store_true", help="repair what is safe to repair")
    doctor.set_defaults(command=_doctor)
    patients = doctor.add_subparsers(prog="pw doctor", metavar="cdp", parser_class=Parser)
    command = patients.add_parser(
        "cdp", parents=[common], help="why a CDP endpoint hangs: the seven steps, with times"
    )
    command.add_argument("url", metavar="URL", help="http(s):// or ws(s)://")
    command.add_argument(
        "--timeout", type=_seconds, default=10.0, metavar="SECONDS", help="how long to wait (10)"
    )
    command.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="'NAME: VALUE'",
        help="send a header, such as Authorization; @FILE reads them from a file",
    )
    command.set_defaults(command=_doctor_cdp)


def _port(text: str) -> int:
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


def _common_options() -> Parser:
    # SUPPRESS: an option that is not given must not reset what stood before the subcommand.
    common = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("-v", "--verbose", action="count", help="report on stderr what happens")
    common.add_argument(
        "-f",
        "--format",
        choices=FORMATS,
        help="on a terminal json, or text where people read it; otherwise ndjson (one line)",
    )
    return common


async def _exec(arguments: argparse.Namespace, context: Context) -> int:
    from pwtui.cli.commands.execute import exec_command

    return await exec_command(
        context,
        op=arguments.op,
        input=arguments.input,
        file=arguments.file,
        profile=arguments.profile,
        artifacts_dir=arguments.artifacts_dir,
    )


async def _batch(arguments: argparse.Namespace, context: Context) -> int:
    from pwtui.cli.commands.execute import batch_command

    return await batch_command(
        context,
        profile=arguments.profile,
        artifacts_dir=arguments.artifacts_dir,
        variables=arguments.variables,
        fail_fast=arguments.fail_fast,
    )


async def _repl(arguments: argparse.Namespace, context: Context) -> int:
    from pwtui.cli.commands.repl import repl_command

    return await repl_command(arguments, context)


async def _replay(arguments: argparse.Namespace, context: Context) -> int:
    from pwtui.cli.commands.replay import replay_command

    return await replay_command(arguments, context)


async def _convert(arguments: argparse.Namespace, context: Context) -> int:
    from pwtui.cli.commands.convert import convert_command

    return await convert_command(arguments, context)


async def _edit_profile(arguments: argparse.Namespace, context: Context) -> int:
    from pwtui.cli.commands.profile import edit_command

    return await edit_command(context, arguments.name)


async def _daemon_restart(arguments: argparse.Namespace, context: Context) -> int:
    from pwtui.cli.commands.daemon import restart_command

    return await restart_command(context)


async def _daemon_logs(arguments: argparse.Namespace, context: Context) -> int:
    from pwtui.cli.commands.daemon import logs_command

    return await logs_command(context, lines=arguments.lines, follow=arguments.follow)


async def _doctor(arguments: argparse.Namespace, context: Context) -> int:
    from pwtui.cli.commands.doctor import doctor_command

    return await doctor_command(context, fix=arguments.fix)


async def _doctor_cdp(arguments: argparse.Namespace, context: Context) -> int:
    from pwtui.cli.commands.doctor_cdp import doctor_cdp_command

    return await doctor_cdp_command(
        context, arguments.url, seconds=arguments.timeout, headers=arguments.header
    )


async def _install(arguments: argparse.Namespace, context: Context) -> int:
    import asyncio

    from pwtui.browser.launch.install import install_command

    command = install_command(arguments.browser, with_deps=arguments.with_deps)
    process = await asyncio.create_subprocess_exec(*command)
    try:
        return int(await process.wait() != 0)
    except asyncio.CancelledError:
        process.terminate()
        raise


def _relay(name: str) -> Command:
    async def command(arguments: argparse.Namespace, context: Context) -> int:
        from pwtui.cli.commands.relay import COMMANDS

        return await COMMANDS[name](arguments, context)

    return command


def _serve_daemon(arguments: argparse.Namespace) -> int:
    from pwtui.client.start import serve_in_foreground

    return serve_in_foreground(arguments.idle_timeout)


def _serve_relay(arguments: argparse.Namespace) -> int:
    from pwtui.cli.commands.relay import serve_relay

    return serve_relay(arguments)


async def _ops(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.op is None:
        return await context.run("ops.list")
    return await context.run("ops.describe", {"op": arguments.op})


def _operation(op: str, *fields: str) -> Command:
    """A command that is one operation; the named arguments are its input."""

    async def command(arguments: argparse.Namespace, context: Context) -> int:
        input = {field: getattr(arguments, field) for field in fields}
        return await context.run(op, input, profile=getattr(arguments, "profile", None))

    return command
