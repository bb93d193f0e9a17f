"""URL patterns: a part of a URL, a glob, or a regular expression."""

from __future__ import annotations

import re

from pwtui.protocol.bounded_regex import Expression
from pwtui.protocol.errors import InvalidInput

_WILD = re.compile(r"\*\*/?|\*|\{[^{}]*\}")


class TextPattern:
    """A regular expression to search for in a text."""

    def __init__(self, source: str, *, ignore_case: bool = False) -> None:
        try:
            self._expression = Expression(source, ignore_case=ignore_case)
        except ValueError as error:
            raise InvalidInput(
                f"{source!r} is not a regular expression: {error}", details={"regex": source}
            ) from None

    def is_in(self, text: str) -> bool:
        found = self._expression.search(text)
        if self._expression.timed_out:
            raise InvalidInput(
                self._expression.complaint, details={"regex": self._expression.source}
            )
        return found


def url_pattern(text: str) -> TextPattern:
    """`/…/` is a regular expression, text with `*` or `{a,b}` a glob, other text a part."""
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        return TextPattern(text[1:-1])
    if "*" in text or re.search(r"\{[^{}]*,[^{}]*\}", text):
        return glob(text)
    return part(text)


def part(text: str, *, ignore_case: bool = False) -> TextPattern:
    """The literal text."""
    return TextPattern(re.escape(text), ignore_case=ignore_case)


def glob(text: str) -> TextPattern:
    """A glob for the whole URL: `*` matches anything but `/`, `**` anything."""
    parts, position = [], 0
    for wild in _WILD.finditer(text):
        parts.append(re.escape(text[position : wild.start()]))
        parts.append(_translated(wild[0]))
        position = wild.end()
    parts.append(re.escape(text[position:]))
    return TextPattern(rf"\A(?s:{''.join(parts)})\Z")


def _translated(wild: str) -> str:
    if wild.startswith("{"):
        return f"(?:{'|'.join(re.escape(choice) for choice in wild[1:-1].split(','))})"
    return {"*": "[^/]*", "**": ".*", "**/": "(?:.*/)?"}[wild]
