"""The page of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pwtui.cli.argument_parser import COMMON, Parser, subparsers
from pwtui.cli.command_table import KEYWORD_LINE
from pwtui.cli.parser import parser

FILE = Path("docs/cli.md")
_INTRODUCTION = Path(__file__).with_name("cli.md")


def page() -> str:
    os.environ["COLUMNS"] = "80"
    named = {name: each for name, each in subparsers(parser()).items() if name != KEYWORD_LINE}
    sections = [section for name, each in named.items() for section in _sections(name, each)]
    common = parser().format_help().partition("options:\n")[2].partition("\n\n")[0]
    options = f"### Common options\n\n```text\n{common}\n```\n"
    return "\n".join([_INTRODUCTION.read_text(encoding="utf-8") + options, *sections])


def _sections(path: str, command: Parser) -> Iterator[str]:
    level = "#" * (3 + path.count(" "))
    help = command.filled().format_help()
    # The options that every command has are described once.
    own, _, common = help.partition(f"\n\n{COMMON}:\n")
    rest = common.partition("\n\n")[2]
    text = "\n\n".join(part.strip() for part in (own, rest) if part)
    yield f"{level} `pw {path}`\n\n```text\n{text}\n```\n"

    for name, each in subparsers(command).items():
        yield from _sections(f"{path} {name}", each)
