"""Lines are complete and limited in length; the line after one that is too long is intact."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtui.protocol.ndjson import CHUNK_BYTES, MAX_LINE_BYTES, LineSplitter, LineTooLong


def read_lines(
    stream: io.BytesIO | io.BufferedReader, *, limit: int = MAX_LINE_BYTES
) -> Iterator[bytes | LineTooLong]:
    """The lines of a blocking stream, each as soon as it is there."""
    splitter = LineSplitter(limit)
    while data := stream.read1(CHUNK_BYTES):
        yield from splitter.feed(data)
    yield from splitter.end()


def lines(data: bytes, limit: int = MAX_LINE_BYTES) -> list[bytes | None]:
    """The lines of `data`; None stands for one that is too long."""
    found = read_lines(io.BytesIO(data), limit=limit)
    return [None if isinstance(line, LineTooLong) else line for line in found]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n\n\r\n  \t\n", []),
        (b"a\nb\n", [b"a", b"b"]),
        (b"a\r\nb\r\n", [b"a", b"b"]),
        (b"a\nb", [b"a", b"b"]),
        (b"  a b\t\n", [b"a b"]),
        (b"\na\n\n\nb\n\n", [b"a", b"b"]),
        (b"a\rb\n", [b"a\rb"]),
        (b"\xff\xfe\n\x00\n", [b"\xff\xfe", b"\x00"]),
        ("a\u2028b\x85c\n".encode(), ["a\u2028b\x85c".encode()]),
    ],
)
def test_each_line_that_is_not_blank_is_returned(data: bytes, expected: list[bytes]) -> None:
    assert lines(data) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"12345\n", [b"12345"]),
        (b"12345", [b"12345"]),
        (b"123456\n", [None]),
        (b"123456", [None]),
        (b"123456\nok\n", [None, b"ok"]),
        (b"x" * 11 + b"\nok\n", [None, b"ok"]),
        (b"x" * 1000 + b"\nok", [None, b"ok"]),
        (b"x" * 7 + b"\n" + b"y" * 7 + b"\nok\n", [None, None, b"ok"]),
        (b"ok\n" + b"x" * 1000, [b"ok", None]),
    ],
)
def test_a_line_over_the_limit_is_refused_and_the_next_is_intact(
    data: bytes, expected: list[bytes | None]
) -> None:
    assert lines(data, limit=5) == expected


def test_the_error_has_the_limit() -> None:
    (refused,) = read_lines(io.BytesIO(b"x" * 9), limit=5)

    assert isinstance(refused, LineTooLong)
    assert refused.code == "INVALID_INPUT"
    assert "5 bytes" in refused.message
    assert refused.details == {"limitBytes": 5}


def test_the_real_limit_is_sixty_four_mebibytes() -> None:
    assert MAX_LINE_BYTES == 64 * 1024 * 1024


def test_a_line_over_the_limit_is_not_kept_in_memory() -> None:
    class Endless(io.RawIOBase):
        left = 1000

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            self.left -= 1
            chunk = b"x" * len(buffer) if self.left else b"\n"
            buffer[: len(chunk)] = chunk
            return len(chunk) if self.left >= 0 else 0

    found = list(read_lines(io.BufferedReader(Endless()), limit=100))

    assert [type(line) for line in found] == [LineTooLong]


@given(st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")), max_size=8))
def test_each_line_that_is_not_blank_is_returned_once(given_lines: list[bytes]) -> None:
    found = lines(b"\n".join(given_lines) + b"\n", limit=8)

    written = [line for line in given_lines if len(line) > 8 or line.strip(b" \t\r\n")]
    assert len(found) == len(written)
    for line, read in zip(written, found, strict=True):
        assert read == (line.strip(b" \t\r\n") if len(line) <= 8 else None)
