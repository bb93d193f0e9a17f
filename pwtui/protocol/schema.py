"""Reads the JSON Schemas of operations, as pydantic generates them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]

DEEPEST = 6
SECRET_MARK = "x-secret"
VOLATILE_MARK = "x-volatile"
TAB_MARK = "x-tab"
"""On a field that names a tab."""
ONE_OF_MARK = "x-one-of"
"""On an object: its fields of which exactly one must be set."""
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_TYPE_TEXTS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


def camel_case(name: str) -> str:
    """The JSON name of a field: `time_limit` becomes `timeLimit`."""
    first, *others = name.split("_")
    return first + "".join([word[:1].upper() + word[1:] for word in others])


def properties(schema: Schema) -> dict[str, Schema]:
    """The documented fields, without second spellings."""
    fields: Mapping[str, Schema] = schema.get("properties", {})
    return {name: field for name, field in fields.items() if not field.get("deprecated")}


def variants(schema: Schema, root: Schema, depth: int = 0) -> Iterator[Schema]:
    """The alternatives of a value, one schema each, with references resolved."""
    if depth > DEEPEST:
        yield {}
    elif "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        yield from variants(root.get("$defs", {}).get(name, {}), root, depth + 1)
    elif len(schema.get("allOf", ())) == 1:
        yield from variants(schema["allOf"][0], root, depth + 1)
    elif "anyOf" in schema or "oneOf" in schema:
        for each in schema.get("anyOf") or schema["oneOf"]:
            yield from variants(each, root, depth + 1)
    elif isinstance(schema.get("type"), list):
        for each in schema["type"]:
            yield {**schema, "type": each}
    else:
        yield schema


def shapes(schema: Schema, root: Schema) -> list[Schema]:
    """The variants without null."""
    return [each for each in variants(schema, root) if each.get("type") != "null"]


def types(schema: Schema, root: Schema) -> set[str]:
    """The JSON types of the value; empty if any value is allowed."""
    return {str(each["type"]) for each in variants(schema, root) if "type" in each}


def choices(schema: Schema, root: Schema) -> tuple[Any, ...] | None:
    """The allowed values, or None if they are not listed."""
    found: list[Any] = []
    possible = shapes(schema, root)
    for shape in possible:
        if "enum" in shape:
            found += shape["enum"]
        elif "const" in shape:
            found.append(shape["const"])
        elif shape.get("type") == "boolean" and len(possible) == 1:
            found += [True, False]
        else:
            return None
    return tuple(found) or None


def type_name(schema: Schema) -> str:
    """The type as documentation writes it: `"a" | "b"`, `string[]`, `CookieData`."""
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "anyOf" in schema:
        kinds = [type_name(each) for each in schema["anyOf"] if each.get("type") != "null"]
        return " | ".join(dict.fromkeys(kinds))
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    kind = str(schema.get("type", "any"))
    if kind != "array" or "items" not in schema:
        return kind
    item = type_name(schema["items"])
    return f"({item})[]" if " | " in item else f"{item}[]"


def secret_fields(schema: Schema) -> dict[str, Any]:
    """The fields that may hold a secret, with its kind."""
    fields: Mapping[str, Schema] = schema.get("properties", {})
    return {name: each[SECRET_MARK] for name, each in fields.items() if SECRET_MARK in each}


def volatile_fields(schema: Schema) -> Iterator[str]:
    """The fields, at any depth, whose values differ each time."""
    for name, field in schema.get("properties", {}).items():
        if field.get(VOLATILE_MARK):
            yield name
    for definition in schema.get("$defs", {}).values():
        yield from volatile_fields(definition)


def typed_value(text: str, schema: Schema, root: Schema) -> Any:
    """The text as JSON if the schema has its type, else as it is."""
    kinds = types(schema, root)
    try:
        value = json.loads(text)
    except ValueError:
        return text
    fits = not kinds or any(_is_a(value, kind) for kind in kinds)
    # A string field gets the text as typed: 007 stays 007, and quotes were removed already.
    return value if fits and not isinstance(value, str) else text


def problems(schema: Schema, value: Any) -> list[tuple[str, str]]:
    """The problems of a value as (field, problem); only the executor checks everything."""
    return list(_check(schema, value, schema, ""))


def exactly_one(names: Sequence[str]) -> str:
    """The problem of an object with none or several of these fields."""
    return f"exactly one of {', '.join(names[:-1])} and {names[-1]} is required"


def _check(schema: Schema, value: Any, root: Schema, path: str) -> Iterator[tuple[str, str]]:
    possible = list(variants(schema, root))
    if len(possible) > 1:
        found = [list(_check(each, value, root, path)) for each in possible]
        if all(found):
            yield min(found, key=len)[0]
        return
    schema = possible[0]
    kind = schema.get("type")
    if kind is not None and not _is_a(value, kind):
        yield path, f"must be {_TYPE_TEXTS.get(kind, kind)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield path, "must be one of " + ", ".join(str(each) for each in schema["enum"])
    if "const" in schema and value != schema["const"]:
        yield path, f"must be {schema['const']}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value < schema.get("minimum", value):
            yield path, f"must be at least {schema['minimum']}"
        if value > schema.get("maximum", value):
            yield path, f"must be at most {schema['maximum']}"
    if isinstance(value, str) and len(value) < schema.get("minLength", 0):
        yield path, "must not be empty"
    if isinstance(value, dict):
        yield from _check_object(schema, value, root, path)
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from _check(schema["items"], item, root, f"{path}.{index}")


def _check_object(
    schema: Schema, value: dict[str, Any], root: Schema, path: str
) -> Iterator[tuple[str, str]]:
    fields = schema.get("properties", {})
    prefix = f"{path}." if path else ""
    for name in schema.get("required", ()):
        if name not in value:
            yield prefix + name, "is required"
    one_of = schema.get(ONE_OF_MARK, ())
    if one_of and sum(value.get(name) is not None for name in one_of) != 1:
        yield prefix + one_of[0], exactly_one(one_of)
    for name, item in value.items():
        if name in fields:
            yield from _check(fields[name], item, root, prefix + name)
        elif schema.get("additionalProperties") is False:
            yield prefix + name, "unknown field"


def _is_a(value: Any, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, _TYPES[kind])
