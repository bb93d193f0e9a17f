"""How a step is written in a test and read back: the Python template of its operation.

A template is Python in which the operation's input fields are names:

    if element: element.press_sequentially(text, delay=delay_ms)
    else: page.keyboard.type(text, delay=delay_ms)
    if submit: page.keyboard.press('Enter')

- `element` and `to_element` are the locators of the step's targets, and `page.locator(field)` is
  the locator of the selector in a field.
- Arguments and dictionary items whose field is not set are omitted.
- `name(field)` converts the value, see `_CONVERSIONS`, or tests it in a condition, see `_TESTS`.
- `expect(...).to_...` becomes `not_to_...` for a step with `negate`. `expect_visible(locator)`
  expects a visible element, or with `negate` or `gone` none in any frame.
- `pass` is for a step that a test does not need; a string says why a step cannot be written.
- Of several statements the last that is not an `if` without `else` stands for the step; the others
  are read as separate steps, or ignored.

Templates are parsed and never run. To write a step, the fields are filled in; to read one, the
statements of the template are compared with those of the test.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pwtui.protocol.catalog import OperationInfo, catalog
from pwtui.protocol.locators import LocatorSyntaxError, python_name
from pwtui.recordings.python_source import Code, literal, locator, selector_of

_ELEMENTS = {"element": "", "to_element": "to_"}
_SEARCHES = {
    "point": "{0}.get_by_text({1})",
    "list": '{0}.get_by_role("list").and_({0}.get_by_label({1}))',
}
_FIELD_SEARCH = "{0}.get_by_label({1})"
_ESCAPED_TEXT = re.compile(r"(?:\\.|[^\\.^$*+?{}\[\]|()])*")
LOAD_STATES = ("load", "domcontentloaded", "networkidle")
_NULL = ()
"""The value of a field that is null; that of one that is not set is None."""
_LEFT_OUT = (None, _NULL)


class NotInPython(Exception):
    """A test cannot express the step, or a recording the statement."""


class _NoMatch(Exception):
    """The source does not match the template."""


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

_TESTS: Mapping[str, tuple[Callable[[Any], bool], Any]] = {
    "is_true": (lambda value: str(value).lower() == "true", "true"),
    "is_false": (lambda value: str(value).lower() == "false", "false"),
    "is_number": (lambda value: str(value).isdecimal(), None),
    "is_load_state": (lambda value: value in LOAD_STATES, None),
}
"""By name: what is tested, and the only value that passes, if there is one."""


@dataclass(frozen=True)
class ReadStep:
    op: str
    input: dict[str, Any]
    list_field: str | None = None
    """The list field of which the statement has one item."""

    def is_same_list(self, other: ReadStep) -> bool:
        """Whether the other step has another item of the same list."""
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
    """The step of a statement; None if the statement belongs to another step."""
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
    raise NotInPython("unknown call")


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
        module = _ExpandVisible().visit(ast.parse(info.python))
        names = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
        self._has_own_url = "url" in names
        self._search = _SEARCHES.get(info.target.search, _FIELD_SEARCH)
        self._body = module.body
        self.statements = list(self._find_statements(self._body, {}, {}))

    def lines(self, input: Mapping[str, Any]) -> list[str]:
        """The lines of a test that do the same, or NotInPython."""
        if missing := self.required - input.keys():
            raise NotInPython(f"it has no {', '.join(sorted(missing))}")
        given = {python_name(name): _NULL if v is None else v for name, v in input.items()}
        elements = {name: self._element(prefix, given) for name, prefix in _ELEMENTS.items()}
        lines = list(_write(self._body, {**dict.fromkeys(self.fields), **given, **elements}))
        if "url" in input and not self._has_own_url:
            lines.insert(0, f"page.goto({literal(input['url'])})")
        return lines

    def _element(self, prefix: str, values: Mapping[str, Any]) -> Code | None:
        owner = "page" if prefix else _scope(values.get("within"), values.get("within_role"))
        if selector := values.get(f"{prefix}selector"):
            return Code(locator(selector, owner))
        if words := values.get(f"{prefix}words"):
            return Code(self._search.format(owner, literal(words)))
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
            case ast.For(body=frame):
                yield from self._find_statements(frame, conditions, lists)
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


def _write(body: Sequence[ast.stmt], values: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a template with its fields filled in."""
    for statement in body:
        match statement:
            case ast.If(test=test, body=then, orelse=otherwise):
                yield from _write(then if _holds(test, values) else otherwise, values)
            case ast.For(target=ast.Name(id=item), iter=ast.Name(id=field), body=loop):
                for value in values[field] or ():
                    yield from _write(loop, {**values, item: value})
            case ast.For(body=check):
                yield "for frame in page.frames:"
                yield from (f"    {line}" for line in _write(check, {**values, "negate": False}))
            case ast.Expr(value=ast.Constant(value=reason)):
                raise NotInPython(reason)
            case ast.Expr(value=code):
                yield _filled(code, values)


