"""Writes the types of `call` from the catalogue of operations."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pwtui.client import calls
from pwtui.protocol.catalog import OperationInfo, catalog
from pwtui.protocol.schema import Schema

STUB = Path(str(calls.__file__)).with_suffix(".pyi")

_HEADER = '''\
"""Written from the declarations of the operations by `make docs`."""

from typing import Any, Literal, overload

from pwtui.client.data import Data

'''
_INNER = "def _call(self, op: str, input: dict[str, Any]) -> Data: ...\n"
_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "dict[str, Any]",
    "array": "list[Any]",
}


class Stub:
    """The classes of all data, and the overloads of `call`."""

    def __init__(self, operations: Mapping[str, OperationInfo]) -> None:
        self._operations = operations
        self._classes: dict[str, str] = {}

    def text(self) -> str:
        overloads = [self._overload(info) for info in self._operations.values()]
        parts = [_HEADER, *(f"{text}\n" for text in self._classes.values())]
        for kind, prefix in (("Calls", ""), ("AsyncCalls", "async ")):
            parts.append(f"class {kind}:\n")
            parts += [f"    @overload\n    {prefix}{each}" for each in overloads]
            parts.append(f"    {prefix}{_INNER}")
        return "".join(parts)

    def _overload(self, info: OperationInfo) -> str:
        result = self._type(info.data, info.data.get("$defs", {}), info.id)
        fields = ", ".join(self._arguments(info))
        arguments = f", *, {fields}" if fields else ""
        return f'def call(self, operation: Literal["{info.id}"], /{arguments}) -> {result}: ...\n'

    def _arguments(self, info: OperationInfo) -> Iterator[str]:
        required = info.input.get("required", ())
        for name, schema in info.input.get("properties", {}).items():
            if not schema.get("deprecated") and not keyword.iskeyword(snake(name)):
                kind = self._type(schema, info.input.get("$defs", {}), info.id, plain=True)
                yield f"{snake(name)}: {kind}" + ("" if name in required else " = ...")

    def _type(self, schema: Schema, definitions: Schema, op: str, *, plain: bool = False) -> str:
        """The type of a value; objects of an input are plain dictionaries."""
        if "$ref" in schema:
            return self._type(
                definitions[schema["$ref"].rpartition("/")[2]], definitions, op, plain=plain
            )
        if "anyOf" in schema:
            kinds = [self._type(each, definitions, op, plain=plain) for each in schema["anyOf"]]
            return " | ".join(dict.fromkeys(kinds))
        if "enum" in schema or "const" in schema:
            values = schema.get("enum", [schema.get("const")])
            return f"Literal[{', '.join(_literal(value) for value in values)}]"
        kind = schema.get("type")
        if kind == "array" and "items" in schema:
            return f"list[{self._type(schema['items'], definitions, op, plain=plain)}]"
        if kind == "object" and "properties" in schema and not plain:
            return self._class(schema, definitions, op)
        if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
            inner = self._type(schema["additionalProperties"], definitions, op, plain=True)
            return f"dict[str, {inner}]"
        return _TYPES[kind] if isinstance(kind, str) else "Any"

    def _class(self, schema: Schema, definitions: Schema, op: str) -> str:
        """The name of the class; data of the same name and another shape is named after its op."""
        lines = []
        for name, each in schema["properties"].items():
            kind = self._type(each, definitions, op)
            is_optional = name not in schema.get("required", ()) and "None" not in kind.split(" | ")
            lines.append(f"    {snake(name)}: {kind}{' | None' if is_optional else ''}\n")
        body = "".join(lines) or "    ...\n"
        title = str(schema["title"])
        for name in (title, "".join(part.title() for part in op.split(".")) + title):
            text = f"class {name}(Data):\n{body}"
            if self._classes.setdefault(name, text) == text:
                return name
        raise ValueError(f"two classes for {title} of {op}")


def snake(name: str) -> str:
    return re.sub("([A-Z])", lambda found: f"_{found[1].lower()}", name)


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def stub_text() -> str:
    return Stub(catalog()).text()
