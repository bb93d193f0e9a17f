"""What the table of keywords is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["text", "target", "role", "integer", "number", "flag", "pairs", "scope"]


@dataclass(frozen=True, slots=True)
class Argument:
    """A word that is known by its place."""

    name: str
    field: str = ""
    """The input field; for a target, what its fields begin with (`to` for `toRef`)."""
    kind: Kind = "text"
    required: bool = True
    many: bool = False
    """Takes all words that are left, as a list."""
    rest: bool = False
    """Takes all that is left of the line, as one text."""
    raw: bool = False
    """The same, and the quotes in it are part of it: code."""
    default: Any = None
    choices: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()
    """What each choice sends, where that is not the word itself."""


@dataclass(frozen=True, slots=True)
class Option:
    """`--name value`, `--name=value`, or `--name` alone for a flag."""

    name: str
    field: str = ""
    kind: Kind = "text"
    many: bool = False
    op: str | None = None
    """The keyword is another operation with it."""
    separator: str = "="
    """Between the name and the value of a pair."""
    choices: tuple[str, ...] = ()
    value: Any = True
    """What a flag sends."""
    help: str = ""


@dataclass(frozen=True, slots=True)
class Keyword:
    """One keyword: its operation, and how its words become the operation's input."""

    name: str
    op: str
    summary: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Fields that it always sends."""
    aliases: tuple[str, ...] = ()
    bare_op: str | None = None
    """Its operation when it stands alone."""
    bare_fixed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def usage(self) -> str:
        parts = [self.name]
        for argument in self.arguments:
            shown = "|".join(argument.choices) if argument.choices else argument.name
            more = "..." if argument.many or argument.rest or argument.raw else ""
            parts.append(f"<{shown}{more}>" if argument.required else f"[{shown}{more}]")
        for option in self.options:
            value = "" if option.kind == "flag" else f" {_value_of(option)}"
            parts.append(f"[--{option.name}{value}]")
        return " ".join(parts)

    @property
    def required(self) -> int:
        return sum(argument.required for argument in self.arguments)


def _value_of(option: Option) -> str:
    if option.choices:
        return "|".join(option.choices)
    match option.kind:
        case "integer" | "number":
            return "N"
        case "scope":
            return "[ROLE] TEXT"
        case "pairs":
            return f"NAME{option.separator.strip() or ':'}VALUE"
        case _:
            return option.name.upper().replace("-", "_")


IN = Option("in", "within", "scope", help="Only inside the row, item or dialog with this text.")
"""For every keyword that takes an element; it also fills withinRole."""


def target(name: str = "target", field: str = "", *, required: bool = True) -> Argument:
    return Argument(name, field, "target", required=required)


def flag(name: str, field: str = "", *, value: Any = True, op: str | None = None) -> Option:
    return Option(name, field or ("" if op else name), "flag", value=value, op=op)
