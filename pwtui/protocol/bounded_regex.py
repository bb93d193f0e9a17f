"""Regular expressions from users: an invalid one is an error, a slow one times out."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# Token bucket: 0.5 s burst, 10 % sustained. Quick searches are free: 100,000 of them are not slow.
BURST_SECONDS = 0.5
SHARE = 0.1
QUICK_SECONDS = 0.000_2

# In Python a brace that is not a repeat is literal; in `regex` it would be an approximate match.
_BRACE = re.compile(r"(\\(?:[pPN]\{[^}]*\}|.))|\{(?!\d+(?:,\d*)?\}|,\d*\})", re.DOTALL)


class Expression:
    """Searches like `re`, with Python's syntax, but with a time limit.

    A search that times out finds nothing and sets `timed_out`.
    """

    def __init__(self, source: str, *, ignore_case: bool = False, multiline: bool = False) -> None:
        """Raises ValueError with the reason if `source` is not a regular expression."""
        import regex  # takes tens of milliseconds

        flags = regex.IGNORECASE * ignore_case | regex.MULTILINE * multiline
        try:
            self._compiled = regex.compile(_BRACE.sub(_with_plain_brace, source), flags)
        except (regex.error, OverflowError, RecursionError) as error:
            raise ValueError(str(error)) from None
        self.source = source
        self.timed_out = False
        self._left = BURST_SECONDS
        self._last_use = time.monotonic()

    @property
    def complaint(self) -> str:
        """The error message for an expression that is too slow."""
        return (
            f"{self.source!r} takes too long to search for: nested repeats such as (a+)+ are slow"
        )

    def search(self, text: str) -> bool:
        """Whether it matches somewhere in the text."""
        find = self._compiled.search
        return self._in_time(lambda seconds: find(text, timeout=seconds) is not None, False)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The start and the end of each match."""
        find = self._compiled.finditer
        return self._in_time(
            lambda seconds: [each.span() for each in find(text, timeout=seconds)], []
        )

    def _in_time(self, work: Callable[[float], T], otherwise: T) -> T:
        now, started = time.monotonic(), time.process_time()
        self._left = min(BURST_SECONDS, self._left + (now - self._last_use) * SHARE)
        self._last_use = now
        try:
            return work(max(self._left, 0) + QUICK_SECONDS)
        except TimeoutError:
            self.timed_out = True
            return otherwise
        finally:
            self._left -= max(0, time.process_time() - started - QUICK_SECONDS)


def _with_plain_brace(match: re.Match[str]) -> str:
    return match[1] or r"\{"
