"""The parts of a keyword: how the words of a line become an operation's input."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

ArgumentKind = Literal["text", "target", "role", "integer", "number", "flag", "pairs", "scope"]
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Group(StrEnum):
    """The sections of the keyword help, in their order."""

    NAVIGATION = "Navigation"
    ACTIONS = "Actions"
    KEYBOARD_AND_MOUSE = "Keyboard and mouse"
    READING = "Reading"
    ASSERTIONS = "Assertions"
    WAITING = "Waiting"
    DIALOGS = "Dialogs"
    TABS = "Tabs"
    STORAGE = "Storage"
    NETWORK = "Network"
    EMULATION = "Emulation"
    CAPTURE = "Trace and video"
    SESSION = "Session"


class Argument(NamedTuple):
    """A positional argument."""

    name: str
    field: str = ""
    """The input field; for a target, the prefix of its fields (`to` for `toRef`)."""
    kind: ArgumentKind = "text"
    required: bool = True
    many: bool = False
    """Takes all remaining words, as a list."""
    rest: bool = False
    """Takes the rest of the line, as one text."""
    raw: bool = False
    """Takes the rest of the line with its quotes, as code."""
    default: Any = None
    choices: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()
    """The value that each choice sends (default: the word itself)."""


class Option(NamedTuple):
    """`--name value`, `--name=value`, or `--name` alone for a flag."""

    name: str
    field: str = ""
    kind: ArgumentKind = "text"
    aliases: tuple[str, ...] = ()
    many: bool = False
    op: str | None = None
    """The operation that the keyword calls with this option."""
    separator: str = "="
    """Separates the name from the value of a pair."""
    choices: tuple[str, ...] = ()
    help: str = ""

    @property
    def value_name(self) -> str:
        if self.choices:
            return "|".join(self.choices)
        match self.kind:
            case "integer" | "number":
                return "N"
            case "scope":
                return "[ROLE] TEXT"
            case "pairs":
                return f"NAME{self.separator}VALUE"
            case _:
                return self.name.upper().replace("-", "_")


class KeywordInfo(NamedTuple):
    """One keyword of an operation."""

    op: str
    name: str
    group: Group
    summary: str
    aliases: tuple[str, ...] = ()
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    fixed: Mapping[str, Any] = NOTHING
    """Fields that are always sent."""
    bare_op: str | None = None
    """The operation without arguments."""
    bare_fixed: Mapping[str, Any] = NOTHING

    @property
    def usage(self) -> str:
        parts = [self.name]
        for argument in self.arguments:
            shown = "|".join(argument.choices) if argument.choices else argument.name
            more = "..." if argument.many or argument.rest or argument.raw else ""
            parts.append(f"<{shown}{more}>" if argument.required else f"[{shown}{more}]")
        for option in self.options:
            value = "" if option.kind == "flag" else f" {option.value_name}"
            parts.append(f"[--{option.name}{value}]")
        return " ".join(parts)

    def option(self, name: str) -> Option | None:
        found = (each for each in self.options if name == each.name or name in each.aliases)
        return next(found, None)


class Completion(NamedTuple):
    """A suggestion for the text between `start` and the cursor."""

    text: str
    start: int
    description: str = ""
