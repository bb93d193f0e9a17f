"""`{{name}}` in a recording: a value that is secret or differs between users."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.secrets import texts_in
from pwtui.state.files import read_text

ENVIRONMENT_PREFIX = "PW_VAR_"
SHORT = 4
"""Values with fewer characters are only found as whole words."""

VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}")


def read_variables(
    given: Sequence[str], files: Sequence[Path], environment: Mapping[str, str]
) -> dict[str, str]:
    """The values of PW_VAR_*, `--var-file` and `--var` (NAME=VALUE, or NAME from the environment).

    Later ones override earlier ones.
    """
    values: dict[str, str] = {}
    for name, value in environment.items():
        if name.startswith(ENVIRONMENT_PREFIX):
            short = name.removeprefix(ENVIRONMENT_PREFIX)
            values |= {short.lower(): value, short: value}
    for path in files:
        for number, line in enumerate(read_text(path).splitlines(), 1):
            if line.strip() and not line.lstrip().startswith("#"):
                values.update([read_assignment(line, f"{path}:{number}: ")])
    for each in given:
        if "=" in each:
            values.update([read_assignment(each, "--var: ")])
            continue
        name = each.strip()
        found = environment.get(name, environment.get(f"{ENVIRONMENT_PREFIX}{name}"))
        if found is None:
            raise InvalidInput(
                f"--var {name}: not set in the environment",
                hint="set it, or use --var NAME=VALUE",
            )
        values[name] = found
    return values


def read_assignment(text: str, where: str = "") -> tuple[str, str]:
    """The name and value of NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise InvalidInput(f"{where}expected NAME=VALUE")
    return name.strip(), value


def names_in(value: Any) -> Iterator[str]:
    """The variables in a text, or in all texts of a value."""
    for text in texts_in(value):
        yield from VARIABLE.findall(text)


def missing(values: Iterable[Any], variables: Mapping[str, str]) -> list[str]:
    """The variables without a value, in order of use."""
    used = dict.fromkeys(name for value in values for name in names_in(value))
    return [name for name in used if name not in variables]


def missing_variables(names: Iterable[str], where: str = "") -> InvalidInput:
    names = list(names)
    given = " ".join(f"--var {name}=…" for name in names)
    # In upper case, it would not set a name in mixed case.
    first = names[0].upper() if names[0].islower() else names[0]
    return InvalidInput(
        f"{where}missing variables: {', '.join(names)}",
        hint=f"set them with {given}, --var-file, or {ENVIRONMENT_PREFIX}{first} in the "
        "environment",
        details={"missing": names},
    )


def unfilled(value: Any) -> list[str]:
    """Variables that are a whole text or part of a URL; elsewhere braces may be literal."""
    certain = (text for text in texts_in(value) if VARIABLE.fullmatch(text) or "://" in text)
    return list(dict.fromkeys(names_in(list(certain))))


def fill_variables(value: Any, variables: Mapping[str, str]) -> Any:
    """The value with its variables filled in, except for those without a value."""
    return _replaced(value, VARIABLE, lambda match: variables.get(match[1], match[0]))


def hiding(variables: Mapping[str, str]) -> Callable[[Any], Any]:
    """A function that replaces the values by `{{name}}`, in all texts of a value."""
    names: dict[str, str] = {}
    for name, value in variables.items():
        for spelling in (value, quote(value), quote(value, safe=""), json.dumps(value)[1:-1]):
            if spelling:
                names.setdefault(spelling, name)
    if not names:
        return lambda value: value
    spellings = (
        re.escape(each) if len(each) >= SHORT else rf"(?<!\w){re.escape(each)}(?!\w)"
        for each in sorted(names, key=len, reverse=True)
    )
    pattern = re.compile("|".join(spellings))
    return lambda value: _replaced(value, pattern, lambda match: f"{{{{{names[match[0]]}}}}}")


def _replaced(
    value: Any, pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str]
) -> Any:
    """The value with replacements in all its texts."""
    if isinstance(value, str):
        return pattern.sub(replacement, value)
    if isinstance(value, dict):
        return {key: _replaced(item, pattern, replacement) for key, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, pattern, replacement) for item in value]
    return value
