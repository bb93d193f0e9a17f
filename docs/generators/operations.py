"""The catalogue, the page of operations and the text of `pw --help`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import groupby

from pwtui.cli.parser import parser
from pwtui.operations.framework.declare import Operation, operations
from pwtui.protocol.catalog import write_catalog
from pwtui.protocol.errors import PwError
from pwtui.protocol.schema import Schema, properties, type_name

_HEADER = """\
# Operations

This page is written from the operations' declarations by `make docs`; `pw ops` shows the same.
Every input may be given with camelCase or snake_case names. Unknown fields are refused.
"""


def help_text() -> str:
    """`pw --help`, as wide as a terminal is at least."""
    os.environ["COLUMNS"] = "80"
    return parser().format_help()


def catalog_text() -> str:
    return write_catalog({id: each.info for id, each in operations().items()})


def page() -> str:
    parts = [_HEADER]
    by_family = groupby(operations().values(), key=lambda each: each.info.family)
    for family, members in by_family:
        parts.append(f"## {family}\n")
        parts += [_operation(each) for each in members]
    parts.append(_error_codes())
    return "\n".join(parts)


def _operation(each: Operation) -> str:
    lines = [f"### `{each.id}`\n", f"{each.help}\n"]
    if each.run.interactive:
        lines.append("Needs a person at the terminal; refused in a batch.\n")
    if each.takes_element and not each.target.optional:
        fallback = f", else `{each.target.fallback}`" if each.target.fallback else ""
        lines.append(f"Without a selector or ref, the last one is used{fallback}.\n")
    lines += _table("input", each.info.input)
    lines += _table("data", each.info.data)
    example = json.dumps({"op": each.id, "input": dict(each.example)}, ensure_ascii=False)
    lines.append(f"```json\n{example}\n```\n")
    return "\n".join(lines)


def _table(title: str, schema: Schema) -> Iterator[str]:
    required = schema.get("required", []) if title == "input" else []
    shown = properties(schema)
    if not shown:
        return
    yield f"| {title} | type | default | |\n|---|---|---|---|"
    for name, field in shown.items():
        default = "required" if name in required else _default(field)
        text = field.get("description", "").replace("|", "\\|")
        kind = type_name(field).replace("|", "\\|")
        yield f"| `{name}` | {kind} | {default} | {text} |"
    yield ""


def _default(field: Schema) -> str:
    value = field.get("default")
    return f"`{json.dumps(value, ensure_ascii=False)}`" if value is not None else ""


def _error_codes() -> str:
    lines = ["## Error codes\n", "| code | meaning |\n|---|---|"]
    lines += [f"| `{each.code}` | {each.__doc__} |" for each in PwError.__subclasses__()]
    return "\n".join(lines) + "\n"
