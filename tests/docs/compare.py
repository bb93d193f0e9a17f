"""Whether a command printed what the page shows."""

from __future__ import annotations

import re

_NUMBER = re.compile(
    r"\d+(?:\.\d+)?(?= (?:m?s|MB|served)\b)|(?<=\bpid )\d+|(?<=\bprocess )\d+"
    r'|(?<="durationMs": )[\d.]+|\d\d:\d\d:\d\d'
)
_PARTS = re.compile(f"(?P<any>…)|(?P<number>{_NUMBER.pattern})|(?P<space>\\s+)")
_PROGRESS = re.compile(r"[^\n]*\x1b\[K|^\([\d.]+ s\)\n|^starting the .*…\n", re.MULTILINE)


def is_shown(expected: str, printed: str) -> bool:
    """`…` stands for anything. Durations, times, sizes, process ids and progress are not compared.

    JSON may be wrapped in other places than the command does it.
    """
    printed = _PROGRESS.sub("", printed)
    is_json = expected.lstrip().startswith(("{", "["))
    pattern, position = "", 0
    for part in _PARTS.finditer(expected.strip()):
        pattern += re.escape(expected.strip()[position : part.start()])
        position = part.end()
        if part["any"]:
            pattern += ".*?"
        elif part["number"]:
            pattern += r"[\d.:]+"
        else:
            pattern += r"\s*" if is_json else re.escape(part["space"])
    pattern += re.escape(expected.strip()[position:])
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None
