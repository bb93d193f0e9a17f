"""NDJSON framing: one JSON value per line, of limited length."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from pwtui.protocol.errors import InvalidInput

MAX_LINE_BYTES = 64 * 1024 * 1024
CHUNK_BYTES = 256 * 1024


class LineTooLong(InvalidInput):
    def __init__(self, limit: int) -> None:
        super().__init__(
            f"the line is longer than {limit} bytes",
            hint="put large values into a file and pass its path",
            details={"limitBytes": limit},
        )


class LineSplitter:
    """Splits a stream of bytes into lines, without blank lines and a byte order mark.

    A line over the limit is discarded and returned as an error.
    """

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._mark = codecs.BOM_UTF8

    def feed(self, data: bytes) -> Iterator[bytes | LineTooLong]:
        *whole, rest = data.split(b"\n")
        for piece in whole:
            self._add(piece)
            yield from self.end()
        self._add(rest)

    def end(self) -> Iterator[bytes | LineTooLong]:
        """The last line, at the end of the line or of the stream."""
        parts, size, mark = self._parts, self._size, self._mark
        self._parts, self._size, self._mark = [], 0, b""
        if size > self._limit:
            yield LineTooLong(self._limit)
        elif line := b"".join(parts).removeprefix(mark).strip(b" \t\r"):
            yield line

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            self._parts.clear()
        elif piece:
            self._parts.append(piece)
