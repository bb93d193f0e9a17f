"""Checking a value against the JSON Schema that an operation declares, as a person types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


def problems(schema: dict[str, Any], value: Any) -> list[tuple[str, str]]:
    """What is wrong with the value: (field, problem). The daemon has the last word."""
    return list(_check(schema, value, schema.get("$defs", {}), ""))


def _check(
    schema: dict[str, Any], value: Any, defs: dict[str, Any], path: str
) -> Iterator[tuple[str, str]]:
    schema = _resolved(schema, defs)
    if "anyOf" in schema:
        found = [list(_check(each, value, defs, path)) for each in schema["anyOf"]]
        if all(found):
            yield min(found, key=len)[0]
        return
    kind = schema.get("type")
    if kind is not None:
        is_bool_for_number = isinstance(value, bool) and kind in ("integer", "number")
        if not isinstance(value, _TYPES[kind]) or is_bool_for_number:
            yield path, f"must be {_WORDS.get(kind, kind)}"
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
        yield from _check_object(schema, value, defs, path)
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from _check(schema["items"], item, defs, f"{path}.{index}")


def _check_object(
    schema: dict[str, Any], value: dict[str, Any], defs: dict[str, Any], path: str
) -> Iterator[tuple[str, str]]:
    fields = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield _joined(path, name), "is required"
    for name, item in value.items():
        if name in fields:
            yield from _check(fields[name], item, defs, _joined(path, name))
        elif schema.get("additionalProperties") is False:
            yield _joined(path, name), "unknown field"


def _resolved(schema: dict[str, Any], defs: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = {**defs[schema["$ref"].rpartition("/")[2]], **_without(schema, "$ref")}
    return schema


def _without(schema: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != key}


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
