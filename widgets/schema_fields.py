"""The fields of a form, from a JSON Schema of pydantic."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pwtui.protocol.schema import DEEPEST, Schema, choices, properties, variants

MISSING = object()

_INTEGER = re.compile(r"[+-]?[0-9]+")
_SCALARS = {"string", "integer", "number", "boolean"}


class FieldKind(Enum):
    TEXT = "text"
    CHOICE = "choice"
    LIST = "list"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Field:
    """An input of the form."""

    path: tuple[str, ...]
    kind: FieldKind
    description: str = ""
    is_required: bool = False
    default: object = MISSING
    types: frozenset[str] = frozenset({"string"})
    """The JSON types of a text, or of an item of a list."""
    choices: tuple[object, ...] = ()
    can_be_unset: bool = True

    @property
    def key(self) -> str:
        return ".".join(self.path)

    @property
    def hint(self) -> str:
        """How to fill it in."""
        match self.kind:
            case FieldKind.LIST:
                return "One item per line: Enter adds a line."
            case FieldKind.JSON:
                return "A JSON value."
            case FieldKind.CHOICE:
                return "Left and right choose, Backspace unsets."
        return "Alt+R picks a ref." if self.is_ref else ""

    @property
    def is_ref(self) -> bool:
        return self.path[-1] == "ref" or self.path[-1].endswith("Ref")


@dataclass(frozen=True, slots=True)
class Section:
    """An object, as a group of fields."""

    path: tuple[str, ...]
    description: str
    parts: tuple[Field | Section, ...]

    def sections(self) -> Iterator[Section]:
        """The groups in it, each before those in it."""
        for part in self.parts:
            if isinstance(part, Section):
                yield part
                yield from part.sections()

    def fields(self) -> Iterator[Field]:
        for part in self.parts:
            if isinstance(part, Section):
                yield from part.fields()
            else:
                yield part


def read_schema(schema: Schema) -> Section:
    """The fields of an object's schema: required ones first, groups last, no deprecated ones."""
    return _group((), schema, schema, "")


def _group(path: tuple[str, ...], schema: Schema, root: Schema, description: str) -> Section:
    required = set(schema.get("required", ()))
    parts = [
        _part((*path, name), part, root, name in required)
        for name, part in properties(schema).items()
    ]
    parts.sort(key=lambda part: (isinstance(part, Section), not _is_required(part)))
    return Section(path, description or _description(schema), tuple(parts))


def _description(schema: Schema) -> str:
    """Without the marks of Markdown."""
    return str(schema.get("description", "")).replace("`", "")


def _is_required(part: Field | Section) -> bool:
    return isinstance(part, Field) and part.is_required


def _part(
    path: tuple[str, ...], schema: Schema, root: Schema, is_required: bool
) -> Field | Section:
    description = _description(schema)
    default = schema.get("default", MISSING)
    possible = list(variants(schema, root))
    shapes = [each for each in possible if each.get("type") != "null"]
    is_nullable = len(shapes) < len(possible)
    shape = shapes[0] if len(shapes) == 1 else {}
    described = description or _description(shape)
    if shape.get("type") == "object" and shape.get("properties") and len(path) < DEEPEST:
        return _group(path, shape, root, described)

    def field(kind: FieldKind, **more: Any) -> Field:
        return Field(path, kind, described, is_required, default, **more)

    values = choices(schema, root)
    if values is not None:
        is_switch = values == (True, False) and is_required and not is_nullable
        return field(FieldKind.CHOICE, choices=values, can_be_unset=not is_switch)
    types = {str(each.get("type")) for each in shapes}
    if types and types <= _SCALARS:
        return field(FieldKind.TEXT, types=frozenset(types))
    if shape.get("type") == "array":
        items = {str(each.get("type")) for each in variants(shape.get("items", {}), root)}
        if items and items <= _SCALARS:
            return field(FieldKind.LIST, types=frozenset(items))
    return field(FieldKind.JSON)


# Values as text ----------------------------------------------------------------------------------


def to_text(field: Field, value: object) -> str:
    """The text of a value in its field."""
    if field.kind is FieldKind.LIST and isinstance(value, list):
        return "\n".join(_item_text(item) for item in value)
    if field.kind is FieldKind.JSON:
        compact = json.dumps(value, ensure_ascii=False)
        return compact if len(compact) <= 60 else json.dumps(value, ensure_ascii=False, indent=2)
    return _item_text(value)


def choice_text(value: object) -> str:
    if value is True:
        return "yes"
    return "no" if value is False else _item_text(value)


def from_text(field: Field, text: str) -> tuple[object, str]:
    """The value of a text (MISSING if it is empty), and what is wrong with it.

    The value of an invalid text is the text itself, for the validator of the form.
    """
    if not text.strip() and (field.kind is not FieldKind.TEXT or not text):
        return MISSING, ""
    if field.kind is FieldKind.JSON:
        try:
            return json.loads(text), ""
        except ValueError as error:
            return text, f"is not JSON: {error}"
    if field.kind is FieldKind.LIST:
        return _list(field, text)
    return _scalar(field.types, text)


def _list(field: Field, text: str) -> tuple[object, str]:
    if text.lstrip().startswith("["):
        try:
            pasted = json.loads(text)
        except ValueError:
            pasted = None
        if isinstance(pasted, list):
            return pasted, ""
    items, problems = [], []
    for line in text.splitlines():
        if line.strip():
            item, problem = _scalar(field.types, line.strip())
            items.append(item)
            problems += [f"{line.strip()!r} {problem}"] if problem else []
    return items, "; ".join(problems)


def _scalar(types: frozenset[str], text: str) -> tuple[object, str]:
    word = text.strip()
    if types & {"integer", "number"} and _INTEGER.fullmatch(word):
        return int(word), ""
    if "number" in types:
        try:
            return float(word), ""
        except ValueError:
            pass
    if "boolean" in types and word in ("true", "false"):
        return word == "true", ""
    if "string" in types:
        return text, ""
    if "number" in types:
        return text, "must be a number"
    return text, "must be a whole number" if "integer" in types else "must be true or false"


def _item_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
