"""Makes untrusted text safe to draw, and measures it in cells."""

from __future__ import annotations

import re
import textwrap
from functools import lru_cache
from urllib.parse import urlsplit

from rich.cells import cell_len, set_cell_size

from pwtui.protocol.printable import UNSAFE

ELLIPSIS = "…"
_WRAP = 20_000  # the longest text that is wrapped, in characters
_UNSAFE = re.compile(f"[{UNSAFE}]")
_SYMBOLS = {chr(code): chr(0x2400 + code) for code in range(32)} | {
    "\x7f": "␡",
    "\n": "↵",
    "\r": "",
    "\t": " ",
    "\u2028": "↵",
    "\u2029": "↵",
}


def plain(text: str) -> str:
    """The text on one line, with control characters replaced by symbols."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(lambda found: _SYMBOLS.get(found[0], "�"), text)


@lru_cache(maxsize=4096)
def width(text: str) -> int:
    """The width of the text in cells."""
    return cell_len(text)


def fit(text: str, cells: int) -> str:
    """The text in exactly this many cells: truncated with an ellipsis, or padded."""
    if cells <= 0:
        return ""
    if width(text) <= cells:
        return set_cell_size(text, cells)
    return set_cell_size(text, cells - 1) + ELLIPSIS


def cut(text: str, cells: int) -> str:
    """The text, truncated to this many cells."""
    return text if width(text) <= cells else fit(text, cells)


def cut_middle(text: str, cells: int) -> str:
    """A URL or path, truncated in its middle: its end says more. Another text is not changed."""
    sign = "→ " if text.startswith("→ ") else ""
    path = text.removeprefix(sign)
    room = cells - len(sign) - 1
    if width(text) <= cells or room < 8 or "/" not in path or " " in path or not path.isascii():
        return text
    start = room // 3
    return f"{sign}{path[:start]}{ELLIPSIS}{path[start - room :]}"


def path_on(page_url: str, url: str) -> str:
    """A URL, as its path if it is of the same origin as the page."""
    page, split = urlsplit(page_url), urlsplit(url)
    if page.netloc and (page.scheme, page.netloc) == (split.scheme, split.netloc):
        return url.partition(split.netloc)[2] or "/"
    return url


def wrapped(text: str, cells: int) -> list[str]:
    """The text wrapped to lines of this many cells; a very long text is truncated."""
    lines = []
    for line in text[:_WRAP].splitlines():
        lines.extend(textwrap.wrap(plain(line), max(20, cells)) or [""])
    return lines
