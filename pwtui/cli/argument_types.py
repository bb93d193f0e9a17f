"""Arguments that are more than text: durations, ports, numbers and browsers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable

BROWSERS = ("chromium", "firefox", "webkit")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(\d+(?:\.\d*)?)(ms|s|m|h|)")


def duration(unit: str, *, or_zero: bool = False) -> Callable[[str], float]:
    """A parser of `5s`, `800ms`, `2m` or `1h` into seconds; a bare number is in `unit`."""

    def read(text: str) -> float:
        found = _DURATION.fullmatch(text.strip())
        seconds = float(found[1]) * _UNITS[found[2] or unit] if found else 0.0
        if found is None or (seconds == 0 and not or_zero):
            raise argparse.ArgumentTypeError(f"{text!r} is not a duration, such as 5s or 800ms")
        return seconds

    return read


def browser_names(text: str) -> list[str]:
    """The browsers in a list with commas, each once."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in BROWSERS:
            known = ", ".join(BROWSERS)
            raise argparse.ArgumentTypeError(f"{name!r} is not a browser ({known})")
    return names


def number(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isdecimal() and int(text) >= least):
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least}")
        return int(text)

    return read


def port_number(text: str) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port (1 to 65535)")
    return int(text)
