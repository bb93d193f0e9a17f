"""Python source for the values and locators of a recording."""

from __future__ import annotations

import re
from typing import Any

from pwtui.protocol.locators import (
    LocatorExpression,
    Regex,
    Step,
    Value,
    is_expression,
    parse,
    python_name,
)
from pwtui.recordings.variables import VARIABLE

_PROPERTIES = ("first", "last", "owner", "contentFrame")
_PYTHON_FLAGS = {"i": "re.IGNORECASE", "m": "re.MULTILINE", "s": "re.DOTALL"}


def constant_name(variable: str) -> str:
    return re.sub(r"\W", "_", variable).upper()


def literal(value: Any) -> str:
    """A value as source; `{{name}}` in a text becomes the constant of that name."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return f"[{', '.join(literal(item) for item in value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    return repr(value)


def call(function: str, *arguments: Any, **options: Any) -> str:
    """A call; options that are None or False are left out."""
    parts = [literal(each) for each in arguments]
    parts += [
        f"{name}={literal(each)}"
        for name, each in options.items()
        if each is not None and each is not False
    ]
    return f"{function}({', '.join(parts)})"


def locator(selector: str, owner: str = "page") -> str:
    """The locator of a selector, from `page` or a frame."""
    if is_expression(selector):
        return _expression(parse(selector), owner)
    return call(f"{owner}.locator", selector)


def _text(text: str) -> str:
    whole = VARIABLE.fullmatch(text)
    if whole:
        return constant_name(whole[1])
    if VARIABLE.search(text):
        doubled = text.replace("{", "{{").replace("}", "}}")
        named = re.sub(
            r"\{\{\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}\}\}",
            lambda match: "{" + constant_name(match[1]) + "}",
            doubled,
        )
        return "f" + _quoted(named)
    return _quoted(text)


def _quoted(text: str) -> str:
    """As formatters write it: double quotes, unless that takes escapes."""
    source = repr(text)
    if source[0] == "'" and '"' not in source:
        return '"' + source[1:-1].replace("\\'", "'") + '"'
    return source


def _expression(expression: LocatorExpression, owner: str) -> str:
    return ".".join([owner, *(_step(step, owner) for step in expression.steps)])


def _step(step: Step, owner: str) -> str:
    name = python_name(step.method)
    if step.method == "contentFrame":
        return "content_frame"
    if step.method in _PROPERTIES and not step.args:
        return name
    parts = [_value(value, owner) for value in step.args]
    parts += [f"{python_name(option)}={_value(value, owner)}" for option, value in step.options]
    return f"{name}({', '.join(parts)})"


def _value(value: Value, owner: str) -> str:
    if isinstance(value, LocatorExpression):
        return _expression(value, owner)
    if isinstance(value, Regex):
        flags = " | ".join(_PYTHON_FLAGS[flag] for flag in value.flags)
        return f"re.compile({value.source!r}{', ' + flags if flags else ''})"
    return literal(value)
