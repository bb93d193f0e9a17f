"""What shells complete: commands and options of the parser, operations and keywords."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pwtui.cli.argument_parser import Parser, subparsers
from pwtui.cli.command_table import KEYWORD_LINE
from pwtui.cli.parser import parser
from pwtui.keywords.table import KEYWORDS, aliases
from pwtui.protocol.catalog import catalog
from pwtui.protocol.keyword import Argument, Option
from pwtui.protocol.schema import choices, properties
from pwtui.state.config import setting_schema

FILE = Path("pwtui/cli/completion.json")

# What the value of an argument is, by the argument's name.
_KINDS = {
    "about": "command",
    "artifacts_dir": "folder",
    "fields": "field",
    "file": "file",
    "files": "recording",
    "input": "file",
    "name": "profile",
    "op": "operation",
    "output": "file",
    "profile": "profile",
    "report": "file",
    "settings": "setting",
    "source": "recording",
    "var_file": "file",
    "workspace": "folder",
}


def completion_text() -> str:
    data: dict[str, dict[str, Any]] = {
        "commands": dict(_commands(parser(), "")),
        "keyword options": _options(subparsers(parser())[KEYWORD_LINE].filled()),
        "keywords": {
            each.name: {
                "help": each.summary,
                "options": {
                    f"--{option.name}": _value(option.help, option) for option in each.options
                },
                "arguments": [_value("", argument)[1] for argument in each.arguments],
            }
            for each in KEYWORDS
        },
        "aliases": aliases(),
        "operations": {
            info.id: {"help": info.summary, "fields": _fields(info.input)}
            for info in catalog().values()
        },
        "settings": _fields(setting_schema()),
    }
    blocks = [
        f"{json.dumps(name)}: {{\n" + ",\n".join(_line(*item) for item in block.items()) + "\n}"
        for name, block in data.items()
    ]
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def _line(name: str, value: Any) -> str:
    return f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"


def _commands(command: Parser, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each command and action by its words."""
    inner = {
        name: each for name, each in subparsers(command.filled()).items() if name != KEYWORD_LINE
    }
    about = {each.dest: each.help for each in _choices_actions(command)}
    arguments = [
        each for each in command._actions if not each.option_strings and each.nargs != "A..."
    ]
    yield (
        path,
        {
            "actions": {name: about[name] for name in inner},
            "options": _options(command),
            "arguments": [_kind(each) for each in arguments],
            "many": bool(arguments and arguments[-1].nargs in ("*", "+")),
        },
    )
    for name, each in inner.items():
        yield from _commands(each, f"{path} {name}".strip())


def _choices_actions(command: Parser) -> list[argparse.Action]:
    found = [each for each in command._actions if isinstance(each, argparse._SubParsersAction)]
    return found[0]._choices_actions if found else []


def _options(command: Parser) -> dict[str, tuple[str, Any]]:
    """The options, each with its help and the kind of its value."""
    found = command.visible_options().items()
    return {name: (each.help or "", _kind(each)) for name, each in found}


def _kind(action: argparse.Action) -> Any:
    """The choices of an argument, else the kind of its value; "" without a value."""
    if action.nargs == 0:
        return ""
    if action.choices is not None:
        return list(action.choices)
    return _KINDS.get(action.dest, "value")


def _value(help: str, each: Argument | Option) -> tuple[str, Any]:
    if each.kind == "flag":
        return help, ""
    return help, list(each.choices) or "value"


def _fields(schema: Any) -> dict[str, tuple[str, list[str]]]:
    return {
        name: (
            str(field.get("description", "")),
            [_word(value) for value in choices(field, schema) or ()],
        )
        for name, field in properties(schema).items()
    }


def _word(value: Any) -> str:
    return json.dumps(value) if not isinstance(value, str) else value
