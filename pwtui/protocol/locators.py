"""Parses locator expressions: `getByRole('button', { name: 'Go' })`.

Playwright's CLI and MCP server write locators in JavaScript; `str(locator)` in Python and users
write Python. Both spellings are parsed, and the canonical JavaScript is written:
`parse_locator(str(expression))` is the same expression.

No code is evaluated. The tables below list the steps, where they are allowed, and their values.
"""

from __future__ import annotations

import json
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import ClassVar, Literal, NoReturn, TypeAlias

# Far more than in practice, far less than Python's recursion limit.
MAX_NESTING = 32

_BEGINS_LIKE_EXPRESSION = re.compile(
    r"\s*(?:page\s*\.\s*)?(?:getBy[A-Z]\w*|get_by_[a-z]\w*|locator|frameLocator|frame_locator)\s*\("
)


class LocatorSyntaxError(ValueError):
    """The text is not a locator expression: the position, and what was expected there."""

    def __init__(self, text: str, position: int, expected: str) -> None:
        self.text = text
        self.position = position
        self.expected = expected
        rest = text[position : position + 20]
        found = ascii(rest) if rest else "the end"
        super().__init__(f"expected {expected} at character {position + 1}, found {found}")


@dataclass(frozen=True, slots=True)
class Regex:
    """A pattern as in JavaScript's `RegExp.source`, also valid in Python's `re`."""

    source: str
    flags: str = ""

    def __str__(self) -> str:
        return f"/{self.source}/{self.flags}"

    def compile(self) -> re.Pattern[str]:
        """The same pattern for Playwright's Python API."""
        flags = reduce(or_, (_REGEX_FLAGS[flag] for flag in self.flags), re.NOFLAG)
        with warnings.catch_warnings():
            # Python warns about the style of some valid patterns.
            warnings.simplefilter("ignore")
            return re.compile(self.source, flags)


@dataclass(frozen=True, slots=True)
class LocatorStep:
    """One call of the chain with its JavaScript name; options are in the order of the table."""

    method: str
    args: tuple[Value, ...] = ()
    options: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        written = [_written(value) for value in self.args]
        if self.options:
            pairs = ", ".join(f"{name}: {_written(value)}" for name, value in self.options)
            written.append(f"{{ {pairs} }}")
        return f"{self.method}({', '.join(written)})"


@dataclass(frozen=True, slots=True)
class LocatorExpression:
    """A chain of steps from the page to an element."""

    steps: tuple[LocatorStep, ...]

    def __str__(self) -> str:
        return ".".join(map(str, self.steps))


Value: TypeAlias = str | bool | int | Regex | LocatorExpression


def is_expression(text: str) -> bool:
    """Whether the text starts like a locator expression; no other selector does."""
    return _BEGINS_LIKE_EXPRESSION.match(text) is not None


def parse_locator(text: str) -> LocatorExpression:
    """Parse either spelling, JavaScript first. Raises LocatorSyntaxError."""
    failures: list[LocatorSyntaxError] = []
    for parser in (_JavaScriptParser, _PythonParser):
        try:
            return parser(text).whole()
        except LocatorSyntaxError as failure:
            failures.append(failure)
    # The spelling that was parsed further is probably the intended one.
    raise max(failures, key=lambda failure: failure.position) from None


def python_name(name: str) -> str:
    """The Python API's name of a step or option: `getByRole` is `get_by_role`, `or` is `or_`."""
    if name in ("and", "or"):
        return name + "_"
    return re.sub(r"[A-Z]", lambda capital: "_" + capital[0].lower(), name)


# Steps, their options, and the types of their values

_Types: TypeAlias = tuple[type[Value], ...]
_Place = Literal["page", "locator", "frame"]


@dataclass(frozen=True, slots=True)
class _Signature:
    args: tuple[_Types, ...] = ()
    options: Mapping[str, _Types] = field(default_factory=dict)
    leads_to: _Place = "locator"
    required: int | None = None  # how many of args (default: all)


