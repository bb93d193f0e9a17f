"""JavaScript functions that run in the page, one per file."""

from __future__ import annotations

import asyncio
import json
import time
from functools import cache
from importlib.resources import files
from typing import Any

from playwright.async_api import Error, Page

SETTLE_SECONDS = 2.0
PAUSE_SECONDS = 0.02

_PURPOSES = "current-password new-password one-time-code cc-csc cc-number"
_NAMES = "password password] passwd"
_NO_TEXTS = "checkbox radio button submit reset image file"
SECRET_FIELDS = "input:is({}):not({})".format(
    ", ".join(
        (
            "[type=password i]",
            *(f"[autocomplete~={each} i]" for each in _PURPOSES.split()),
            *(f'[{kind}$="{each}" i]' for each in _NAMES.split() for kind in ("name", "id")),
        )
    ),
    ", ".join(f"[type={each}]" for each in _NO_TEXTS.split()),
)
"""The fields that hold a secret: a password, a one-time code or a card number."""

_HELPERS = {"walk(": "walk", "isSecret(": "is_secret", "watchUser(": "watch_user"}


@cache
def script(name: str) -> str:
    """A function expression for `evaluate`, with the helpers that it calls."""
    body = _read(name)
    used = [file for call, file in _HELPERS.items() if call in body]
    if "watch_user" in used:
        used += ["is_secret"]
    helpers = "\n".join(map(_read, used))
    return f"(...args) => {{\n{helpers}\nreturn (\n{body}\n)(...args);\n}}"


def _read(name: str) -> str:
    """The file without comments and indentation, as it is sent with each call."""
    text = files(__name__).joinpath(f"{name}.js").read_text(encoding="utf-8")
    lines = (line.strip() for line in text.splitlines())
    text = "\n".join(line for line in lines if line and not line.startswith("//"))
    return text.replace("SECRET_FIELDS", json.dumps(SECRET_FIELDS))


async def evaluate_settled(page: Page, function: str, argument: object = None) -> Any:
    """Evaluate an expression without side effects; repeated if a navigation interrupts it."""
    end = time.monotonic() + SETTLE_SECONDS
    while True:
        try:
            return await page.evaluate(function, argument)
        except Error:
            if page.is_closed() or time.monotonic() > end:
                raise
            # Between two documents, the old one still counts as loaded.
            await asyncio.sleep(PAUSE_SECONDS)
            await page.wait_for_load_state("load")
