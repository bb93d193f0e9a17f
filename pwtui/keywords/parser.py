"""Parses a keyword line into a request."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pwtui.keywords.errors import KeywordError
from pwtui.keywords.table import UNSUPPORTED_KEYWORDS, by_name
from pwtui.keywords.targets import ROLES, chained, is_surely_a_target, role_fields, target_fields
from pwtui.keywords.tokenizer import Word, is_open, quote, split
from pwtui.protocol.catalog import Catalog, catalog
from pwtui.protocol.envelope import Request
from pwtui.protocol.errors import did_you_mean, near_misses
from pwtui.protocol.keyword import Argument, ArgumentKind, KeywordInfo, Option
from pwtui.protocol.schema import Schema, properties, typed_value, types

EXEC = "exec"
"""The prefix for an operation id that is also a keyword."""

_PLAIN_TEXT = re.compile(r"[\w ]*")


def parse(line: str, *, fill: Callable[[str], str] = str) -> Request:
    """The request of a line; KeywordError if the line is invalid.

    An operation without a keyword is written by its id: `har.set file=traffic.har`; any operation
    can be written so after `exec`. `fill` sets variables after the line is split into words, so
    that a value cannot change the meaning of the line.
    """
    words = [_filled(word, fill) for word in split(line)]
    if not words:
        raise KeywordError("the line is empty", hint="see .help")
    if words[0].text.lower() == EXEC:
        words = words[1:]
        if not words:
            raise KeywordError("exec requires an operation", usage="exec OPERATION [NAME=VALUE]...")
    else:
        keyword, words = find_keyword(words)
        if keyword is not None:
            return _KeywordLine(line, keyword, words, fill).request()
    op = words[0].text
    if (info := catalog().get(op)) is not None:
        return Request(op=op, input=named_values(info.input, (word.text for word in words[1:]), op))
    raise unknown(op)


def _filled(word: Word, fill: Callable[[str], str]) -> Word:
    text = fill(word.text)
    # A value that starts with -- is not an option.
    return replace(
        word, text=text, quoted=word.quoted or (text != word.text and not word.is_option)
    )


def find_keyword(words: Sequence[Word]) -> tuple[KeywordInfo | None, list[Word]]:
    """The keyword at the start and the words after it; all words if there is none.

    `verify text Hello` is `verify-text Hello`.
    """
    name = words[0].text.lower()
    if name in ("verify", "v") and len(words) > 1:
        keyword = by_name().get(f"verify-{words[1].text.lower()}")
        if keyword is not None:
            return keyword, list(words[2:])
    keyword = by_name().get(name)
    return keyword, list(words if keyword is None else words[1:])


def line_keyword(words: Sequence[str]) -> KeywordInfo | None:
    """The keyword that separate words, as a shell passes them, begin with."""
    return find_keyword([Word(word, 0, 0) for word in words])[0]


def line_of(words: Sequence[str]) -> str:
    """The line that means these words, as a shell passes them."""
    keyword = line_keyword(words)
    if keyword is not None and any(each.raw for each in keyword.arguments):
        return " ".join(words)
    return " ".join(map(_as_word, words))


def _as_word(text: str) -> str:
    if text.startswith("--"):
        name, equals, value = text.partition("=")
        return f"{name}={quote(value)}" if equals else text
    return quote(text)


def commands(text: str) -> list[str]:
    """The commands in a text: one per line, except for code with open brackets."""
    found: list[str] = []
    for line in text.split("\n"):
        if found and line.strip() and needs_more(found[-1]):
            found[-1] += f"\n{line}"
        elif line.strip():
            found.append(line.strip())
    return found


def needs_more(line: str) -> bool:
    """Whether the line is code that continues in the next line."""
    name, _, code = line.strip().partition(" ")
    keyword = by_name().get(name.lower())
    takes_code = keyword is not None and any(each.raw for each in keyword.arguments)
    return takes_code and is_open(code)


def unknown(name: str) -> KeywordError:
    if name.startswith("."):
        return KeywordError(f"unknown command: {name}", hint="dot commands work in `pw repl` only")
    if (instead := UNSUPPORTED_KEYWORDS.get(name.lower())) is not None:
        return KeywordError(f"{name} is not a keyword", hint=instead)
    close = near_misses(name, similar_to(name))
    return KeywordError(f"unknown keyword: {name}", hint=did_you_mean(close) or "see .help")


def similar_to(name: str) -> list[str]:
    """The keywords and operations to suggest from; keywords come first if there is no dot."""
    operations = catalog() if "." in name else without_keyword(catalog())
    return [*(each for each in by_name() if len(each) > 2), *operations]


def without_keyword(operations: Catalog) -> list[str]:
    """The operations that can only be written by their id."""
    return [op for op, info in operations.items() if not info.keywords]


class _KeywordLine:
    """Builds the input of a keyword line."""

    def __init__(
        self, line: str, keyword: KeywordInfo, words: list[Word], fill: Callable[[str], str]
    ) -> None:
        self.line = line
        self.fill = fill
        self.keyword = keyword
        self.op = keyword.op
        self.input: dict[str, Any] = {}
        self.words: list[Word] = []
        raw = keyword.arguments[:1] and keyword.arguments[0].raw
        self.words = words if raw else self._take_options(words)
        if raw and words and words[0].is_option:
            self.words = self._take_options(words)

    def request(self) -> Request:
        if not self.words and not self.input and self.keyword.bare_op is not None:
            return Request(op=self.keyword.bare_op, input=dict(self.keyword.bare_fixed))
        if self.op != self.keyword.op:
            if self.words:
                raise self._error(f"unexpected argument {self.words[0].text!r} with this option")
        else:
            self._take_arguments()
            self.input |= self.keyword.fixed
        return Request(op=self.op, input=self.input)

    # Options

    def _take_options(self, words: list[Word]) -> list[Word]:
        """Read the options; returns the other words."""
        left: list[Word] = []
        position = 0
        while position < len(words):
            word = words[position]
            position += 1
            if word.text == "--" and not word.quoted:
                return left + words[position:]
            if not word.is_option:
                left.append(word)
                continue
            name, equals, value = word.text[2:].partition("=")
            if (option := self.keyword.option(name)) is None:
                self._refuse_unknown(name)
                continue
            if option.kind != "flag" and not equals:
                if position == len(words):
                    raise self._error(f"--{name} requires a value")
                value = words[position].text
                is_role = value in ROLES and not words[position].quoted
                position += 1
                if option.kind == "scope" and is_role:
                    self.input["withinRole"] = value
                    if position == len(words) or words[position].is_option:
                        continue
                    value = words[position].text
                    position += 1
            elif option.kind == "flag" and equals:
                if value.lower() not in ("true", "false"):
                    raise self._error(f"--{name} must be true or false, not {value!r}")
                if value.lower() == "false":
                    continue
            self._set_option(option, value)
        return left

    def _refuse_unknown(self, name: str) -> None:
        """`--no-x` is the default of a flag, so nothing is sent; other options are errors."""
        negated = self.keyword.option(name.removeprefix("no-"))
        if name.startswith("no-") and negated is not None and negated.kind == "flag":
            return
        close = near_misses(name, [each.name for each in self.keyword.options])
        hint = did_you_mean([f"--{each}" for each in close])
        raise self._error(f"{self.keyword.name} has no option --{name}", hint)

    def _set_option(self, option: Option, value: str) -> None:
        if option.op is not None:
            self.op = option.op
        if not option.field:
            return
        where = f"--{option.name}"
        if option.kind == "flag":
            self.input[option.field] = True
        elif option.kind == "pairs":
            name, found, text = value.partition(option.separator)
            if not found or not name.strip():
                raise self._error(f"{where} must be NAME{option.separator}VALUE, not {value!r}")
            self.input.setdefault(option.field, {})[name.strip()] = text.strip()
        elif option.many:
            self.input.setdefault(option.field, []).append(value)
        else:
            self.input[option.field] = self._value(where, value, option.kind, option.choices)

    # Arguments

    def _take_arguments(self) -> None:
        words = list(self.words)
        arguments = list(self.keyword.arguments)
        if arguments and arguments[0].raw:
            words = self._take_code(arguments.pop(0), words)
        while arguments:
            argument = arguments.pop(0)
            needed = sum(each.required for each in arguments)
            if not words or (not argument.required and len(words) <= needed):
                if argument.required:
                    raise self._missing(argument)
                if argument.default is not None:
                    self.input[argument.field] = argument.default
                continue
            words = self._take(argument, words, needed)
        if words:
            extra = " ".join(word.text for word in words)
            raise self._error(
                f"{self.keyword.name}: unexpected argument {extra!r}",
                "put quotes around a text with spaces",
            )

    def _take(self, argument: Argument, words: list[Word], needed: int) -> list[Word]:
        if argument.kind in ("target", "role"):
            words = _chained(words)
        first = words[0]
        if argument.kind == "target":
            if not argument.required and needed and not is_surely_a_target(first.text):
                return words  # the first of the files
            takes_role = (
                first.text in ROLES
                and not first.quoted
                and len(words) > 1 + needed
                and words[1].text not in self._choices_of_next(argument)
            )
            fields = (
                role_fields(first.text, words[1].text)
                if takes_role
                else target_fields(first.text, quoted=first.quoted)
            )
            for name, value in fields.items():
                self.input[prefixed(argument.field, name)] = value
            return words[2 if takes_role else 1 :]
        if argument.kind == "role":
            return self._take_role(argument, words)
        if argument.many:
            self.input[argument.field] = [word.text for word in words]
            return []
        if argument.rest:
            self.input[argument.field] = self._joined(words)
            return []
        value = self._value(argument.name, first.text, argument.kind, argument.choices)
        if argument.values:
            value = argument.values[argument.choices.index(value)]
        self.input[argument.field] = value
        return words[1:]

    def _take_role(self, argument: Argument, words: list[Word]) -> list[Word]:
        """Read a role, or a selector or ref instead of one."""
        first = words[0]
        if first.text.lower() in ROLES:
            self.input[argument.field] = first.text.lower()
            return words[1:]
        fields = target_fields(first.text, quoted=first.quoted)
        if "words" in fields or len(words) > 1:
            raise self._error(
                f"{first.text!r} is not a role (such as button or link) or a selector",
                "use verify-text for a text",
            )
        self.input |= fields
        return []

    def _choices_of_next(self, argument: Argument) -> tuple[str, ...]:
        arguments = self.keyword.arguments
        after = arguments[arguments.index(argument) + 1 :]
        return after[0].choices if after else ()

    def _take_code(self, argument: Argument, words: list[Word]) -> list[Word]:
        """Read code verbatim; after code in quotes, other arguments may follow.

        Quotes around a plain text are part of the code: a string literal.
        """
        if not words:
            if argument.required:
                raise self._missing(argument)
            return []
        is_text = len(words) == 1 and _PLAIN_TEXT.fullmatch(words[0].text)
        if words[0].quoted and not is_text and len(words) <= len(self.keyword.arguments):
            self.input[argument.field] = words[0].text
            return words[1:]
        self.input[argument.field] = self.fill(self.line[words[0].start :].rstrip())
        return []

    def _joined(self, words: list[Word]) -> str:
        if len(words) == 1 or any(word.quoted for word in words):
            return " ".join(word.text for word in words)
        # Without quotes, white space is kept as typed.
        slices = itertools.pairwise(words)
        if all(self.line[left.end : right.start].isspace() for left, right in slices):
            return self.fill(self.line[words[0].start : words[-1].end])
        return " ".join(word.text for word in words)

    # Values

    def _value(self, where: str, text: str, kind: ArgumentKind, choices: tuple[str, ...]) -> Any:
        if choices and text not in choices:
            hint = None if where.startswith("--") else "put quotes around a text with spaces"
            raise self._error(f"{where} must be one of {', '.join(choices)}, not {text!r}", hint)
        if kind not in ("integer", "number"):
            return text
        try:
            return int(text) if kind == "integer" else _number(text)
        except ValueError:
            what = "a whole number" if kind == "integer" else "a number"
            raise self._error(f"{where} must be {what}, not {text!r}") from None

    def _missing(self, argument: Argument) -> KeywordError:
        return self._error(f"{self.keyword.name} requires <{argument.name}>")

    def _error(self, message: str, hint: str | None = None) -> KeywordError:
        return KeywordError(message, hint=hint, usage=self.keyword.usage)


def _chained(words: list[Word]) -> list[Word]:
    """The words, with a ` >> ` chain of selectors at the start as one word."""
    if words[0].text in ROLES and not words[0].quoted and _continues(words[1:]):
        role, name, *words = words
        selector = role_fields(role.text, name.text)["selector"]
        words = [Word(selector, role.start, name.end), *words]
    while _continues(words):
        first, _, last, *words = words
        whole = Word(chained(first.text, last.text), first.start, last.end, quoted=first.quoted)
        words = [whole, *words]
    return words


def _continues(words: list[Word]) -> bool:
    """Whether ` >> ` and a selector follow the first word."""
    return len(words) > 2 and words[1].text == ">>" and not words[1].quoted


def prefixed(prefix: str, name: str) -> str:
    return prefix + name[0].upper() + name[1:] if prefix else name


def _number(text: str) -> float | int:
    try:
        return int(text)
    except ValueError:
        if not math.isfinite(number := float(text)):
            raise
        return number


# Operations by their id


def named_values(schema: Schema, words: Iterable[str], owner: str) -> dict[str, Any]:
    """The values of `NAME=VALUE` and `NAME:=JSON`; the field's type says what a VALUE is.

    `owner` has the fields: an operation or a profile.
    """
    fields: Mapping[str, Any] = schema.get("properties", {})
    offered = list(properties(schema))
    usage = " ".join([owner, *(f"{name}=…" for name in offered)])
    input: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.removeprefix("--").partition("=")
        is_json, name = name.endswith(":"), _camel_case(name.removesuffix(":"))
        if not equals or not name:
            raise KeywordError(f"{word!r} is not NAME=VALUE or NAME:=JSON", usage=usage)
        if name not in fields:
            hint = did_you_mean(near_misses(name, offered))
            raise KeywordError(f"{owner} has no field {name}", hint=hint, usage=usage)
        try:
            value = json.loads(text) if is_json else typed_value(text, fields[name], schema)
        except ValueError:
            hint = f"use {name}={text} to send text"
            raise KeywordError(f"{name}: {text!r} is not JSON", hint=hint, usage=usage) from None
        if not is_json and (kinds := _unfit(value, fields[name], schema)):
            hint = f"use {name}:=JSON" if kinds & {"array", "object"} else None
            what = " or ".join(sorted(kinds))
            raise KeywordError(f"{name} takes {what}, not {text!r}", hint=hint, usage=usage)
        if value is not False or fields[name].get("default") is not False:
            input[name] = value
    return input


def _unfit(value: Any, field: Schema, root: Schema) -> set[str]:
    """The types of the field, if a text cannot be one of them."""
    kinds = types(field, root) - {"null"}
    return kinds if isinstance(value, str) and kinds and "string" not in kinds else set()


def _camel_case(name: str) -> str:
    return re.sub("_([a-z])", lambda found: found[1].upper(), name)