_STRING: _Types = (str,)
_TEXT: _Types = (str, Regex)
_BOOLEAN: _Types = (bool,)
_NUMBER: _Types = (int,)
_LOCATOR: _Types = (LocatorExpression,)

_TYPE_NAMES: Mapping[type[Value], str] = {
    str: "a string",
    Regex: "a regular expression",
    bool: "a boolean",
    int: "a whole number",
    LocatorExpression: "a locator",
}

# The order within each table is the order in which Playwright's generator writes the options.
_ROLE_OPTIONS: Mapping[str, _Types] = {
    "name": _TEXT,
    "description": _TEXT,
    "exact": _BOOLEAN,
    "checked": _BOOLEAN,
    "disabled": _BOOLEAN,
    "selected": _BOOLEAN,
    "expanded": _BOOLEAN,
    "includeHidden": _BOOLEAN,
    "level": _NUMBER,
    "pressed": _BOOLEAN,
}
_HAS_OPTIONS: Mapping[str, _Types] = {
    "hasText": _TEXT,
    "hasNotText": _TEXT,
    "has": _LOCATOR,
    "hasNot": _LOCATOR,
}

_BY_TEXT = _Signature((_TEXT,), {"exact": _BOOLEAN})
_FIND: Mapping[str, _Signature] = {
    "getByRole": _Signature((_STRING,), _ROLE_OPTIONS),
    "getByText": _BY_TEXT,
    "getByLabel": _BY_TEXT,
    "getByPlaceholder": _BY_TEXT,
    "getByAltText": _BY_TEXT,
    "getByTitle": _BY_TEXT,
    "getByTestId": _Signature((_TEXT,)),
}
_FRAME_LOCATOR = _Signature((_STRING,), leads_to="frame")
_LOCATOR_WITHIN = _Signature((_STRING + _LOCATOR,), _HAS_OPTIONS)

_STEPS: Mapping[_Place, Mapping[str, _Signature]] = {
    "page": {
        **_FIND,
        "getByRef": _Signature((_STRING,)),
        "locator": _Signature((_STRING,), _HAS_OPTIONS),
        # Without a selector it means all frames of the page.
        "frameLocator": _Signature((_STRING,), leads_to="frame", required=0),
    },
    "locator": {
        **_FIND,
        "locator": _LOCATOR_WITHIN,
        "frameLocator": _FRAME_LOCATOR,
        "contentFrame": _Signature(leads_to="frame"),
        "first": _Signature(),
        "last": _Signature(),
        "nth": _Signature((_NUMBER,)),
        "visible": _Signature(),
        "filter": _Signature((), {**_HAS_OPTIONS, "visible": _BOOLEAN}),
        "and": _Signature((_LOCATOR,)),
        "or": _Signature((_LOCATOR,)),
        "within": _Signature((_LOCATOR,)),
        "describe": _Signature((_STRING,)),
    },
    "frame": {
        **_FIND,
        "locator": _LOCATOR_WITHIN,
        "frameLocator": _FRAME_LOCATOR,
        "owner": _Signature(),
        "first": _Signature(leads_to="frame"),
        "last": _Signature(leads_to="frame"),
        "nth": _Signature((_NUMBER,), leads_to="frame"),
    },
}

_STEP_NAMES = {name: name for steps in _STEPS.values() for name in steps}
_OPTION_NAMES = {name: name for name in (*_ROLE_OPTIONS, *_HAS_OPTIONS, "visible")}

_REGEX_FLAGS: Mapping[str, re.RegexFlag] = {
    "i": re.IGNORECASE,
    "m": re.MULTILINE,
    "s": re.DOTALL,
}
_PYTHON_FLAGS = {"IGNORECASE": "i", "MULTILINE": "m", "DOTALL": "s", "I": "i", "M": "m", "S": "s"}


# Writing

