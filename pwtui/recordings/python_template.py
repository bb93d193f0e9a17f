"""How a step is written in a test and read back: the Python template of its operation.

A template is Python in which the operation's input fields are names:

    if element: element.press_sequentially(text, delay=delay_ms)
    else: page.keyboard.type(text, delay=delay_ms)
    if submit: page.keyboard.press('Enter')

- `element` and `to_element` are the locators of the step's targets, and `page.locator(field)` is
  the locator of the selector in a field.
- `field or default` is the default when the field is not given, and `field or ...` no argument.
  Keyword arguments and items of a dictionary are left out when their field is not given.
- `*field` is a list whose only item stands alone; `for item in field` is a line for each item.
- `name(field)` converts the value, see `_CONVERSIONS`.
- `expect(...).to_...` becomes `not_to_...` for a step with `negate`. `expect_visible(locator)`
  expects an element that can be seen, or with `negate` or `gone` none in any frame.
- `pass` is for a step that a test does not need; a string says why a step cannot be written.
- Of several statements the last that is not an `if` without `else` stands for the step; the others
  are read as steps of their own, or ignored.
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

Values = Mapping[str, Any]
"""The values of a step's fields, by their names in Python."""

_ELEMENTS = {"element": "", "to_element": "to_"}
_SEARCHES = {
    "point": "{0}.get_by_text({1})",
    "list": '{0}.get_by_role("list").and_({0}.get_by_label({1}))',
}
_FIELD_SEARCH = "{0}.get_by_label({1})"
_ESCAPED_TEXT = re.compile(r"(?:\\.|[^\\.^$*+?{}\[\]|()])*")


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
    "null": (
        lambda value: "null" if value in (None, "reset") else value,
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
        self.op = info.id
        self.fields = {python_name(name): name for name in info.input.get("properties", {})}
        self.flags = {name for name, field in self.fields.items() if _is_flag(info, field)}
        self.required = frozenset(info.input.get("required", ()))
        self.search = _SEARCHES.get(info.target.search, _FIELD_SEARCH)
        module = _ExpandVisible().visit(ast.parse(info.python))
        self.body: Sequence[ast.stmt] = module.body
        self.additions: set[str] = set()
        self.statements = list(self._find_statements(self.body, {}, {}))
        names = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
        self.has_own_url = "url" in names
        self.searches_frames = "frame" in names

    def lines(self, input: Mapping[str, Any]) -> list[str]:
        """The lines of a test that do the same, or NotInPython."""
        writer = _Writer(self, {python_name(name): value for name, value in input.items()})
        lines = list(writer.lines(self.body))
        if "url" in input and not self.has_own_url:
            lines.insert(0, f"page.goto({literal(input['url'])})")
        return lines

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
            case ast.For(body=[in_frame]):
                in_page = FrameAsPage().visit(deepcopy(in_frame))
                yield from self._find_statements([in_page], conditions, lists)
            case ast.Expr(value=ast.Call() as code):
                yield _Statement(self, code, conditions, lists)


def _is_flag(info: OperationInfo, field: str) -> bool:
    return bool(info.input["properties"][field].get("type") == "boolean")


class _ExpandVisible(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        match node.value:
            case ast.Call(func=ast.Name(id="expect_visible"), args=[found]):
                in_page = ast.unparse(found)
                in_frame = in_page.replace("page", "frame", 1)
                return ast.parse(
                    "if negate or gone:\n"
                    "    for frame in page.frames:\n"
                    f"        expect({in_frame}.filter(visible=True)).to_have_count(0)\n"
                    f"else: expect({in_page}.filter(visible=True).first).to_be_visible()"
                ).body[0]
        return node


class FrameAsPage(ast.NodeTransformer):
    """For reading: what is expected of every frame is expected of the page."""

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name("page", node.ctx) if node.id == "frame" else node


class _Names(dict[str, Any]):
    def __missing__(self, name: str) -> None:
        return None


def _holds(test: ast.expr, values: Values) -> bool:
    """Whether a condition of a template is true; templates are part of this program."""
    names = _Names(values, element=_has_element(values), str=str)
    return bool(eval(compile(ast.Expression(test), "<template>", "eval"), {}, names))


def _has_element(values: Values) -> bool:
    return values.get("selector") is not None or values.get("words") is not None


def _items(node: ast.Dict) -> dict[str, ast.expr]:
    items = zip(node.keys, node.values, strict=True)
    return {str(ast.literal_eval(key)): value for key, value in items if key is not None}


@dataclass(frozen=True)
class _Writer:
    template: Template
    values: Values

    def lines(self, body: Sequence[ast.stmt]) -> Iterator[str]:
        for statement in body:
            match statement:
                case ast.If(test=test, body=then, orelse=otherwise):
                    yield from self.lines(then if _holds(test, self.values) else otherwise)
                case ast.For(target=ast.Name(id=item), iter=ast.Name(id=field), body=loop):
                    for value in self.values.get(field) or ():
                        yield from self._with(item, value).lines(loop)
                case ast.For(target=target, iter=frames, body=loop):
                    yield f"for {ast.unparse(target)} in {ast.unparse(frames)}:"
                    yield from (f"    {line}" for line in self._with("negate", False).lines(loop))
                case ast.Assign(targets=[target], value=value):
                    yield f"{ast.unparse(target)} = {self._source(value)}"
                case ast.Expr(value=ast.Constant(value=reason)):
                    raise NotInPython(reason)
                case ast.Expr(value=value):
                    yield str(self._source(value))

    def _with(self, name: str, value: Any) -> _Writer:
        return _Writer(self.template, {**self.values, name: value})

    def _source(self, node: ast.expr) -> str | None:
        """None where a field is not given."""
        match node:
            case ast.Name(id=name) if name in _ELEMENTS:
                return self._element(_ELEMENTS[name])
            case ast.Name(id=name) if name in self.template.fields or name in self.values:
                return None if self.values.get(name) is None else literal(self.values[name])
            case ast.Constant(value=value):
                return None if value is ... else literal(value)
            case ast.BoolOp(values=[ast.Name(id="element"), default]) if not _has_element(
                self.values
            ):
                return self._source(default)
            case ast.BoolOp(values=[field, default]):
                return self._source(field) or self._source(default)
            case ast.Starred(value=ast.Name(id=name)):
                items = self.values.get(name) or []
                return literal(items[0] if len(items) == 1 else items)
            case ast.Attribute(value=owner, attr=name):
                return f"{self._source(owner)}.{self._negated(owner, name)}"
            case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=field)]) if (
                name in _CONVERSIONS
            ):
                convert, _ = _CONVERSIONS[name]
                return literal(convert(self.values[field])) if field in self.values else None
            case ast.Call(
                func=ast.Attribute(value=owner, attr="locator"), args=[ast.Name(id=field)]
            ):
                return locator(str(self.values.get(field)), str(self._source(owner)))
            case ast.Call(func=func, args=arguments, keywords=keywords):
                options = {str(each.arg): self._source(each.value) for each in keywords}
                parts = [
                    *filter(None, map(self._argument, arguments)),
                    *(f"{k}={v}" for k, v in options.items() if v not in (None, "False", "0")),
                ]
                return f"{self._source(func)}({', '.join(parts)})"
            case ast.List(elts=elements):
                return f"[{', '.join(filter(None, map(self._source, elements)))}]"
            case ast.Dict():
                pairs = ((key, self._source(value)) for key, value in _items(node).items())
                given = [f"{literal(key)}: {value}" for key, value in pairs if value is not None]
                return f"{{{', '.join(given)}}}"
            case ast.Lambda(args=parameters, body=body):
                return f"lambda {ast.unparse(parameters)}: {self._source(body)}"
            case _:
                return ast.unparse(node)

    def _argument(self, node: ast.expr) -> str | None:
        source = self._source(node)
        if source is None and not isinstance(node, ast.BoolOp):
            raise NotInPython(f"it has no {ast.unparse(node)}")
        return source

    def _negated(self, owner: ast.expr, name: str) -> str:
        match owner:
            case ast.Call(func=ast.Name(id="expect")) if self.values.get("negate"):
                return name.removeprefix("not_") if name.startswith("not_") else f"not_{name}"
        return name

    def _element(self, prefix: str) -> str:
        owner = "page" if prefix else self._scope()
        if selector := self.values.get(f"{prefix}selector"):
            return locator(selector, owner)
        if words := self.values.get(f"{prefix}words"):
            return self.template.search.format(owner, literal(words))
        raise NotInPython("it names no element")

    def _scope(self) -> str:
        """The part of the page that the element is in."""
        text, role = self.values.get("within"), self.values.get("within_role")
        if text is None and role is None:
            return "page"
        scope = f"page.get_by_role({literal(role or 'listitem')})"
        if role is None:
            scope += '.or_(page.get_by_role("row"))'
        return scope if text is None else f"{scope}.filter(has_text={literal(text)})"


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
            if expected and not _holds(test, found):
                self._assume(test, assumed)
        found |= assumed
        for test, expected in self.conditions.items():
            # What was given may be written in another way today.
            if _holds(test, found if expected else assumed) != expected:
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
            case ast.Starred(value=ast.Name(id=name)):
                value = _value(code)
                found[name] = value if isinstance(value, list) else [value]
            case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=field)]) if (
                name in _CONVERSIONS
            ):
                _, convert = _CONVERSIONS[name]
                found[field] = convert(_value(code))
            case ast.Call(func=ast.Attribute(attr="locator"), args=[ast.Name(id=field)]):
                found[field] = _selector(code)
            case ast.Call() if isinstance(code, ast.Call):
                self._match(pattern.func, code.func, found)
                missing = pattern.args[len(code.args) :]
                if len(code.args) > len(pattern.args) or not all(map(_is_optional, missing)):
                    raise _NoMatch
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
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=value)]):
                names = (node.id for node in ast.walk(left) if isinstance(node, ast.Name))
                assumed.update({name: value for name in names if name in self.template.fields})


def _is_optional(argument: ast.expr) -> bool:
    return isinstance(argument, ast.BoolOp)


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
