"""JSON as readable lines: one item per line, long strings as blocks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_PIECE = 1000  # a longer string is split into pieces of this length
_TOKEN = re.compile(
    r"""
      (?P<key>"[^"\\]*(?:\\.[^"\\]*)*"(?=\s*:))
    | (?P<string>"[^"\\]*(?:\\.[^"\\]*)*"?)
    | (?P<number>-?\d[\d.eE+-]*)
    | (?P<literal>\b(?:true|false|null|NaN|-?Infinity)\b)
    | (?P<punctuation>[\[\]{}:,]+)
    """,
    re.VERBOSE,
)
_BEFORE_STRING = re.compile(r'(\s*)((?:"[^"\\]*(?:\\.[^"\\]*)*": )?)(?=")')
_BLOCK, _BLOCK_CONTINUED = "│ ", "┆ "


def json_tokens(line: str) -> Iterator[tuple[str, str]]:
    """One line of pretty-printed JSON as tokens with their component class."""
    bare = line.lstrip()
    if bare.startswith((_BLOCK, _BLOCK_CONTINUED)):
        start = len(line) - len(bare) + len(_BLOCK)
        yield line[:start], "json--punctuation"
        yield line[start:], "json--string"
        return
    at = 0
    for match in _TOKEN.finditer(line):
        if match.start() > at:
            yield line[at : match.start()], ""
        piece = match.group()
        is_half = piece[0] == '"' and (len(piece) == 1 or piece[-1] != '"')
        yield piece, "json--punctuation" if is_half else f"json--{match.lastgroup}"
        at = match.end()
    if at < len(line):
        yield line[at:], ""


def json_lines(value: Any) -> list[str]:
    """A value as JSON, one item per line; long and multi-line strings as blocks."""
    text = json_text(value)
    lines = text.split("\n")
    if "\\n" not in text and max(map(len, lines)) <= _PIECE:
        return lines
    result: list[str] = []
    for line in lines:
        if "\\n" in line or len(line) > _PIECE:
            result.extend(_as_block(line))
        else:
            result.append(line)
    return result


def json_text(value: Any) -> str:
    """A value as JSON with one item per line."""
    from pydantic_core import (
        PydanticSerializationError,
        to_json,
    )  # the first paint does not need it

    try:
        return to_json(value, indent=2).decode()
    except PydanticSerializationError:
        pass  # too deep, or half a surrogate pair
    try:
        return json.dumps(value, indent=2, default=str)
    except (RecursionError, ValueError) as error:
        return json.dumps(f"cannot be shown as JSON: {error}")


def _as_block(line: str) -> list[str]:
    match = _BEFORE_STRING.match(line)
    comma = "," if line.endswith('",') else ""
    quoted = line[match.end() : len(line) - len(comma)] if match else ""
    if match is None or len(quoted) < 2 or quoted[-1] != '"':
        return [line]
    indent, key = match.groups()
    text: str = json.loads(quoted)
    if "\n" not in text and len(text) <= _PIECE:  # a backslash and an n
        return [line]
    block = [f'{indent}{key}"']
    for row in text.split("\n"):
        block.append(f"{indent}  {_BLOCK}{row[:_PIECE]}")
        for start in range(_PIECE, len(row), _PIECE):
            block.append(f"{indent}  {_BLOCK_CONTINUED}{row[start : start + _PIECE]}")
    return [*block, f'{indent}"{comma}']