_SURROGATE = re.compile(r"[\ud800-\udfff]")


def _written(value: Value) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _quoted(text: str) -> str:
    escaped = json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
    # Page text may contain lone surrogates, which UTF-8 cannot encode.
    return "'" + _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", escaped) + "'"


def _regex_source(pattern: str) -> str:
    """The pattern as written between slashes, without needless escapes of quotes."""

    def pieces() -> Iterator[str]:
        in_class = False
        for piece in re.findall(r"\\.|.", pattern, re.DOTALL):
            char = piece[-1]
            if char in "\n\r":
                yield "\\n" if char == "\n" else "\\r"
            elif char in "\u2028\u2029" or _SURROGATE.match(char):
                yield f"\\u{ord(char):04x}"
            elif len(piece) == 2:
                yield char if char in "'\"`" else piece
            else:
                in_class = char == "[" or (in_class and char != "]")
                yield "\\/" if char == "/" and not in_class else char

    return "".join(pieces()) or "(?:)"


# Reading

_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
# Nine digits are enough for any page and stay below the limit of int().
_NUMBER_LITERAL = re.compile(r"-?\d{1,9}(?![\w.])", re.ASCII)
_REGEX_LITERAL = re.compile(
    r"/((?:[^/\\\[\n\r\u2028\u2029]|\\.|\[(?:[^\]\\\n\r\u2028\u2029]|\\.)*\])+)/(\w*)", re.ASCII
)
_RAW_STRING = re.compile(r"[rR](['\"])((?:(?!\1)[^\\]|\\.)*)\1", re.DOTALL)
_PAGE_PREFIX = re.compile(r"\s*page\s*\.")
_COMMON_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "\n": ""}


@dataclass(slots=True)
class _Call:
    signature: _Signature
    args: list[Value] = field(default_factory=list)
    options: dict[str, Value | None] = field(default_factory=dict)


