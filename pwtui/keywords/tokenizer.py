"""Splits a line into words.

Quotes group at the start of a word (or after `name=`) and support a few escapes. Everything inside
balanced brackets belongs to one word, quotes included, so locators and CSS selectors need no
quoting: `click getByRole('button', { name: 'Go' })`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pwtui.keywords.errors import KeywordError

_QUOTES = "\"'"
_CODE_QUOTES = f"{_QUOTES}`"
_ESCAPES = {
    '"': {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r"},
    "'": {"'": "'", "\\": "\\"},
}
_ASSIGNED = re.compile(r"(?:--)?[A-Za-z_][\w.-]*:?=$")
# A word needs no quotes only if brackets and quotes later in the line do not change it.
_WHATEVER_FOLLOWS = " x'x\"x)]}"
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ESCAPED_IN_DOUBLE = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its position in the line."""

    text: str
    start: int
    end: int
    quoted: bool = False
    """Whether the whole word was in quotes, and so is literal."""

    @property
    def is_option(self) -> bool:
        return self.text.startswith("--") and len(self.text) > 2 and not self.quoted


def split(line: str) -> list[Word]:
    """The words of a line; KeywordError for a quote that is not closed."""
    words: list[Word] = []
    position = 0
    while True:
        while position < len(line) and line[position].isspace():
            position += 1
        if position == len(line):
            return words
        word = _word(line, position)
        words.append(word)
        position = word.end


def quote(text: str) -> str:
    """The text as one word of a line, with quotes only if needed."""
    if text and text[0] not in f"-{_QUOTES}":
        try:
            first, *_ = split(text + _WHATEVER_FOLLOWS)
        except (KeywordError, ValueError):
            return double_quoted(text)
        if first.text == text and first.end == len(text) and not first.quoted:
            return text
    return double_quoted(text)


def is_open(code: str) -> bool:
    """Whether a bracket of the code is not closed."""
    depths = [depth for depth, _ in _brackets(code, 0, _CODE_QUOTES)]
    return bool(depths and depths[-1])


def double_quoted(text: str) -> str:
    return '"' + "".join(_ESCAPED_IN_DOUBLE.get(char, char) for char in text) + '"'


def _word(line: str, start: int) -> Word:
    if line[start] in _QUOTES:
        text, end = _quoted(line, start)
        if end == len(line) or line[end].isspace():
            return Word(text, start, end, quoted=True)
    text, end = "", start
    while end < len(line) and not line[end].isspace():
        char = line[end]
        if char in _QUOTES and _ASSIGNED.fullmatch(text):
            value, end = _quoted(line, end)
            text += value
        elif char in _CLOSING and (closed := _closing(line, end)) is not None:
            text += line[end:closed]
            end = closed
        else:
            text += char
            end += 1
    return Word(text, start, end)


def _quoted(line: str, start: int) -> tuple[str, int]:
    mark = line[start]
    pieces: list[str] = []
    position = start + 1
    while position < len(line):
        char = line[position]
        if char == mark:
            return "".join(pieces), position + 1
        escape = _ESCAPES[mark].get(line[position + 1 : position + 2]) if char == "\\" else None
        pieces.append(char if escape is None else escape)
        position += 1 if escape is None else 2
    raise KeywordError(f"the quote {mark} at character {start + 1} is not closed")


def _closing(line: str, start: int) -> int | None:
    """The position after the bracket that closes the one at `start`; None if none does."""
    return next((after for depth, after in _brackets(line, start, _QUOTES) if depth == 0), None)


def _brackets(line: str, position: int, quotes: str) -> Iterator[tuple[int, int]]:
    """For each bracket outside of strings, how many are open after it, and the next position."""
    closing: list[str] = []
    while position < len(line):
        char = line[position]
        if char in quotes:
            position = _after_string(line, position)
            continue
        position += 1
        if char in _CLOSING:
            closing.append(_CLOSING[char])
        elif closing and char == closing[-1]:
            closing.pop()
        else:
            continue
        yield len(closing), position


def _after_string(line: str, start: int) -> int:
    """The position after a JavaScript string; an apostrophe without a partner is a letter."""
    position = start + 1
    while position < len(line):
        if line[position] == "\\":
            position += 2
        elif line[position] == line[start]:
            return position + 1
        else:
            position += 1
    return start + 1
