"""The catalogue, the pages of operations and the text of `pw --help`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pwtui.cli.parser import parser
from pwtui.operations.framework.declare import Operation, operations
from pwtui.protocol.catalog import AREAS, OperationInfo, write_catalog
from pwtui.protocol.errors import PwError
from pwtui.protocol.schema import Schema, properties, type_name

INDEX = Path("docs/operations.md")
FOLDER = Path("docs/operations")

_HEADER = """\
# Operations

Every operation, grouped by topic. `pw ops` prints the same list, and `pw ops click` describes one
operation with its JSON Schema. Field names may be written in camelCase or snake_case. Unknown
fields are rejected.

`make docs` generates these pages from the declarations of the operations.
"""


def help_text() -> str:
    """`pw --help`, as wide as a terminal is at least."""
    os.environ["COLUMNS"] = "80"
    return parser().format_help()


def catalog_text() -> str:
    return write_catalog({id: each.info for id, each in operations().items()})


def pages() -> dict[Path, str]:
    """The text of the index and of a page for each area."""
    by_area: dict[str, list[Operation]] = {area: [] for area in AREAS}
    for each in operations().values():
        by_area[each.info.area].append(each)
    details = {FOLDER / f"{area}.md": _area(AREAS[area], by_area[area]) for area in AREAS}
    return {INDEX: _index(by_area), **details}


def _index(by_area: Mapping[str, list[Operation]]) -> str:
    parts = [_HEADER]
    parts += [f"- [{title}](#{_anchor(title)})" for title in AREAS.values()]
    parts.append("- [Error codes](#error-codes)\n")
    for area, members in by_area.items():
        parts += [f"## {AREAS[area]}\n", "| operation | |", "|---|---|"]
        parts += [f"| {link(each.info)} | {each.summary} |" for each in members]
        parts.append("")
    parts.append(_error_codes())
    return "\n".join(parts)


def link(operation: OperationInfo) -> str:
    place = f"operations/{operation.area}.md#{_anchor(operation.id)}"
    return f"[`{operation.id}`]({place})"


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _area(title: str, members: list[Operation]) -> str:
    contents = " · ".join(f"[`{each.id}`](#{_anchor(each.id)})" for each in members)
    head = f"# {title}\n\n[All operations](../operations.md)\n\n{contents}\n"
    return "\n".join([head, *map(_operation, members)])


def _operation(each: Operation) -> str:
    lines = [f"## `{each.id}`\n", f"{each.help}\n"]
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
