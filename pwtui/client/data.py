"""The data of a response, with attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pwtui.protocol.schema import Schema, camel_case


class Data:
    """An object of a response: `data.final_url` is `finalUrl` in its JSON, None when left out."""

    def __init__(self, wire: Mapping[str, Any], schema: Schema, definitions: Schema) -> None:
        self._wire = wire
        self._schema = schema
        self._definitions = definitions

    def __getattr__(self, name: str) -> Any:
        properties = self._schema.get("properties", {})
        field = camel_case(name)
        if name.startswith("_") or field not in properties:
            raise AttributeError(f"no field {name!r}: this data has {', '.join(dir(self))}")
        return _value(self._wire.get(field), properties[field], self._definitions)

    def __dir__(self) -> list[str]:
        return [_snake(name) for name in self._schema.get("properties", {})]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Data) and self._wire == other._wire

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"Data({self._wire!r})"

    def to_wire(self) -> dict[str, Any]:
        """The JSON that it was made of."""
        return dict(self._wire)


def _value(value: Any, schema: Schema, definitions: Schema) -> Any:
    """The value as its schema describes it: objects with known properties get attributes."""
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    for choice in schema.get("anyOf", ()):
        keys = ("items",) if isinstance(value, list) else ("$ref", "properties")
        if any(key in choice for key in keys):
            return _value(value, choice, definitions)
    if isinstance(value, list) and "items" in schema:
        return [_value(item, schema["items"], definitions) for item in value]
    if isinstance(value, dict) and "properties" in schema:
        return Data(value, schema, definitions)
    return value


def _snake(name: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name)
