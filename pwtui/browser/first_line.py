"""Playwright's errors in one line."""

from __future__ import annotations

import re

from playwright.async_api import Error


def first_line(error: Error) -> str:
    """The first line of the message, without the name of the call that failed."""
    line = next(iter(error.message.splitlines()), "no reason was given")
    return re.sub(r"^\w+\.\w+: ", "", line)
