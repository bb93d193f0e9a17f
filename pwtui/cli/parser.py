"""The commands and options of `pw`.

The arguments of a command are added when it is used, and its module is imported when it runs:
`pw help` and the daemon, which parses for its clients, should be fast.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, get_args

from pwtui import __version__
from pwtui.cli.fast_path import command_position
from pwtui.protocol.errors import did_you_mean, near_misses, with_hint

if TYPE_CHECKING:
    from pwtui.cli.context import Context

OutputFormat = Literal["json", "ndjson", "text"]
Arguments = argparse.Namespace
Command = Callable[[Arguments, "Context"], Awaitable[int]]

FORMATS = get_args(OutputFormat)
BROWSERS = ("chromium", "firefox", "webkit")
KEYWORD_LINE = "KEYWORD"
"""The hidden command that runs a keyword line."""
COMMON = "common options"
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(\d+(?:\.\d*)?)(ms|s|m|h|)")


class Stop(Exception):
    """Parsing stops: to show help, or because of wrong usage."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class _Formatter(argparse.HelpFormatter):
    """Omits common options in the usage, and writes `-p, --profile NAME`."""

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any = None) -> None:
        own = [each for each in actions if each.container.title != COMMON]
        super().add_usage(usage, own, groups, prefix)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, action.dest.upper())
        return f"{', '.join(action.option_strings)} {value}"


