"""The texts that a search finds: what is indexed, and how contents are stored."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from pwtui.history.tables import Content, Packing

MAX_INDEXED = 64 * 1024
"""Characters of one text that are indexed."""

LONGEST_WORD = 200

# The number of a text in the index: that of its row, and from which table it is.
REQUEST, EVENT, CONTENT = 0, 1, 2
TABLES = 4

_NOT_SEARCHED = {"schemaVersion", "requestId", "eventSeq", "sessionKey", "workspace", "time"}


def unpacked(packing: int, data: bytes) -> bytes:
    """A content as it was given."""
    return zlib.decompress(data) if packing == Packing.COMPRESSED else data


def searched_text(*envelopes: str | None) -> str:
    """The values of envelopes or events that a search finds; none of one that is damaged."""
    words: list[str] = []
    for envelope in envelopes:
        with suppress(ValueError, RecursionError):
            words.extend(_values(json.loads(envelope or "null")))
    return " ".join(words)[:MAX_INDEXED]


def content_text(kind: int, packing: int, data: bytes) -> str:
    """What is indexed of a content; nothing of one that is damaged."""
    if kind == Content.PICTURE:
        return ""
    try:
        text = unpacked(packing, data).decode("utf-8", "replace")
    except zlib.error:
        return ""
    return searched_text(text) if kind == Content.RESPONSE else text[:MAX_INDEXED]


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in _NOT_SEARCHED:
                yield from _values(item)
    elif isinstance(value, list):
        for item in value:
            yield from _values(item)
    elif isinstance(value, str):
        # Encoded data is no text.
        yield value if len(value) < LONGEST_WORD or " " in value else value[:LONGEST_WORD]
    elif value is not None and not isinstance(value, bool):
        yield str(value)
