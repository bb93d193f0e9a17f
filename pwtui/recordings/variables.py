"""`{{name}}` in a recording: what is not the same for everybody, or secret."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pwtui.protocol.errors import InvalidInput
from pwtui.state.files import read_text

ENVIRONMENT_PREFIX = "PW_VAR_"
SHORT = 4
"""A value with fewer characters is found only where it stands alone."""

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


def read_variables(
    given: Sequence[str], files: Sequence[Path], environment: Mapping[str, str]
) -> dict[str, str]:
    """The values of `--var` (NAME=VALUE, or NAME of the environment), `--var-file` and PW_VAR_*.

    What is more explicit wins, in this order.
    """
    values: dict[str, str] = {}
    for name, value in environment.items():
        if name.startswith(ENVIRONMENT_PREFIX):
            short = name.removeprefix(ENVIRONMENT_PREFIX)
            values |= {short.lower(): value, short: value}
    for path in files:
        values |= _read_file(path)
    for each in given:
        name, equals, value = each.partition("=")
        name = name.strip()
        if not equals:
            found = environment.get(name, environment.get(f"{ENVIRONMENT_PREFIX}{name}"))
            if found is None:
                raise InvalidInput(
                    f"--var {name}: the environment has no {name}",
                    hint="set it, or use --var NAME=VALUE",
                )
            value = found
        if not name:
            raise InvalidInput("--var: the name is missing", hint="use NAME=VALUE")
        values[name] = value
    return values


def _read_file(path: Path) -> dict[str, str]:
    """A line NAME=VALUE each; the value is all that follows."""
    values = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            name, equals, value = line.partition("=")
            if not equals or not name.strip():
                raise InvalidInput(f"{path}:{number}: a variable is NAME=VALUE")
            values[name.strip()] = value
    return values


def missing_variables(names: Iterable[str], where: str = "") -> InvalidInput:
    names = list(names)
    given = " ".join(f"--var {name}=…" for name in names)
    return InvalidInput(
        f"{where}missing variables: {', '.join(names)}",
        hint=f"set them with {given}, --var-file, or {ENVIRONMENT_PREFIX}{names[0]} in the "
        "environment",
        details={"missing": names},
    )


def unfilled(value: Any) -> list[str]:
    """Variables that stand for a whole text or a part of a URL; in other texts they may be text."""
    if isinstance(value, str):
        if VARIABLE.fullmatch(value) or "://" in value:
            return VARIABLE.findall(value)
        return []
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return list(dict.fromkeys(name for item in items for name in unfilled(item)))


def hiding(variables: Mapping[str, str]) -> Callable[[Any], Any]:
    """A function that writes `{{name}}` in a text, or all texts of a value, for the values."""
    names: dict[str, str] = {}
    for name, value in variables.items():
        for spelling in (value, quote(value), quote(value, safe=""), json.dumps(value)[1:-1]):
            if spelling:
                names.setdefault(spelling, name)
    if not names:
        return lambda value: value
    longest_first = sorted(names, key=len, reverse=True)
    pattern = re.compile(
        "|".join(
            re.escape(each) if len(each) >= SHORT else rf"(?<!\w){re.escape(each)}(?!\w)"
            for each in longest_first
        )
    )

    def hide(value: Any) -> Any:
        if isinstance(value, str):
            return pattern.sub(lambda match: f"{{{{{names[match[0]]}}}}}", value)
        if isinstance(value, dict):
            return {key: hide(item) for key, item in value.items()}
        if isinstance(value, list):
            return [hide(item) for item in value]
        return value

    return hide


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
