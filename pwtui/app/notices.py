"""What the user has to know, until it is dismissed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

KEPT_NOTICES = 50


class Notice(NamedTuple):
    at: float
    about: str
    text: str
    is_bad: bool = True


class Notices:
    """The latest last. `emit` is called with the part of the store that changed."""

    def __init__(self, emit: Callable[[Any], object]) -> None:
        self._emit = emit
        self.shown: list[Notice] = []

    def add(self, text: str, *, about: str = "", is_bad: bool = True) -> None:
        """Keep a notice in place of an earlier one about the same; without a text, none."""
        about = about or text
        self.shown = [each for each in self.shown if each.about != about][-KEPT_NOTICES + 1 :]
        if text:
            self.shown.append(Notice(time.time(), about, text, is_bad))
        self._emit("notices")

    def dismiss(self) -> None:
        self.shown = []
        self._emit("notices")
