"""`{{name}}` in a recording: what is not the same for everybody."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}")


def names_in(value: Any) -> Iterator[str]:
    """The variables of a text, or of all texts in a value."""
    if isinstance(value, str):
        yield from VARIABLE.findall(value)
    elif isinstance(value, dict):
        for item in value.values():
            yield from names_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from names_in(item)


def missing(values: Iterable[Any], variables: Mapping[str, str]) -> list[str]:
    """All variables that are used and not given, each once, in their order."""
    used = dict.fromkeys(name for value in values for name in names_in(value))
    return [name for name in used if name not in variables]


def filled(value: Any, variables: Mapping[str, str]) -> Any:
    """The value with its variables filled in; those that are not given stay."""
    if isinstance(value, str):
        return VARIABLE.sub(lambda match: variables.get(match[1], match[0]), value)
    if isinstance(value, dict):
        return {name: filled(item, variables) for name, item in value.items()}
    if isinstance(value, list):
        return [filled(item, variables) for item in value]
    return value
