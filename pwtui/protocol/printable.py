"""Makes text from pages, files and other programs safe for a terminal."""

from __future__ import annotations

import re

UNSAFE = (
    "\x00-\x1f\x7f-\x9f"  # C0 and C1 controls: escape sequences begin with them
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional controls: they reorder a line
    "\u2028\u2029\ud800-\udfff\ufffe\uffff"  # separators, surrogates, noncharacters
)
"""Characters that must not reach a terminal, as the inside of a character class."""

_UNSAFE_IN_TEXT = f"(?![\n\t])[{UNSAFE}]"


def printable(text: str) -> str:
    r"""The text with unsafe characters as \uXXXX; line breaks and tabs are kept.

    These are JSON's escapes, so printable JSON has the same value.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    return re.sub(_UNSAFE_IN_TEXT, lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    """The printable text without line breaks and tabs."""
    return printable(" ".join(text.split()) if "\n" in text or "\t" in text else text)


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 step`, `2 steps`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