def _filled(node: ast.AST, values: Mapping[str, Any]) -> Any:
    """The value of an expression: of a field, or the code that it stands for."""

    def fill(node: ast.AST) -> Any:
        return _filled(node, values)

    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return values[name] if name in values else Code(name)
        case ast.BoolOp(values=[field, default]):
            return fill(field) or fill(default)
        case ast.List(elts=items):
            return [fill(item) for item in items]
        case ast.Dict():
            filled = {name: fill(item) for name, item in _items(node).items()}
            return {name: value for name, value in filled.items() if value not in _LEFT_OUT}
        case ast.Lambda(args=ast.arguments(args=[argument]), body=body):
            return Code(f"lambda {argument.arg}: {fill(body)}")
        case ast.Attribute(value=owner, attr=name):
            if (source := fill(owner)) is None:
                raise NotInPython("it names no element")
            if source.startswith("expect(") and values.get("negate"):
                name = name.removeprefix("not_") if name.startswith("not_") else f"not_{name}"
            return Code(f"{source}.{name}")
        case ast.Call(func=ast.Name(id=name), args=[field]) if name in _CONVERSIONS:
            return _CONVERSIONS[name][0](fill(field))
        case ast.Call(func=ast.Attribute(value=owner, attr="locator"), args=[field]):
            return Code(locator(fill(field), fill(owner)))
        case ast.Call():
            arguments = [value for each in node.args if (value := fill(each)) not in _LEFT_OUT]
            options = ((each.arg, fill(each.value)) for each in node.keywords)
            given = [f"{n}={literal(v)}" for n, v in options if v not in (*_LEFT_OUT, 0)]
            parts = [*map(literal, arguments), *given]
            return Code(f"{fill(node.func)}({', '.join(parts)})")
    raise TypeError(f"not known in a template: {ast.unparse(node)}")


def _holds(test: ast.expr, values: Mapping[str, Any]) -> bool:
    """Whether a condition of a template is true."""
    match test:
        case ast.Name(id=name):
            return bool(values.get(name))
        case ast.BoolOp(op=operator, values=parts):
            every = all if isinstance(operator, ast.And) else any
            return every(_holds(part, values) for part in parts)
        case ast.Compare(left=ast.Name(id=name), ops=[ast.IsNot()]):
            return values.get(name) is not None
        case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=field)]):
            return _TESTS[name][0](values.get(field))
    raise TypeError(f"not known in a template: {ast.unparse(test)}")


class _ExpandVisible(ast.NodeTransformer):
    """A script searches every frame; a check that something is absent must do so, too."""

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        match node.value:
            case ast.Call(func=ast.Name(id="expect_visible"), args=[found]):
                visible = f"{ast.unparse(found)}.filter(visible=True)"
                in_frame = visible.replace("page", "frame", 1)
                return ast.parse(
                    f"if negate or gone:\n"
                    f"    for frame in page.frames: expect({in_frame}).to_have_count(0)\n"
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
            if expected and not _holds(test, _with_element(found)):
                self._assume(test, assumed)
        found |= assumed
        for test, expected in self.conditions.items():
            # The condition may have been written differently.
            if _holds(test, _with_element(found if expected else assumed)) != expected:
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

    def _assume(self, test: ast.expr, assumed: dict[str, Any]) -> None:
        """Set the fields that only the condition names to what makes it true."""
        match test:
            case ast.BoolOp(values=parts):
                for part in parts:
                    self._assume(part, assumed)
            case ast.Name(id=name) if name in self.template.flags:
                assumed[name] = True
            case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=field)]):
                if (value := _TESTS[name][1]) is not None:
                    assumed[field] = value


def _with_element(values: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**values, "element": values.get("selector")}


def _selector(code: ast.AST) -> str:
    try:
        return selector_of(ast.unparse(code).removeprefix("frame."))
    except LocatorSyntaxError:
        raise _NoMatch from None


def _value(code: ast.AST) -> Any:
    try:
        return ast.literal_eval(ast.unparse(code))
    except ValueError:
        raise _NoMatch from None
