"""Python source for the values and locators of a recording."""

from __future__ import annotations

import re
from typing import Any

from pwtui.protocol.locators import (
    LocatorExpression,
    LocatorStep,
    Regex,
    Value,
    is_expression,
    parse_locator,
    python_name,
)
from pwtui.recordings.variables import VARIABLE

_PROPERTIES = ("first", "last", "owner", "contentFrame")
_FLAGS = {"i": "re.IGNORECASE", "m": "re.MULTILINE", "s": "re.DOTALL"}


class Code(str):
    """Source that is written as it is, where a value is expected."""


def constant_name(variable: str) -> str:
    return re.sub(r"\W", "_", variable).upper()


def literal(value: Any) -> str:
    """A value as source; `{{name}}` in a text becomes the constant of that name."""
    if isinstance(value, Code):
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    return repr(value)


def locator(selector: str, owner: str = "page") -> str:
    """The source of a selector's locator, in `page`, a frame or another locator."""
    if is_expression(selector):
        return _expression(parse_locator(selector), owner)
    return f"{owner}.locator({literal(selector)})"


def selector_of(source: str) -> str:
    """The selector of a locator's source; for `page.locator("#a")` it is #a."""
    expression = parse_locator(source)
    first = expression.steps[0]
    if len(expression.steps) == 1 and first.method == "locator" and not first.options:
        return str(first.args[0])
    return str(expression)


def _text(text: str) -> str:
    if whole := VARIABLE.fullmatch(text):
        return constant_name(whole[1])
    if not VARIABLE.search(text):
        return _quoted(text)
    parts = VARIABLE.split(text)  # the names are at the odd places
    parts[::2] = [part.replace("{", "{{").replace("}", "}}") for part in parts[::2]]
    parts[1::2] = [f"{{{constant_name(name)}}}" for name in parts[1::2]]
    return "f" + _quoted("".join(parts))


def _quoted(text: str) -> str:
    """With double quotes, as formatters do, unless that needs escapes."""
    source = repr(text)
    if source[0] == "'" and '"' not in source:
        return '"' + source[1:-1].replace("\\'", "'") + '"'
    return source


def _expression(expression: LocatorExpression, owner: str) -> str:
    return ".".join([owner, *(_step(step, owner) for step in expression.steps)])


def _step(step: LocatorStep, owner: str) -> str:
    name = python_name(step.method)
    if step.method in _PROPERTIES and not step.args:
        return name
    parts = [_value(value, owner) for value in step.args]
    parts += [f"{python_name(option)}={_value(value, owner)}" for option, value in step.options]
    return f"{name}({', '.join(parts)})"


def _value(value: Value, owner: str) -> str:
    if isinstance(value, LocatorExpression):
        return _expression(value, owner)
    if isinstance(value, Regex):
        flags = " | ".join(_FLAGS[flag] for flag in value.flags)
        return f"re.compile({value.source!r}{', ' + flags if flags else ''})"
    return literal(value)
