"""Parses the command line of `pw`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NoReturn

from pwtui import __version__
from pwtui.cli.argument_parser import WIDTH, Parser, Stop, subparsers
from pwtui.cli.command_table import COMMANDS, KEYWORD_LINE, add_keyword_line
from pwtui.cli.fast_path import command_position
from pwtui.cli.options import COMMON_OPTIONS, DEFAULTS, FORMATS, OUTPUT, add_shared
from pwtui.protocol.errors import did_you_mean, near_misses, with_hint


class _ShowVersion(argparse.Action):
    def __call__(self, *_: object) -> NoReturn:
        raise Stop(0, f"pw {__version__}\n")


def parse(argv: Sequence[str], environment: Mapping[str, str]) -> argparse.Namespace:
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
            line = commands()[KEYWORD_LINE].filled()
            line.prog, line.usage = f"pw {name}", f"pw {name} [ARGUMENT]... [OPTION]..."
    arguments = root.parse_args(argv)
    if arguments.profile is None:
        arguments.profile = environment.get("PWTUI_PROFILE") or None
    if arguments.format is None and (format := environment.get("PWTUI_FORMAT")):
        if format not in FORMATS:
            root.error(f"PWTUI_FORMAT: {format!r} is not one of {', '.join(FORMATS)}")
        arguments.format = format
    return arguments


class _Root(Parser):
    """The parser of `pw`, whose help lists the keywords after the commands."""

    def format_help(self) -> str:
        from textwrap import indent

        from pwtui.keywords.help import overview

        keywords = indent(overview(WIDTH - 2), "  ")
        before, _, after = super().format_help().partition("\n\nA keyword")
        return f"{before}\n\nkeywords:\n{keywords}\n\nA keyword{after}"


@cache
def parser() -> Parser:
    root = _Root(
        prog="pw",
        usage="pw [OPTION]... COMMAND ...\n       pw [OPTION]... KEYWORD ...",
        description="Drive browsers from a terminal. Results go to stdout, the rest to stderr.",
        epilog="A keyword is a short line for one operation: `pw goto URL`, `pw click e5`, "
        "`pw fill Name Ada`; `pw help KEYWORD` shows how it is written. "
        "Exit codes: 0 ok, 1 not ok, 2 wrong usage.",
    )
    add_shared(root, "profile", *OUTPUT, *COMMON_OPTIONS)
    root.add_argument(
        "-V", "--version", action=_ShowVersion, nargs=0, help="show the version and exit"
    )
    root.set_defaults(**DEFAULTS)
    actions = root.add_subparsers(
        title="commands",
        prog="pw",
        required=True,
        metavar="COMMAND",
        dest="name_of_command",
        parser_class=Parser,
    )
    for name, help, fill in COMMANDS:
        actions.add_parser(name, help=help, fill=fill)
    actions.add_parser(KEYWORD_LINE, fill=add_keyword_line)
    return root


def commands() -> Mapping[str, Parser]:
    """The parser of each command; see `Parser.filled`."""
    return subparsers(parser())


def _check_keyword(root: Parser, name: str, words: list[str]) -> None:
    """Reject an unknown command; show the help of a keyword if asked for."""
    from pwtui.keywords.help import help_for
    from pwtui.keywords.parser import line_keyword, similar_to, unknown
    from pwtui.keywords.table import UNSUPPORTED_KEYWORDS
    from pwtui.protocol.catalog import catalog

    keyword = line_keyword([name, *words])
    if keyword is None and name not in catalog():
        known = [each for each in commands() if each != KEYWORD_LINE]
        near = did_you_mean(near_misses(name, [*known, *similar_to(name)]))
        hint = unknown(name).hint if name in UNSUPPORTED_KEYWORDS else near
        root.error(with_hint(f"unknown command '{name}'", hint or "see `pw help`"))
    given = words[: words.index("--")] if "--" in words else words
    if "-h" in given or "--help" in given:
        options = commands()[KEYWORD_LINE].filled().format_help()
        about = help_for(keyword.name) if keyword else catalog()[name].help
        if keyword is None:
            about += f"\n  {name} [NAME=VALUE | NAME:=JSON]...; see `pw ops {name}`"
        raise Stop(0, f"{about}\n\n{options[options.index('options:') :]}")
