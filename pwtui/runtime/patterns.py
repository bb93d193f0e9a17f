"""How a request writes which URLs it means: a part of one, a glob, or a regular expression."""

from __future__ import annotations

import re

from pwtui.protocol.errors import InvalidInput

_WILD = re.compile(r"\*\*/?|\*|\{[^{}]*\}")


def url_pattern(text: str) -> re.Pattern[str]:
    """`/…/` is a regular expression, a text with `*` or `{a,b}` a glob, all else a part."""
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        return regex(text[1:-1])
    if "*" in text or re.search(r"\{[^{}]*,[^{}]*\}", text):
        return glob(text)
    return re.compile(re.escape(text))


def regex(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise InvalidInput(
            f"{text!r} is not a regular expression: {error}", details={"regex": text}
        ) from None


def glob(text: str) -> re.Pattern[str]:
    """The whole URL must fit: `*` stands for anything but `/`, `**` for anything."""
    parts, position = [], 0
    for wild in _WILD.finditer(text):
        parts.append(re.escape(text[position : wild.start()]))
        parts.append(_translated(wild[0]))
        position = wild.end()
    parts.append(re.escape(text[position:]))
    return re.compile(rf"\A(?:{''.join(parts)})\Z", re.DOTALL)


def _translated(wild: str) -> str:
    if wild.startswith("{"):
        return f"(?:{'|'.join(re.escape(choice) for choice in wild[1:-1].split(','))})"
    return {"*": "[^/]*", "**": ".*", "**/": "(?:.*/)?"}[wild]
