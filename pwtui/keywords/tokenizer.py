"""Cutting a line into words.

Quotes group where a word begins (or after `name=`), and know a few escapes. Inside brackets that
close again everything belongs to one word, quotes included, so locators and CSS selectors can be
typed as they are: `click getByRole('button', { name: 'Go' })`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pwtui.keywords.errors import KeywordError

_QUOTES = "\"'"
_CODE_QUOTES = f"{_QUOTES}`"
_ESCAPES = {
    '"': {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r"},
    "'": {"'": "'", "\\": "\\"},
}
_ASSIGNED = re.compile(r"(?:--)?[A-Za-z_][\w.-]*:?=$")
# A word is plain only if brackets and quotes later in the line make no difference to it.
_WHATEVER_FOLLOWS = " x'x\"x)]}"
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ESCAPED_IN_DOUBLE = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


@dataclass(frozen=True, slots=True)
class Word:
    """One word, and where it stands in the line."""

    text: str
    start: int
    end: int
    quoted: bool = False
    """Whether the whole word was in quotes, and so is meant as it stands."""

    @property
    def is_option(self) -> bool:
        return self.text.startswith("--") and len(self.text) > 2 and not self.quoted


def split(line: str) -> list[Word]:
    """The words of a line, or KeywordError for a quote that never closes."""
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
    """The text as one word of a line; plain where it can be."""
    if text and text[0] not in f"-{_QUOTES}":
        try:
            first, *_ = split(text + _WHATEVER_FOLLOWS)
        except (KeywordError, ValueError):
            return double_quoted(text)
        if first.text == text and first.end == len(text) and not first.quoted:
            return text
    return double_quoted(text)


def is_open(code: str) -> bool:
    """Whether a bracket of the code has not been closed yet."""
    open_brackets: list[str] = []
    position = 0
    while position < len(code):
        char = code[position]
        if char in _CODE_QUOTES:
            position = _after_string(code, position)
            continue
        if char in _CLOSING:
            open_brackets.append(_CLOSING[char])
        elif open_brackets and char == open_brackets[-1]:
            open_brackets.pop()
        position += 1
    return bool(open_brackets)


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
    raise KeywordError(f"the quote {mark} at character {start + 1} does not close")


def _closing(line: str, start: int) -> int | None:
    """The position after the bracket that closes the one at `start`; None where none does."""
    open_brackets: list[str] = []
    position = start
    while position < len(line):
        char = line[position]
        if char in _QUOTES:
            position = _after_string(line, position)
            continue
        if char in _CLOSING:
            open_brackets.append(_CLOSING[char])
        elif open_brackets and char == open_brackets[-1]:
            open_brackets.pop()
            if not open_brackets:
                return position + 1
        position += 1
    return None


def _after_string(line: str, start: int) -> int:
    """Past a string as JavaScript writes it; an apostrophe that closes nothing is a letter."""
    position = start + 1
    while position < len(line):
        if line[position] == "\\":
            position += 2
        elif line[position] == line[start]:
            return position + 1
        else:
            position += 1
    return start + 1
