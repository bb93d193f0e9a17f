"""JavaScript that runs in the page, one file for each question."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_HELPERS = {"walk(": "walk", "isSecret(": "is_secret"}


@cache
def script(name: str) -> str:
    """A function expression for `evaluate`, with the helpers that it calls."""
    body = _read(name)
    helpers = "\n".join(_read(file) for call, file in _HELPERS.items() if call in body)
    return f"(...args) => {{\n{helpers}\nreturn (\n{body}\n)(...args);\n}}"


def _read(name: str) -> str:
    return files(__name__).joinpath(f"{name}.js").read_text(encoding="utf-8")