class _Parser(ABC):
    """A recursive descent parser without a tokenizer; subclasses are the two spellings."""

    steps: ClassVar[Mapping[str, str]]  # as written: canonical
    option_names: ClassVar[Mapping[str, str]]  # as written: canonical
    constants: ClassVar[Mapping[str, bool | None]]  # None: the option is ignored
    quotes: ClassVar[str]
    escapes: ClassVar[Mapping[str, str]]
    code_point: ClassVar[re.Pattern[str]]  # an escape with hexadecimal digits, without backslash
    code_point_letters: ClassVar[str]

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.nesting = 0

    # The differences between the spellings

    @abstractmethod
    def argument(self, call: _Call) -> None: ...

    @abstractmethod
    def special_literal(self) -> str | Regex | None:
        """The regular expression or raw string at this position, if there is one."""

    @abstractmethod
    def other_escape(self, char: str) -> str: ...

    # The grammar

    def whole(self) -> LocatorExpression:
        expression = self.expression()
        self.space()
        if self.position < len(self.text):
            self.fail("'.' or the end")
        return expression

    def expression(self) -> LocatorExpression:
        if self.nesting == MAX_NESTING:
            self.fail(f"at most {MAX_NESTING} nested locators")
        self.nesting += 1
        self.match(_PAGE_PREFIX)
        steps: list[LocatorStep] = []
        place: _Place = "page"
        while not steps or self.accept("."):
            step, place = self.step(place)
            steps.append(step)
        if place == "frame":
            self.fail("a step from the frame to an element, such as .locator('body')")
        self.nesting -= 1
        return LocatorExpression(tuple(steps))

    def step(self, place: _Place) -> tuple[LocatorStep, _Place]:
        start = self.space()
        known = _STEPS[place]
        method = self.steps.get(self.word(), "")
        if method not in known:
            names = ", ".join(spelled for spelled, name in self.steps.items() if name in known)
            self.fail(f"a step from a {place} ({names})", start)
        signature = known[method]
        call = _Call(signature)
        if self.accept("("):
            while not self.accept(")"):
                self.argument(call)
                if not self.accept(","):
                    self.expect(")")
                    break
        elif signature.args or signature.options:  # the others are properties in Python
            self.fail("'('")
        required = len(signature.args) if signature.required is None else signature.required
        if len(call.args) < required:
            self.fail(f"{_one_of(signature.args[len(call.args)])} as argument of {method}", start)
        options = ((name, call.options.get(name)) for name in signature.options)
        given = tuple((name, value) for name, value in options if value is not None)
        return LocatorStep(method, tuple(call.args), given), signature.leads_to

    def positional(self, call: _Call) -> None:
        start = self.space()
        if call.options or len(call.args) == len(call.signature.args):
            self.fail("no more arguments", start)
        types = call.signature.args[len(call.args)]
        value = self.value(types)
        if value is None:
            self.fail(_one_of(types), start)
        call.args.append(value)

    def option(self, call: _Call, separator: str) -> None:
        start = self.space()
        quoted = self.text.startswith(("'", '"'), start)
        name = self.option_names.get(self.string() if quoted else self.word(), "")
        if name not in call.signature.options or name in call.options:
            allowed = [
                spelled
                for spelled, canonical in self.option_names.items()
                if canonical in call.signature.options and canonical not in call.options
            ]
            self.fail(f"an option ({', '.join(allowed)})" if allowed else "no options", start)
        self.expect(separator)
        call.options[name] = self.value(call.signature.options[name])

    def value(self, types: _Types) -> Value | None:
        start = self.space()
        value = self.literal()
        if value is not None and type(value) not in types:
            self.fail(_one_of(types), start)
        return value

    def literal(self) -> Value | None:
        special = self.special_literal()
        if special is not None:
            return special
        if self.text.startswith(tuple(self.quotes), self.position):
            return self.string()
        if number := self.match(_NUMBER_LITERAL):
            return int(number[0])
        word = _WORD.match(self.text, self.position)
        if word is None:
            self.fail("a value")
        if word[0] not in self.constants:
            return self.expression()
        self.position = word.end()
        return self.constants[word[0]]

    def string(self) -> str:
        start = self.position
        quote = self.take_char()
        if not quote or quote not in self.quotes:
            self.fail("a string", start)
        pieces: list[str] = []
        while (char := self.take_char()) != quote:
            if not char:
                self.fail("a closing quote", start)
            if quote == "`" and char == "$" and self.text.startswith("{", self.position):
                self.fail("a string without placeholders", start)
            pieces.append(self.escape() if char == "\\" else char)
        # Two escapes may be the surrogates of one character.
        units = "".join(pieces).encode("utf-16-le", "surrogatepass")
        return units.decode("utf-16-le", "surrogatepass")

    def escape(self) -> str:
        start = self.position
        if code := self.match(self.code_point):
            number = int(code[code.lastindex or 0], 16)
            if number > 0x10FFFF:
                self.fail("a Unicode code point", start)
            return chr(number)
        char = self.take_char()
        if char == "0" and not self.text[self.position : self.position + 1].isdigit():
            return "\0"
        if char in tuple(self.code_point_letters) or char.isdigit():
            self.fail("an escape with all its hexadecimal digits", start)
        return self.escapes[char] if char in self.escapes else self.other_escape(char)

    def regex(self, pattern: str, flags: str, start: int) -> Regex:
        if unknown := set(flags) - set(_REGEX_FLAGS):
            self.fail(f"only the flags i, m and s, not {', '.join(sorted(unknown))}", start)
        regex = Regex(_regex_source(pattern), "".join(sorted(set(flags))))
        try:
            regex.compile()
        except (re.error, OverflowError, RecursionError) as problem:
            self.fail(f"a regular expression that is valid in Python ({problem})", start)
        if not _REGEX_LITERAL.fullmatch(str(regex)):
            self.fail("a regular expression that is valid in JavaScript", start)
        return regex

    # The text

    def space(self) -> int:
        while self.text[self.position : self.position + 1].isspace():
            self.position += 1
        return self.position

    def take_char(self) -> str:
        self.position += 1
        return self.text[self.position - 1 : self.position]

    def accept(self, token: str) -> bool:
        self.space()
        found = self.text.startswith(token, self.position)
        self.position += len(token) if found else 0
        return found

    def expect(self, token: str) -> None:
        if not self.accept(token):
            self.fail(f"'{token}'")

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.position)
        if found:
            self.position = found.end()
        return found

    def word(self) -> str:
        self.space()
        word = self.match(_WORD)
        return word[0] if word else self.fail("a name")

    def fail(self, expected: str, position: int | None = None) -> NoReturn:
        at = self.position if position is None else position
        raise LocatorSyntaxError(self.text, min(at, len(self.text)), expected)


