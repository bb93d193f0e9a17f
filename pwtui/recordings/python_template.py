"""How a step is written in a test and read back: the Python template of its operation.

A template is Python in which the operation's input fields are names:

    if element: element.press_sequentially(text, delay=delay_ms)
    else: page.keyboard.type(text, delay=delay_ms)
    if submit: page.keyboard.press('Enter')

- `element` and `to_element` are the locators of the step's targets, and `page.locator(field)` is
  the locator of the selector in a field.
- Arguments and items of a dictionary whose field is not given are left out.
- `name(field)` converts the value, see `_CONVERSIONS`.
- `expect(...).to_...` becomes `not_to_...` for a step with `negate`. `expect_visible(locator)`
  expects an element that can be seen, or with `negate` or `gone` none in any frame.
- `pass` is for a step that a test does not need; a string says why a step cannot be written.
- Of several statements the last that is not an `if` without `else` stands for the step; the others
  are read as steps of their own, or ignored.

To write a step, the template is run with objects that record the source of what is called. To read
one, the statements of the template are compared with those of the test.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any

from pwtui.protocol.catalog import OperationInfo, catalog
from pwtui.protocol.locators import LocatorSyntaxError, python_name
from pwtui.recordings.python_source import literal, locator, selector_of

_ELEMENTS = {"element": "", "to_element": "to_"}
_SEARCHES = {
    "point": "{0}.get_by_text({1})",
    "list": '{0}.get_by_role("list").and_({0}.get_by_label({1}))',
}
_FIELD_SEARCH = "{0}.get_by_label({1})"
_ESCAPED_TEXT = re.compile(r"(?:\\.|[^\\.^$*+?{}\[\]|()])*")
_NULL = ()
"""Stands for a field that is given as null; None is one that is not given."""
_LEFT_OUT = (None, _NULL)


class NotInPython(Exception):
    """The step has no counterpart in a test, or the test none in a recording."""


class _NoMatch(Exception):
    """The source is not what the template writes."""


def _unescape(pattern: str) -> str:
    if not _ESCAPED_TEXT.fullmatch(pattern):
        raise _NoMatch
    return re.sub(r"\\(.)", r"\1", pattern)


def _part_of_url(glob: str) -> str:
    inner = glob.removeprefix("**").removesuffix("**")
    return inner if glob == f"**{inner}**" and "*" not in inner else glob


_CONVERSIONS: Mapping[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "int": (int, str),
    "escape": (re.escape, _unescape),
    "anywhere": (lambda url: url if "*" in url else f"**{url}**", _part_of_url),
    "one_or_list": (
        lambda items: items[0] if len(items) == 1 else items,
        lambda value: value if isinstance(value, list) else [value],
    ),
    "unless_false": (lambda value: value is not False, lambda value: value),
    "null": (
        lambda value: "null" if value in (_NULL, "reset") else value,
        lambda value: "reset" if value == "null" else value,
    ),
}
"""By name: from the field to the test, and back."""


@dataclass(frozen=True)
class ReadStep:
    op: str
    input: dict[str, Any]
    list_field: str | None = None
    """The list of which the statement has one item."""

    def is_same_list(self, other: ReadStep) -> bool:
        """Whether the other has another item of the same list."""
        mine, others = ({**step.input, str(step.list_field): None} for step in (self, other))
        return self.list_field is not None and (self.op, mine) == (other.op, others)


@cache
def templates() -> Mapping[str, Template]:
    return {info.id: Template(info) for info in catalog().values() if info.python}


@cache
def _statements() -> Sequence[_Statement]:
    """The most specific first."""
    found = (statement for template in templates().values() for statement in template.statements)
    return sorted(found, key=lambda statement: -sum(1 for _ in ast.walk(statement.code)))


def read_statement(code: ast.Call) -> ReadStep | None:
    """The step that the statement was written for; None if it belongs to another one."""
    spellings = [(code, False)]
    match code:
        case ast.Call(func=ast.Attribute(value=owner, attr=check)) if check.startswith("not_"):
            positive = ast.Attribute(owner, check.removeprefix("not_"), ast.Load())
            spellings.append((ast.Call(positive, code.args, code.keywords), True))
    for spelling, is_negated in spellings:
        for statement in _statements():
            try:
                return statement.read(spelling, is_negated=is_negated)
            except _NoMatch:
                continue
    if any(ast.unparse(code) in template.additions for template in templates().values()):
        return None
    raise NotInPython(f"{ast.unparse(code.func)}() is not known")


class Template:
    def __init__(self, info: OperationInfo) -> None:
        properties = info.input.get("properties", {})
        self.op = info.id
        self.fields = {python_name(name): name for name in properties}
        flags = (name for name, field in properties.items() if field.get("type") == "boolean")
        self.flags = frozenset(map(python_name, flags))
        self.required = frozenset(info.input.get("required", ()))
        self.searches_frames = "expect_visible" in info.python
        self.additions: set[str] = set()
        module = ast.parse(info.python)
        nodes = list(ast.walk(module))
        self._has_own_url = any(isinstance(node, ast.Name) and node.id == "url" for node in nodes)
        self._search = _SEARCHES.get(info.target.search, _FIELD_SEARCH)
        written = ast.fix_missing_locations(_Record().visit(deepcopy(module)))
        self._code = compile(written, f"<template of {info.id}>", "exec")
        self.statements = list(self._find_statements(_ExpandVisible().visit(module).body, {}, {}))

    def lines(self, input: Mapping[str, Any]) -> list[str]:
        """The lines of a test that do the same, or NotInPython."""
        if missing := self.required - input.keys():
            raise NotInPython(f"it has no {', '.join(sorted(missing))}")
        lines: list[str] = []
        if "url" in input and not self._has_own_url:
            lines.append(f"page.goto({literal(input['url'])})")
        values = {python_name(name): _NULL if v is None else v for name, v in input.items()}
        is_negative = bool(values.get("negate") or values.get("gone"))

        def add(statement: _Source | str) -> None:
            if isinstance(statement, str):
                raise NotInPython(statement)
            lines.extend(str(statement).split("\n"))

        names = {
            **dict.fromkeys(self.fields),
            **values,
            **{name: self._element(prefix, values) for name, prefix in _ELEMENTS.items()},
            **{name: write for name, (write, _) in _CONVERSIONS.items()},
            "page": _Source("page"),
            "re": _Source("re"),
            "expect": lambda subject: _Source(f"expect({subject})", is_negated=is_negative),
            "expect_visible": lambda found: _Source(_visible(str(found), is_negative)),
            "add": add,
            "given": lambda items: {k: v for k, v in items.items() if v not in _LEFT_OUT},
        }
        try:
            exec(self._code, names)
        except AttributeError:
            raise NotInPython("it names no element") from None
        return lines

    def _element(self, prefix: str, values: Mapping[str, Any]) -> _Source | None:
        owner = "page" if prefix else _scope(values.get("within"), values.get("within_role"))
        if selector := values.get(f"{prefix}selector"):
            return _Source(locator(selector, owner))
        if words := values.get(f"{prefix}words"):
            return _Source(self._search.format(owner, literal(words)))
        if prefix and f"{prefix}selector" in self.fields:
            raise NotInPython("it names no element")
        return None

    def _find_statements(
        self,
        body: Sequence[ast.stmt],
        conditions: Mapping[ast.expr, bool],
        lists: Mapping[str, str],
    ) -> Iterator[_Statement]:
        """The statements that stand for the step."""
        *before, last = (
            each for each in body if len(body) == 1 or not isinstance(each, ast.If) or each.orelse
        )
        self.additions.update(map(ast.unparse, before))
        match last:
            case ast.If(test=test, body=then, orelse=otherwise):
                yield from self._find_statements(then, {**conditions, test: True}, lists)
                yield from self._find_statements(otherwise, {**conditions, test: False}, lists)
            case ast.For(target=ast.Name(id=item), iter=ast.Name(id=field), body=loop):
                yield from self._find_statements(loop, conditions, {**lists, item: field})
            case ast.Expr(value=ast.Call() as code):
                yield _Statement(self, code, conditions, lists)


def _scope(text: str | None, role: str | None) -> str:
    """The part of the page that an element is in."""
    if text is None and role is None:
        return "page"
    scope = f"page.get_by_role({literal(role or 'listitem')})"
    if role is None:
        scope += '.or_(page.get_by_role("row"))'
    return scope if text is None else f"{scope}.filter(has_text={literal(text)})"


def _visible(found: str, is_negative: bool) -> str:
    """A script looks into every frame; a check that something is absent must do so, too."""
    if not is_negative:
        return f"expect({found}.filter(visible=True).first).to_be_visible()"
    found = found.replace("page", "frame", 1)
    check = f"expect({found}.filter(visible=True)).to_have_count(0)"
    return f"for frame in page.frames:\n    {check}"


class _Source:
    """Source that grows with each attribute and call."""

    def __init__(self, text: str, *, is_negated: bool = False) -> None:
        self._text = text
        self._is_negated = is_negated

    def __str__(self) -> str:
        return self._text

    def __getattr__(self, name: str) -> _Source:
        if self._is_negated:
            name = name.removeprefix("not_") if name.startswith("not_") else f"not_{name}"
        return _Source(f"{self._text}.{name}")

    def __call__(self, *arguments: Any, **options: Any) -> _Source:
        owner, _, method = self._text.rpartition(".")
        if method == "locator":
            return _Source(locator(arguments[0], owner))
        parts = [_written(each) for each in arguments if each not in _LEFT_OUT]
        given = {name: value for name, value in options.items() if value not in _LEFT_OUT}
        parts += [f"{name}={_written(value)}" for name, value in given.items() if value != 0]
        return _Source(f"{self._text}({', '.join(parts)})")


def _written(value: Any) -> str:
    if isinstance(value, _Source):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {_written(v)}" for k, v in value.items()) + "}"
    if callable(value):
        name = value.__code__.co_varnames[0]
        return f"lambda {name}: {value(_Source(name))}"
    return literal(value)


class _Record(ast.NodeTransformer):
    """Adds each statement of a template to the lines of the test."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        self.generic_visit(node)
        return ast.Expr(ast.Call(ast.Name("add", ast.Load()), [node.value], []))

    def visit_Dict(self, node: ast.Dict) -> ast.Call:
        return ast.Call(ast.Name("given", ast.Load()), [node], [])