class Parser(argparse.ArgumentParser):
    """Raises Stop instead of printing and exiting: the daemon parses for its clients.

    `words` names the list argument that also takes words after an option, which argparse does not
    assign; with `any_option` it takes unknown options, too. `fill` adds the arguments at first use.
    """

    def __init__(
        self,
        *,
        fill: Callable[[Parser], None] | None = None,
        words: str | None = None,
        any_option: bool = False,
        **options: Any,
    ) -> None:
        # No abbreviations: a new option would make them ambiguous.
        self._options = {"allow_abbrev": False, "formatter_class": _Formatter, **options}
        self._fill = fill
        self._words = words
        self._any_option = any_option
        if fill is None:
            self._build()

    def _build(self) -> None:
        super().__init__(**self._options)
        self.color = False  # Python 3.14 would colour help by the terminal of the daemon

    def filled(self) -> Parser:
        """This parser, after its arguments were added."""
        if (fill := self._fill) is not None:
            self._fill = None
            self._build()
            fill(self)
            self.set_defaults(parser=self)
        return self

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        args, literal = list(args), []
        if self._any_option and "--" in args:
            literal = args[(end := args.index("--")) :]
            args = args[:end]
        self.filled()
        found, left = super().parse_known_args(args, namespace)
        if self._words is not None:
            words = [each for each in left if self._any_option or not each.startswith("-")]
            left = [] if self._any_option else [each for each in left if each.startswith("-")]
            known = getattr(found, self._words, None) or ()
            setattr(found, self._words, [*known, *words, *literal])
        if left:
            self.error(self.unknown(left[0]))
        return found, []

    def unknown(self, argument: str) -> str:
        """The error message for an unknown argument."""
        if not argument.startswith("-"):
            return f"unexpected argument '{argument}'"
        name = argument.partition("=")[0]
        close = near_misses(name, [each for each in self.visible_options() if each[:2] == "--"])
        return with_hint(f"unknown option {name}", did_you_mean(close))

    def visible_options(self) -> dict[str, argparse.Action]:
        """The options that help shows, by name."""
        found = self._option_string_actions.items()
        return {name: each for name, each in found if each.help is not argparse.SUPPRESS}

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = list(map(str, action.choices))
            hint = did_you_mean(near_misses(str(value), choices))
            is_action = isinstance(action, argparse._SubParsersAction)
            what = f"unknown action '{value}'" if is_action else f"'{value}' is not known"
            message = with_hint(what, hint or f"use one of {', '.join(choices)}")
            raise argparse.ArgumentError(None if is_action else action, message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Stop(status, message or "")

    def error(self, message: str) -> NoReturn:
        raise Stop(2, f"{self.format_usage()}{self.prog}: error: {message}\n")

    def print_help(self, file: object = None) -> NoReturn:
        raise Stop(0, self.format_help())


Actions: TypeAlias = "argparse._SubParsersAction[Parser]"


class _ShowVersion(argparse.Action):
    def __call__(self, *_: object) -> NoReturn:
        raise Stop(0, f"pw {__version__}\n")


def duration(unit: str, *, or_zero: bool = False) -> Callable[[str], float]:
    """A parser of `5s`, `800ms`, `2m` or `1h` into seconds; a bare number is in `unit`."""

    def read(text: str) -> float:
        found = _DURATION.fullmatch(text.strip())
        seconds = float(found[1]) * _UNITS[found[2] or unit] if found else 0.0
        if found is None or (seconds == 0 and not or_zero):
            raise argparse.ArgumentTypeError(f"{text!r} is not a duration, such as 5s or 800ms")
        return seconds

    return read


def port_number(text: str) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port (1 to 65535)")
    return int(text)


# Shared options -----------------------------------------------------------------------------------

_OPTIONS: Mapping[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "profile": (
        ("-p", "--profile"),
        {"metavar": "NAME", "help": "profile to use ($PWTUI_PROFILE, or default)"},
    ),
    "browser": (
        ("--browser",),
        {"choices": BROWSERS, "metavar": "NAME", "help": "chromium, firefox or webkit"},
    ),
    "headed": (
        ("--headed",),
        {"action": "store_true", "help": "start the browser with a window"},
    ),
    "timeout": (
        ("--timeout",),
        {
            "type": duration("ms", or_zero=True),
            "metavar": "DURATION",
            "help": "time limit of each operation that sets none: 5s, 800ms, or milliseconds",
        },
    ),
    "artifacts_dir": (
        ("--artifacts-dir",),
        {"metavar": "DIR", "help": "save a screenshot, HTML and snapshot of failures in DIR"},
    ),
    "var": (
        ("--var",),
        {
            "action": "append",
            "metavar": "NAME[=VALUE]",
            "help": "set {{NAME}}; without VALUE, from the environment variable NAME",
        },
    ),
    "var_file": (
        ("--var-file",),
        {
            "action": "append",
            "metavar": "FILE",
            "help": "set variables from lines NAME=VALUE; PW_VAR_NAME in the environment also sets",
        },
    ),
    "format": (
        ("-f", "--format"),
        {
            "choices": FORMATS,
            "metavar": "FORMAT",
            "help": "json, ndjson or text ($PWTUI_FORMAT; else text or json on a terminal, "
            "ndjson in a pipe)",
        },
    ),
    "json": (
        ("--json",),
        {
            "action": "store_const",
            "const": "json",
            "dest": "format",
            "help": "same as --format json",
        },
    ),
    "get": (
        ("--get",),
        {"metavar": "PATH", "help": "print one value of the response, such as data.text"},
    ),
    "workspace": (
        ("--workspace",),
        {"metavar": "DIR", "help": "workspace folder ($PW_WORKSPACE_ROOT, or the current one)"},
    ),
    "color": (
        ("--color",),
        {
            "choices": ("auto", "always", "never"),
            "metavar": "WHEN",
            "help": "colour the output: auto, always or never (auto)",
        },
    ),
    "no_pager": (
        ("--no-pager",),
        {"action": "store_true", "help": "print long output without $PAGER"},
    ),
    "quiet": (("-q", "--quiet"), {"action": "store_true", "help": "print results and errors only"}),
    "verbose": (
        ("-v", "--verbose"),
        {"action": "count", "help": "print progress to stderr (-vv: debug log)"},
    ),
}
_DEFAULTS: Mapping[str, Any] = {
    **dict.fromkeys(_OPTIONS),
    "headed": False,
    "no_pager": False,
    "quiet": False,
    "color": "auto",
    "verbose": 0,
    "for_people": False,
    "in_foreground": None,
}
_COMMON = ("workspace", "color", "no_pager", "quiet", "verbose")
_OUTPUT = ("format", "json", "get")
_RUNTIME = ("profile", "browser", "headed", "timeout")


def add_shared(command: argparse._ActionsContainer, *names: str, **changes: Any) -> None:
    """Add shared options; without a default, so as not to reset an option before the command."""
    for name in names:
        flags, settings = _OPTIONS[name]
        command.add_argument(*flags, **{**settings, **changes, "default": argparse.SUPPRESS})


def _add_common(command: Parser, *more: str) -> None:
    """Add the common options, and more shared options, in a separate group."""
    add_shared(command.add_argument_group(COMMON), *more, *_COMMON)


def _add_old(command: Parser, *flags: str, dest: str, **settings: Any) -> None:
    """Accept an old spelling of an option, hidden in help."""
    command.add_argument(
        *flags, dest=dest, default=argparse.SUPPRESS, help=argparse.SUPPRESS, **settings
    )


# Commands -----------------------------------------------------------------------------------------


def parse(argv: Sequence[str], environment: Mapping[str, str]) -> Arguments:
    """Parse a command line; the environment sets the default profile and format."""
    root = parser()
    argv = list(argv)
    if not argv:
        root.print_help()
    position = command_position(argv)
    for option in argv[:position]:
        if option.startswith("--") and option.partition("=")[0] not in root.visible_options():
            root.error(root.unknown(option))
    if argv[position : position + 1] == ["help"]:
        argv = [*argv[:position], *argv[position + 1 :], "--help"]
    if position < len(argv) and not argv[position].startswith("-"):
        name = argv[position]
        if name not in commands():
            _check_keyword(root, name, argv[position + 1 :])
            argv.insert(position, KEYWORD_LINE)
    arguments = root.parse_args(argv)
    if arguments.profile is None:
        arguments.profile = environment.get("PWTUI_PROFILE") or None
    if arguments.format is None and (format := environment.get("PWTUI_FORMAT")):
        if format not in FORMATS:
            root.error(f"PWTUI_FORMAT: {format!r} is not one of {', '.join(FORMATS)}")
        arguments.format = format
    return arguments


@cache
def parser() -> Parser:
    root = Parser(
        prog="pw",
        usage="pw [OPTION]... COMMAND ...\n       pw [OPTION]... KEYWORD ...",
        description="Drive browsers from a terminal. Results go to stdout, the rest to stderr.",
        epilog="A keyword is a short line for one operation: `pw goto URL`, `pw click e5`, "
        "`pw fill Name Ada`; `pw help KEYWORD` shows how it is written. "
        "Exit codes: 0 ok, 1 not ok, 2 wrong usage.",
    )
    add_shared(root, "profile", *_OUTPUT, *_COMMON)
    root.add_argument(
        "-V", "--version", action=_ShowVersion, nargs=0, help="show the version and exit"
    )
    root.set_defaults(**_DEFAULTS)
    actions = root.add_subparsers(
        title="commands",
        prog="pw",
        required=True,
        metavar="COMMAND",
        dest="name_of_command",
        parser_class=Parser,
    )
    for name, help, fill in _COMMANDS:
        actions.add_parser(name, help=help, fill=fill, words=_WORDS.get(name))
    actions.add_parser(KEYWORD_LINE, fill=_keyword, words="words", any_option=True)
    return root


def commands() -> Mapping[str, Parser]:
    """The parser of each command; see `Parser.filled`."""
    return subparsers(parser())


def subparsers(command: Parser) -> Mapping[str, Parser]:
    found = [each for each in command._actions if isinstance(each, argparse._SubParsersAction)]
    return found[0].choices if found else {}


def _check_keyword(root: Parser, name: str, words: list[str]) -> None:
    """Reject an unknown command; show the help of a keyword if asked for."""
    from pwtui.keywords.help import help_for
    from pwtui.keywords.parser import line_keyword, unknown
    from pwtui.keywords.table import UNSUPPORTED_KEYWORDS, by_name
    from pwtui.protocol.catalog import catalog

    keyword = line_keyword([name, *words])
    if keyword is None and name not in catalog():
        names = [each for each in commands() if each != KEYWORD_LINE]
        near = did_you_mean(near_misses(name, [*names, *by_name(), *catalog()]))
        hint = unknown(name).hint if name in UNSUPPORTED_KEYWORDS else near
        root.error(with_hint(f"unknown command '{name}'", hint or "see `pw help`"))
    given = words[: words.index("--")] if "--" in words else words
    if "-h" in given or "--help" in given:
        options = commands()[KEYWORD_LINE].filled().format_help()
        about = help_for(keyword.name) if keyword else catalog()[name].help
        if keyword is None:
            about += f"\n  {name} [NAME=VALUE | NAME:=JSON]...; see `pw ops {name}`"
        raise Stop(0, f"{about}\n\n{options[options.index('options:') :]}")


def _keyword(command: Parser) -> None:
    add_shared(command, "profile", "timeout", *_OUTPUT, "artifacts_dir", *_COMMON)
    command.set_defaults(command=_imported("keyword_line:keyword_command"))


def _exec(command: Parser) -> None:
    command.usage = "pw exec [OPTION]... OP [NAME=VALUE | NAME:=JSON]... | --file FILE"
    command.add_argument("op", nargs="?", metavar="OP", help="operation id, see `pw ops`")
    command.add_argument(
        "fields",
        nargs="*",
        metavar="NAME=VALUE",
        help="input field; NAME:=JSON for lists, objects and other JSON",
    )
    source = command.add_mutually_exclusive_group()
    source.add_argument(
        "--input",
        metavar="JSON",
        help="the input as JSON, @FILE, or - for stdin; use - for secrets, `ps` shows arguments",
    )
    source.add_argument("--file", metavar="FILE", help="read the whole request; - for stdin")
    command.add_argument(
        "--events",
        action="store_true",
        help="add what happens in the session meanwhile to the response",
    )
    add_shared(command, *_RUNTIME, "artifacts_dir")
    _add_common(command, *_OUTPUT)
    command.set_defaults(command=_imported("execute:exec_command"))


def _batch(command: Parser) -> None:
    command.description = "Read one request a line from stdin, write one response a line."
    add_shared(command, "profile", help="profile of requests that set none")
    add_shared(command, "var", "var_file", "artifacts_dir")
    command.add_argument("--fail-fast", action="store_true", help="stop after a line that failed")
    _add_common(command, *_OUTPUT)
    command.set_defaults(command=_imported("execute:batch_command"))


def _repl(command: Parser) -> None:
    command.description = (
        "Run keyword lines from a prompt, from -c, or from a pipe. Type .help at the prompt."
    )
    command.add_argument(
        "-c", dest="lines", action="append", default=[], metavar="LINE", help="run it and exit"
    )
    add_shared(command, "profile", "browser", "headed")
    _add_old(command, "-s", "--session", dest="profile")
    command.add_argument(
        "--attach-cli",
        action="store_true",
        help="drive a running session of Playwright's own CLI; -p is its name",
    )
    _add_common(command, "format", "json")
    command.set_defaults(command=_imported("repl:repl_command"))


def _replay(command: Parser) -> None:
    command.add_argument("files", nargs="+", metavar="FILE", help=".pw, .ndjson, .py, or a folder")
    command.add_argument("--step", action="store_true", help="wait for Enter before each step")
    command.add_argument("--keep-going", action="store_true", help="continue after a failed step")
    command.add_argument(
        "--compare", action="store_true", help="report differences from the recorded responses"
    )
    command.add_argument(
        "--report", action="append", default=[], metavar="FILE", help="write .xml (JUnit) or .html"
    )
    command.add_argument(
        "--allow-code",
        action="store_true",
        help="allow run-code, local pages, and files outside the recording's folder",
    )
    add_shared(command, "profile", help="copy the config and saved logins of this profile")
    add_shared(command, "headed", "timeout", "var", "var_file")
    add_shared(command, "artifacts_dir", help="save files of failures in DIR (pw-replay)")
    _add_common(command, "format", "json")
    command.set_defaults(command=_imported("replay:replay_command"))


def _convert(command: Parser) -> None:
    command.add_argument("source", metavar="IN", help=".pw, .ndjson, or a generated .py")
    command.add_argument("output", nargs="?", metavar="OUT", help="file to write (stdout)")
    command.add_argument("--to", choices=("pw", "ndjson", "pytest"), help="format of the output")
    add_shared(command, "var", "var_file")
    _add_common(command)
    command.set_defaults(command=_imported("convert:convert_command"))


def _profile(group: Parser) -> None:
    actions = _add_group(group)
    _add_operation(actions, "profile.list")
    _add_operation(actions, "profile.show", "name").set_defaults(for_people=False)
    _add_operation(actions, "profile.create", "name")
    _add_operation(actions, "profile.copy", "name", "to")
    _add_operation(actions, "profile.rename", "name", "to")
    help = "change settings, or replace the config by a file; creates a profile that is new"
    set = _add_action(actions, "set", help, "profile:set_command", words="settings")
    set.add_argument("name", metavar="NAME", help="the profile")
    set.add_argument(
        "settings",
        nargs="*",
        metavar="KEY=VALUE",
        help="setting, such as baseUrl=https://example.com; KEY:=JSON for JSON, null removes it",
    )
    set.add_argument("--file", metavar="FILE", help="the whole config as JSON")
    edit = _add_action(actions, "edit", "edit the config in $EDITOR", "profile:edit_command")
    edit.add_argument("name", metavar="NAME", help="the profile")
    _add_operation(actions, "profile.trust", "name")
    _add_operation(actions, "profile.delete", "name")


def _session(group: Parser) -> None:
    actions = _add_group(group)
    _add_operation(actions, "session.list")
    start = _add_operation(actions, "session.start", headful="headed")
    add_shared(start, "headed")
    _add_old(start, "--headful", dest="headed", action="store_true")
    others = [_add_operation(actions, f"session.{name}") for name in ("status", "stop", "clear")]
    for command in (start, *others):
        add_shared(command, "profile")


def _watch(command: Parser) -> None:
    from pwtui.protocol.kinds import KINDS

    def kinds(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in KINDS:
                hint = did_you_mean(near_misses(name, KINDS)) or f"use {', '.join(KINDS)}"
                raise argparse.ArgumentTypeError(with_hint(f"{name!r} is not known", hint))
        return names

    command.description = (
        "Print what happens in sessions: a line for each event on a terminal, NDJSON in a pipe. "
        "Ctrl+C ends it."
    )
    which = command.add_mutually_exclusive_group()
    which.add_argument(
        "--session", metavar="KEY", help="only this session; `pw session list --json` has its key"
    )
    add_shared(which, "profile", help="only sessions of this profile (all)")
    command.add_argument(
        "--kind",
        type=kinds,
        default=list(KINDS),
        metavar="KIND,...",
        help=f"only these kinds: {', '.join(KINDS)} (all)",
    )
    _add_common(command, "format", "json")
    command.set_defaults(command=_imported("watch:watch_command"))


def _daemon(group: Parser) -> None:
    actions = _add_group(group)
    start = _add_operation(actions, "daemon.start")
    _add_foreground(start, "pwtui.client.start:serve_in_foreground")
    start.add_argument(
        "--idle-timeout",
        type=duration("s", or_zero=True),
        metavar="DURATION",
        help="shut down after this time without clients: 30m, or seconds (0: never)",
    )
    _add_operation(actions, "daemon.stop")
    _add_operation(actions, "daemon.status")
    _add_action(actions, "restart", "stop and start the daemon", "daemon:restart_command")
    logs = _add_action(actions, "logs", "show the daemon's log", "daemon:logs_command", output=())
    logs.add_argument("-n", "--lines", type=int, default=50, help="number of lines (50)")
    logs.add_argument("--follow", action="store_true", help="print new lines as they are written")


def _relay(group: Parser) -> None:
    from pwtui.state.relay_records import DEFAULT_PORT

    actions = _add_group(group)

    def add(name: str, help: str) -> Parser:
        command = _add_action(
            actions, name, help, f"relay:{name}_command", output=("format", "json")
        )
        command.add_argument(
            "--port", type=port_number, default=DEFAULT_PORT, help="port of the relay (%(default)s)"
        )
        return command

    start = add("start", "start the relay unless it runs")
    start.add_argument(
        "--separate-window",
        action=argparse.BooleanOptionalAction,
        help="open tabs in a separate window",
    )
    _add_foreground(start, "pwtui.cli.commands.relay:serve_relay")
    add("stop", "stop the relay and close the browser that `open` started")
    add("status", "show browsers, tabs and clients")
    trace = add("trace", "show the connection progress of each client")
    trace.add_argument("--follow", action="store_true", help="print events as they happen")
    add("extension", "show where the extension is and how to load it")
    open = add("open", "start a browser that has the extension")
    open.add_argument("url", nargs="?", metavar="URL", help="the first page")
    open.add_argument("--headless", action="store_true", help="start it without a window")
    help = "print the access token"
    token = _add_action(actions, "token", help, "relay:token_command", output=())
    token.add_argument("--new", action="store_true", help="replace it and disconnect all clients")


def _doctor(command: Parser) -> None:
    command.usage = "pw doctor [OPTION]...\n       pw doctor cdp [OPTION]... URL"
    command.add_argument("--fix", action="store_true", help="fix what can be fixed safely")
    _add_common(command, "format", "json")
    command.set_defaults(command=_imported("doctor:doctor_command"))
    actions = command.add_subparsers(
        prog="pw doctor", metavar="cdp", dest="action", parser_class=Parser
    )
    help = "show at which of the seven connection steps a CDP endpoint hangs"
    cdp = _add_action(
        actions, "cdp", help, "doctor_cdp:doctor_cdp_command", output=("format", "json")
    )
    cdp.add_argument("url", metavar="URL", help="http(s):// or ws(s)://")
    cdp.add_argument(
        "--timeout",
        type=duration("s"),
        default=10.0,
        metavar="DURATION",
        help="how long to wait: 5s, 800ms, or seconds (10)",
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
        "target",
        nargs="?",
        choices=(*BROWSERS, "ffmpeg"),
        default="chromium",
        help="what to install (chromium); ffmpeg is for videos",
    )
    command.add_argument(
        "--with-deps", action="store_true", help="also install the system libraries that it needs"
    )
    _add_common(command)
    command.set_defaults(command=_imported("install:install_command"))


def _ops(command: Parser) -> None:
    async def run(arguments: Arguments, context: Context) -> int:
        if arguments.op is None:
            return await context.run("ops.list")
        return await context.run("ops.describe", {"op": arguments.op})

    command.add_argument("op", nargs="?", metavar="OP", help="the operation to describe")
    _add_common(command, *_OUTPUT)
    command.set_defaults(command=run, for_people=True)


def _completion(command: Parser) -> None:
    command.description = "Print a completion script; `pw help completion` shows how to load it."
    command.epilog = (
        'bash: eval "$(pw completion bash)" in ~/.bashrc; '
        'zsh: eval "$(pw completion zsh)" in ~/.zshrc, after compinit; '
        "fish: pw completion fish > ~/.config/fish/completions/pw.fish"
    )
    command.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")
    command.set_defaults(command=_imported("completion:completion_command"))


def _help(command: Parser) -> None:
    command.add_argument("about", nargs="*", metavar="COMMAND", help="command or keyword")


_COMMANDS: tuple[tuple[str, str, Callable[[Parser], None]], ...] = (
    ("exec", "run one operation", _exec),
    ("batch", "run requests from stdin, one JSON object a line", _batch),
    ("repl", "drive a browser with keywords, at a prompt or from a pipe", _repl),
    ("replay", "replay recordings, each in a fresh browser", _replay),
    ("convert", "write a recording in another format", _convert),
    ("profile", "list, create, copy, rename and edit profiles", _profile),
    ("session", "list, start, show and stop browsers", _session),
    ("watch", "print what happens in sessions, as it happens", _watch),
    ("daemon", "start, stop and inspect the background process", _daemon),
    ("relay", "let Playwright use your own browser through an extension", _relay),
    ("doctor", "diagnose and fix problems", _doctor),
    ("install", "download a browser that Playwright provides", _install),
    ("ops", "list operations, or describe one", _ops),
    ("completion", "print a completion script for bash, zsh or fish", _completion),
    ("help", "show help about a command or keyword", _help),
)
_WORDS = {"exec": "fields"}


def _add_group(group: Parser) -> Actions:
    """Add actions to a command; without an action, its help is printed with exit code 2."""

    async def show_actions(arguments: Arguments, context: Context) -> int:
        context.terminal.err(group.format_help().rstrip("\n"))
        return 2

    group.set_defaults(command=show_actions, for_people=True)
    return group.add_subparsers(
        title="actions", metavar="ACTION", dest="action", parser_class=Parser
    )


def _add_foreground(command: Parser, path: str) -> None:
    command.add_argument(
        "--foreground",
        action="store_const",
        const=partial(_call, path),
        dest="in_foreground",
        help="stay in this terminal",
    )


def _add_action(
    actions: Actions,
    name: str,
    help: str,
    run: str | Command,
    *,
    output: tuple[str, ...] = _OUTPUT,
    words: str | None = None,
) -> Parser:
    command = actions.add_parser(name, help=help, words=words)
    command.set_defaults(parser=command)
    _add_common(command, *output)
    command.set_defaults(command=_imported(run) if isinstance(run, str) else run)
    return command


def _add_operation(actions: Actions, op: str, *inputs: str, **options: str) -> Parser:
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
    command = _add_action(actions, op.partition(".")[2], _as_help(info.summary), run)
    for name in inputs:
        about = info.input["properties"][name]["description"]
        command.add_argument(name, metavar=name.upper(), help=_as_help(about))
    return command


def _as_help(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:].rstrip(".")


def _imported(path: str) -> Command:
    """A command that is implemented by a function in `pwtui.cli.commands`."""

    async def run(arguments: Arguments, context: Context) -> int:
        from pwtui.protocol.errors import PwError

        if "--var" in commands()[arguments.name_of_command].visible_options():
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
    files = [cwd / Path(name).expanduser() for name in arguments.var_file or ()]
    return read_variables(arguments.var or [], files, environment)