class _JavaScriptParser(_Parser):
    steps = _STEP_NAMES
    option_names = _OPTION_NAMES
    constants: ClassVar = {"true": True, "false": False, "undefined": None}
    quotes = "'\"`"
    escapes = _COMMON_ESCAPES
    code_point = re.compile(r"x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}", re.ASCII)
    code_point_letters = "xu"

    def argument(self, call: _Call) -> None:
        if not self.accept("{"):
            self.positional(call)
            return
        while not self.accept("}"):
            self.option(call, ":")
            if not self.accept(","):
                self.expect("}")
                break

    def special_literal(self) -> str | Regex | None:
        start = self.position
        if literal := self.match(_REGEX_LITERAL):
            # The flags g and d only matter after the first match.
            flags = literal[2].replace("g", "").replace("d", "")
            return self.regex(literal[1], flags, start)
        if not self.match(re.compile(r"new\s+RegExp\s*\(\s*")):
            return None
        pattern, flags = self.string(), ""
        if self.accept(","):
            self.space()
            flags = self.string()
        self.expect(")")
        return self.regex(pattern, flags, start)

    def other_escape(self, char: str) -> str:
        return char


class _PythonParser(_Parser):
    steps: ClassVar = {python_name(name): name for name in _STEP_NAMES}
    option_names: ClassVar = {python_name(name): name for name in _OPTION_NAMES}
    constants: ClassVar = {"True": True, "False": False, "None": None}
    quotes = "'\""
    escapes: ClassVar = {**_COMMON_ESCAPES, "a": "\a", "\\": "\\", "'": "'", '"': '"'}
    code_point = re.compile(r"x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})", re.ASCII)
    code_point_letters = "xuUN"

    def argument(self, call: _Call) -> None:
        self.space()
        if re.compile(r"\w+\s*=").match(self.text, self.position):
            self.option(call, "=")
        else:
            self.positional(call)

    def special_literal(self) -> str | Regex | None:
        start = self.position
        if not self.match(re.compile(r"re\s*\.\s*compile\s*\(\s*")):
            return self.raw_string()
        raw = self.raw_string()
        pattern, flags = self.string() if raw is None else raw, ""
        if self.accept(","):
            self.match(re.compile(r"\s*flags\s*="))
            flags = self.flag()
            while self.accept("|"):
                flags += self.flag()
        self.expect(")")
        return self.regex(pattern, flags, start)

    def flag(self) -> str:
        start = self.space()
        named = self.match(re.compile(r"re\s*\.\s*(\w+)"))
        flag = _PYTHON_FLAGS.get(named[1]) if named else None
        return flag or self.fail(f"re.{', re.'.join(_PYTHON_FLAGS)}", start)

    def raw_string(self) -> str | None:
        raw = self.match(_RAW_STRING)
        return raw[2] if raw else None

    def other_escape(self, char: str) -> str:
        return "\\" + char


def _one_of(types: _Types) -> str:
    return " or ".join(_TYPE_NAMES[each] for each in types)
