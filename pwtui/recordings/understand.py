"""A test that we generated, read back as a recording. Nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pwtui.keywords.to_line import to_line
from pwtui.protocol.envelope import Request
from pwtui.protocol.locators import LocatorSyntaxError, parse
from pwtui.recordings.python_calls import CALLS, NotUnderstood, Pattern, expectation, plain_selector
from pwtui.recordings.steps import Recording, RecordingError, Step
from pwtui.recordings.tab_order import TabOrder
from pwtui.recordings.variables import filled, names_in

HERE = object()  # the page's own URL

# What a test has to say in order to do another step.
_WITHOUT_A_STEP = ("page.bring_to_front", "page.context.grant_permissions")


def read_test(path: Path, text: str, variables: Mapping[str, str]) -> Recording:
    """The steps of the tests in the file; every line that is not known is named."""
    try:
        module = ast.parse(text)
    except SyntaxError as error:
        raise RecordingError(path, [(error.lineno or 1, f"not Python: {error.msg}")]) from None
    except (MemoryError, RecursionError):
        raise _too_deep(path) from None
    reader = _Reader()
    try:
        for statement in module.body:
            reader.top(statement)
    except RecursionError:
        raise _too_deep(path) from None
    if reader.problems:
        raise RecordingError(path, reader.problems)
    steps = [_step(*each, variables) for each in reader.steps]
    return Recording(path, tuple(steps))


def _too_deep(path: Path) -> RecordingError:
    return RecordingError(path, [(1, "its expressions are nested too deeply")])


def _step(line: int, op: str, input: dict[str, Any], variables: Mapping[str, str]) -> Step:
    shown = to_line(Request(op=op, input=input)) if any(names_in(input)) else ""
    return Step(line, Request(op=op, input=filled(input, variables)), shown=shown)


class _Reader:
    def __init__(self) -> None:
        self.steps: list[tuple[int, str, dict[str, Any]]] = []
        self.problems: list[tuple[int, str]] = []
        self._constants: dict[str, str] = {}
        self._dialog: tuple[int, str, dict[str, Any]] | None = None
        self._tabs = TabOrder()
        self._has_closed = False

    def top(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                return
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript(value=owner)) if (
                ast.unparse(owner) == "os.environ"
            ):
                self._constants[name] = "{{" + name.lower() + "}}"
            case ast.FunctionDef(name=name, body=body) if name.startswith("test_"):
                for each in body:
                    self._statement(each)
            case _:
                self._refuse(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Pass():
                return
            case ast.With(items=[ast.withitem(context_expr=opening)], body=body) if (
                ast.unparse(opening) == "page.expect_popup()"
            ):
                for each in body:
                    self._statement(each)
                return
            case ast.For(target=ast.Name(id="frame"), iter=frames, body=[each]) if (
                ast.unparse(frames) == "page.frames"
            ):
                # A script looks into every frame anyway.
                self._statement(_FrameAsPage().visit(each))
                return
        try:
            step = self._step(statement)
        except (NotUnderstood, LocatorSyntaxError) as error:
            self._refuse(statement, str(error))
            return
        if step is None:
            return
        found = (statement.lineno, *step)
        if step[0].startswith("dialog."):
            self._dialog = found
            return
        self._add(found)
        if self._dialog is not None:
            # The test says how to answer before the action, the recording after it.
            self._add(self._dialog)
            self._dialog = None

    def _add(self, step: tuple[int, str, dict[str, Any]]) -> None:
        # The items of one list are one step here, and a line each in the test.
        if self.steps:
            _, op, input = self.steps[-1]
            same = all(input.get(each) == step[2].get(each) for each in ("selector", "negate"))
            is_whole = input.get("exact") or step[2].get("exact")
            if step[1] == op == "verify.list" and same and not is_whole:
                input["items"] += step[2]["items"]
                return
        self.steps.append(step)

    def _step(self, statement: ast.stmt) -> tuple[str, dict[str, Any]] | None:
        match statement:
            case ast.Assign(targets=[ast.Name(id="page")], value=value):
                return self._other_page(value)
            case ast.Expr(value=ast.Call() as call):
                return self._call(call)
            case _:
                raise NotUnderstood("only the calls that `pw convert` writes are known")

    def _other_page(self, value: ast.expr) -> tuple[str, dict[str, Any]] | None:
        has_closed, self._has_closed = self._has_closed, False
        match value:
            case ast.Call() if ast.unparse(value) == "page.context.new_page()":
                self._tabs.add()
                return "tabs.new", {}
            case ast.Attribute(value=ast.Name(id=name), attr="value") if name.startswith("tab_"):
                return "tabs.switch", {"target": str(self._tabs.add())}
            case ast.Subscript(slice=ast.Constant(value=int(position))):
                if has_closed:
                    return None  # the tab that is left
                index = self._tab_at(position)
                self._tabs.use(index)
                return "tabs.switch", {"target": str(index)}
        raise NotUnderstood("this tab is not known")

    def _tab_at(self, position: int) -> int:
        if position >= len(self._tabs.open):
            raise NotUnderstood(f"there is no tab {position}")
        return self._tabs.open[position]

    def _call(self, call: ast.Call) -> tuple[str, dict[str, Any]] | None:
        if not isinstance(call.func, ast.Attribute):
            raise NotUnderstood("a method is expected")
        owner, method = call.func.value, call.func.attr
        arguments = [self._value(each) for each in call.args]
        options = {str(each.arg): self._value(each.value) for each in call.keywords}
        match owner:
            case ast.Call(func=ast.Name(id="expect"), args=[subject]):
                return expectation(self._subject(subject), method, arguments)
        match owner:
            case ast.Subscript(slice=ast.Constant(value=int(position))) if method == "close":
                index = self._tab_at(position)
                self._tabs.close(index)
                return "tabs.close", {"target": str(index)}
        name = ast.unparse(owner)
        if f"{name}.{method}" == "page.close" and self._tabs.current is not None:
            self._tabs.close(self._tabs.current)
            self._has_closed = True
        if f"{name}.{method}" in _WITHOUT_A_STEP:
            return None
        known = CALLS.get(f"{name}.{method}")
        if known is not None:
            return known(arguments, options)
        known = CALLS.get(f"locator.{method}")
        if known is None or not name.startswith("page."):
            raise NotUnderstood(f"{name}.{method}() is not known")
        op, input = known(arguments, options)
        return op, {"condition" if op == "wait" else "selector": _selector(owner), **input}

    def _subject(self, subject: ast.expr) -> str:
        return "page" if ast.unparse(subject) == "page" else _selector(subject)

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Name(id=name) if name in self._constants:
                return self._constants[name]
            case ast.JoinedStr(values=values):
                return "".join(str(self._value(each)) for each in values)
            case ast.FormattedValue(value=value):
                return self._value(value)
            case ast.Call(func=ast.Attribute(attr="compile")):
                return Pattern(self._value(node.args[0]))
            case ast.Lambda(body=ast.Call() as body):
                return self._answer(body)
            case ast.Attribute() if ast.unparse(node) == "page.url":
                return HERE
            case ast.Attribute() | ast.Call() if ast.unparse(node).startswith("page."):
                return _selector(node)
            case ast.List(elts=items):
                return [self._value(each) for each in items]
            case ast.Dict(keys=keys, values=values):
                return {
                    self._value(name): self._value(each)
                    for name, each in zip(keys, values, strict=True)
                    if name is not None
                }
        try:
            return ast.literal_eval(node)
        except ValueError:
            raise NotUnderstood(f"{ast.unparse(node)} is not a plain value") from None

    def _answer(self, body: ast.Call) -> Any:
        """What a handler of a dialog or route does: its method and arguments."""
        method = body.func.attr if isinstance(body.func, ast.Attribute) else ""
        arguments = [self._value(each) for each in body.args]
        options = {str(each.arg): self._value(each.value) for each in body.keywords}
        return method, arguments, options

    def _refuse(self, statement: ast.stmt, reason: str = "not known") -> None:
        first = ast.unparse(statement).splitlines()[0]
        self.problems.append((statement.lineno, f"cannot be converted: {first} ({reason})"))


class _FrameAsPage(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name("page", node.ctx), node) if node.id == "frame" else node


def _selector(node: ast.expr) -> str:
    """The selector of a locator as it is written in the test."""
    return plain_selector(str(parse(ast.unparse(node))))
