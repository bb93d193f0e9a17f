"""NDJSON framing: one JSON value a line, bounded, resynchronising after a line that is too long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from pwtui.protocol.errors import InvalidInput

MAX_LINE_BYTES = 64 * 1024 * 1024


class LineTooLong(InvalidInput):
    def __init__(self, limit: int) -> None:
        super().__init__(
            f"the line is longer than {limit} bytes; put large values into a file and name it",
            details={"limitBytes": limit},
        )


def read_lines(stream: BinaryIO, *, limit: int = MAX_LINE_BYTES) -> Iterator[bytes | LineTooLong]:
    """The non-blank lines of `stream`, without their line ends.

    A line over the limit is read to its end and thrown away, and yields the error in its place:
    what follows it is still in step.
    """
    while line := stream.readline(limit + 1):
        if len(line) > limit and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(limit)
            yield LineTooLong(limit)
            continue
        line = line.strip(b" \t\r\n")
        if line:
            yield line
