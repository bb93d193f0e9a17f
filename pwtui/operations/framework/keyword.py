"""Declarations of keywords.

A keyword is written as its usage: `fill|f target text... --submit`. Names come first, then
arguments, then options; aliases follow a `|`.

    [name]          may be left out          name...         takes the rest of the line
    name=field      where the input field has another name   name:default    what is sent without it
    target, name@   an element               name@to         an element whose fields begin with `to`
    name!           code, as it stands       name(no|yes)    words for false and true
    --name@op       makes it this operation  --name=field:   pairs with a colon between them

What a field takes, its choices, and the help of an option come from the operation's input model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic.alias_generators import to_camel

from pwtui.protocol import schema as schemas
from pwtui.protocol.keyword import NOTHING, Argument, ArgumentKind, Group, KeywordInfo, Option
from pwtui.protocol.schema import Schema

IN = Option("in", "within", "scope", help="Only inside the row, item or dialog with this text.")
"""An option of every keyword with an element; it may also set withinRole."""

_ARGUMENT = (
    r"(?P<name>[\w-]+)(=(?P<field>\w+))?(@(?P<prefix>\w*))?(\((?P<words>[\w|]+)\))?"
    r"(:(?P<default>\w+))?(?P<raw>!)?(?P<rest>\.\.\.)?"
)
_OPTION = r"--(?P<names>[\w|-]+)(=(?P<field>\w+))?(?P<separator>:)?(@(?P<op>[a-z.]+))?"
_KINDS: Mapping[frozenset[str], ArgumentKind] = {
    frozenset({"integer"}): "integer",
    frozenset({"number"}): "number",
    frozenset({"boolean"}): "flag",
    frozenset({"object"}): "pairs",
}


class Keyword(NamedTuple):
    """A keyword with more than its usage."""

    usage: str
    summary: str | None = None
    """Default: that of the operation."""
    fixed: Mapping[str, Any] = NOTHING
    bare_op: str | None = None
    bare_fixed: Mapping[str, Any] = NOTHING
    group: Group | None = None
    """Default: that of the module."""

    def info(self, op: str, summary: str, group: Group, input: Schema) -> KeywordInfo:
        names, *words = self.usage.split()
        name, *aliases = names.split("|")
        arguments = tuple(_argument(each, input) for each in words if not each.startswith("--"))
        options = tuple(_options(words, input))
        takes_element = any(each.kind == "target" and not each.field for each in arguments)
        if takes_element and not any(each.raw for each in arguments):
            options = (*options, IN)
        return KeywordInfo(
            op=op,
            name=name,
            group=self.group or group,
            summary=self.summary or summary,
            aliases=tuple(aliases),
            arguments=arguments,
            options=options,
            fixed=self.fixed,
            bare_op=self.bare_op or (op if self.bare_fixed else None),
            bare_fixed=self.bare_fixed,
        )


def _argument(written: str, input: Schema) -> Argument:
    found = re.fullmatch(_ARGUMENT, written.strip("[]"))
    if found is None:
        raise ValueError(f"not an argument of a keyword: {written}")
    name, required = found["name"], not written.startswith("[")
    is_target = name == "target" and "selector" in input["properties"]
    if is_target or found["prefix"] is not None:
        return Argument(name, found["prefix"] or "", "target", required)
    field = found["field"] or _camel(name)
    kind, many, choices = _taken(field, input)
    words = tuple(found["words"].split("|")) if found["words"] else ()
    return Argument(
        name,
        field,
        "role" if name == "role" else "text" if kind == "flag" else kind,
        required,
        many=many,
        rest=bool(found["rest"]),
        raw=bool(found["raw"]),
        default=found["default"],
        choices=words or choices,
        values=(False, True) if words else (),
    )


def _options(words: list[str], input: Schema) -> Iterator[Option]:
    for written in words:
        if not written.startswith("--"):
            continue
        found = re.fullmatch(_OPTION, written)
        if found is None:
            raise ValueError(f"not an option of a keyword: {written}")
        name, *aliases = found["names"].split("|")
        if found["op"]:
            yield Option(name, found["field"] or "", "flag", op=found["op"])
            continue
        field = found["field"] or _camel(name)
        kind, many, choices = _taken(field, input)
        yield Option(
            name,
            field,
            kind,
            tuple(aliases),
            many or kind == "pairs",
            separator=found["separator"] or "=",
            choices=choices,
            help=input["properties"][field].get("description", ""),
        )


def _taken(name: str, input: Schema) -> tuple[ArgumentKind, bool, tuple[str, ...]]:
    """The kind of a field, whether it is a list, and its choices."""
    field: Schema = input["properties"][name]
    types = frozenset(schemas.types(field, input) - {"null"})
    choices = [each for each in schemas.choices(field, input) or () if isinstance(each, str)]
    # There are separate keywords to reset a field.
    words = tuple(each for each in choices if each != "reset")
    return _KINDS.get(types, "text"), types == {"array"}, words


def _camel(name: str) -> str:
    return to_camel(name.replace("-", "_"))
