"""The options that several commands of `pw` share."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any, Literal, get_args

from pwtui.cli.argument_parser import COMMON, Parser
from pwtui.cli.argument_types import BROWSERS, duration

OutputFormat = Literal["json", "ndjson", "text"]

FORMATS = get_args(OutputFormat)

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
            "help": "timeout of operations that set none: 5s, 800ms, or milliseconds",
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
            "help": "read variables from lines NAME=VALUE (also: PW_VAR_NAME in the environment)",
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
DEFAULTS: Mapping[str, Any] = {
    **dict.fromkeys(_OPTIONS),
    "headed": False,
    "no_pager": False,
    "quiet": False,
    "color": "auto",
    "verbose": 0,
    "for_people": False,
    "in_foreground": None,
}
COMMON_OPTIONS = ("workspace", "color", "no_pager", "quiet", "verbose")
OUTPUT = ("format", "json", "get")
RUNTIME = ("profile", "browser", "headed", "timeout")


def add_shared(command: argparse._ActionsContainer, *names: str, **changes: Any) -> None:
    """Add shared options; without a default, so as not to reset an option before the command."""
    for name in names:
        flags, settings = _OPTIONS[name]
        command.add_argument(*flags, **{**settings, **changes, "default": argparse.SUPPRESS})


def add_common(command: Parser, *more: str) -> None:
    """Add the common options, and more shared options, in a separate group."""
    add_shared(command.add_argument_group(COMMON), *more, *COMMON_OPTIONS)


def add_old(command: Parser, *flags: str, dest: str, **settings: Any) -> None:
    """Accept an old spelling of an option, hidden in help."""
    command.add_argument(
        *flags, dest=dest, default=argparse.SUPPRESS, help=argparse.SUPPRESS, **settings
    )
