"""Writes a request as a keyword line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pwtui.keywords.errors import KeywordError
from pwtui.keywords.parser import EXEC, parse, prefixed
from pwtui.keywords.table import KEYWORDS, by_name
from pwtui.keywords.targets import ROLES, target_fields
from pwtui.keywords.tokenizer import double_quoted, quote
from pwtui.protocol.envelope import Request
from pwtui.protocol.keyword import Argument, KeywordInfo, Option


def to_line(request: Request) -> str:
    """The line that `parse` reads as this operation and input; the runtime is not included."""
    for line in _candidates(request):
        try:
            read = parse(line)
        except KeywordError:
            continue
        if read.op == request.op and read.input == request.input:
            return line
    return _by_id(request)


def _candidates(request: Request) -> Iterator[str]:
    for keyword in KEYWORDS:
        if keyword.bare_op == request.op and request.input == keyword.bare_fixed:
            yield keyword.name
        if keyword.op == request.op:
            yield from _line(keyword, dict(request.input))
        for option in keyword.options:
            if option.op == request.op:
                yield f"{keyword.name} --{option.name}"


def _line(keyword: KeywordInfo, input: dict[str, Any]) -> Iterator[str]:
    """The line of a keyword, if it can express every field."""
    for name, value in keyword.fixed.items():
        if input.pop(name, None) != value:
            return
    words: list[str] = []
    for argument in keyword.arguments:
        word = _argument(argument, input)
        if word is None and argument.required:
            return
        if word is not None:
            words.append(word)
    for option in keyword.options:
        if option.kind == "scope":
            words += _scope(input.pop("withinRole", None), input.pop("within", None))
        elif option.field in input and option.op is None:
            words += _option(option, input.pop(option.field))
    if not input:
        yield " ".join([keyword.name, *words])


def _argument(argument: Argument, input: dict[str, Any]) -> str | None:
    if argument.kind == "target" or (argument.kind == "role" and argument.field not in input):
        return _target(argument, input)
    if argument.field not in input:
        return None
    value = input.pop(argument.field)
    if argument.values:
        return argument.choices[argument.values.index(value)] if value in argument.values else None
    if argument.many:
        return " ".join(quote(str(item)) for item in value) if isinstance(value, list) else None
    if argument.raw and isinstance(value, str):
        # Code of several lines is written as a string.
        is_plain = "\n" not in value and value == value.strip() and value[:1] not in "\"'-"
        return value if is_plain and value and not input else double_quoted(value)
    return quote(str(value))


def _target(argument: Argument, input: dict[str, Any]) -> str | None:
    prefix = argument.field if argument.kind == "target" else ""
    for name in ("ref", "selector", "words"):
        value = input.pop(prefixed(prefix, name), None)
        if isinstance(value, str):
            plain = quote(value)
            fits = target_fields(value, quoted=plain != value) == {name: value}
            return plain if fits else double_quoted(value)
    return None


def _option(option: Option, value: Any) -> list[str]:
    if option.kind == "flag":
        return [f"--{option.name}"]
    if option.kind == "pairs" and isinstance(value, dict):
        texts = [f"{name}{option.separator}{text}" for name, text in value.items()]
    elif option.many and isinstance(value, list):
        texts = [str(item) for item in value]
    else:
        texts = [str(value)]
    return [f"--{option.name} {quote(text)}" for text in texts]


def _scope(role: str | None, text: str | None) -> list[str]:
    words = [role] if role is not None else []
    if text is not None:
        words.append(double_quoted(text) if text in ROLES else quote(text))
    return ["--in", *words] if words else []


def _by_id(request: Request) -> str:
    words = [EXEC, request.op] if request.op in by_name() else [request.op]
    for name, value in request.input.items():
        if isinstance(value, str):
            plain = quote(value)
            words.append(f"{name}={plain if plain == value else double_quoted(value)}")
        else:
            words.append(f"{name}={json.dumps(value, ensure_ascii=False)}")
    return " ".join(words)