class _ExpandVisible(ast.NodeTransformer):
    """For reading: what is expected of every frame is expected of the page."""

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        match node.value:
            case ast.Call(func=ast.Name(id="expect_visible"), args=[found]):
                visible = f"{ast.unparse(found)}.filter(visible=True)"
                return ast.parse(
                    f"if negate or gone: expect({visible}).to_have_count(0)\n"
                    f"else: expect({visible}.first).to_be_visible()"
                ).body[0]
        return node


def _items(node: ast.Dict) -> dict[str, ast.expr]:
    items = zip(node.keys, node.values, strict=True)
    return {str(ast.literal_eval(key)): value for key, value in items if key is not None}


@dataclass(frozen=True)
class _Statement:
    """A call in a template that stands for the whole step."""

    template: Template
    code: ast.Call
    conditions: Mapping[ast.expr, bool]
    lists: Mapping[str, str]
    """By loop variable: the list that it runs through."""

    def read(self, code: ast.Call, *, is_negated: bool) -> ReadStep:
        """The step of a statement that this one writes, or _NoMatch."""
        found: dict[str, Any] = {"negate": True} if is_negated else {}
        self._match(self.code, code, found)
        assumed: dict[str, Any] = {}
        for test, expected in self.conditions.items():
            if expected and not self._holds(test, found):
                self._assume(test, assumed)
        found |= assumed
        for test, expected in self.conditions.items():
            # What was given may be written in another way today.
            if self._holds(test, found if expected else assumed) != expected:
                raise _NoMatch
        fields = self.template.fields
        if not found.keys() <= fields.keys():
            raise _NoMatch
        input = {fields[name]: value for name, value in found.items()}
        if not self.template.required <= input.keys():
            raise _NoMatch
        list_field = next((fields[field] for field in self.lists.values()), None)
        return ReadStep(self.template.op, input, list_field)

    def _match(self, pattern: Any, code: Any, found: dict[str, Any]) -> None:
        match pattern:
            case ast.Name(id=name) if name in _ELEMENTS:
                found[f"{_ELEMENTS[name]}selector"] = _selector(code)
            case ast.Name(id=name) if name in self.lists:
                found[self.lists[name]] = [_value(code)]
            case ast.Name(id=name) if name in self.template.fields:
                found[name] = _value(code)
            case ast.BoolOp(values=[field, default]):
                # A default that is a value could have been given as well.
                if isinstance(default, ast.Constant) or ast.dump(code) != ast.dump(default):
                    self._match(field, code, found)
            case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=field)]) if (
                name in _CONVERSIONS
            ):
                _, convert = _CONVERSIONS[name]
                found[field] = convert(_value(code))
            case ast.Call(func=ast.Attribute(attr="locator"), args=[ast.Name(id=field)]):
                found[field] = _selector(code)
            case ast.Call() if isinstance(code, ast.Call) and len(code.args) <= len(pattern.args):
                self._match(pattern.func, code.func, found)
                for left, right in zip(pattern.args, code.args, strict=False):
                    self._match(left, right, found)
                options = {each.arg: each.value for each in pattern.keywords}
                self._match_items(options, {each.arg: each.value for each in code.keywords}, found)
            case ast.Dict() if isinstance(code, ast.Dict):
                self._match_items(_items(pattern), _items(code), found)
            case ast.AST() if type(pattern) is type(code):
                for name in pattern._fields:
                    if name != "ctx":
                        self._match(getattr(pattern, name), getattr(code, name), found)
            case list() if isinstance(code, list) and len(pattern) == len(code):
                for left, right in zip(pattern, code, strict=True):
                    self._match(left, right, found)
            case _ if pattern != code:
                raise _NoMatch

    def _match_items(
        self, pattern: Mapping[Any, ast.expr], code: Mapping[Any, ast.expr], found: dict[str, Any]
    ) -> None:
        if not code.keys() <= pattern.keys():
            raise _NoMatch
        for name, value in code.items():
            self._match(pattern[name], value, found)

    def _holds(self, test: ast.expr, values: Mapping[str, Any]) -> bool:
        names = {**dict.fromkeys(("gone", "negate", *self.template.fields)), **values}
        names["element"] = names.get("selector")
        return bool(eval(compile(ast.Expression(test), "<condition>", "eval"), names))

    def _assume(self, test: ast.expr, assumed: dict[str, Any]) -> None:
        """Set the fields that only the condition names to what makes it true."""
        match test:
            case ast.BoolOp(values=parts):
                for part in parts:
                    self._assume(part, assumed)
            case ast.Name(id=name) if name in self.template.flags:
                assumed[name] = True
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=value)]):
                names = (node.id for node in ast.walk(left) if isinstance(node, ast.Name))
                assumed.update({name: value for name in names if name in self.template.fields})


def _selector(code: ast.AST) -> str:
    try:
        return selector_of(ast.unparse(code))
    except LocatorSyntaxError:
        raise _NoMatch from None


def _value(code: ast.AST) -> Any:
    try:
        return ast.literal_eval(ast.unparse(code))
    except ValueError:
        raise _NoMatch from None
