"""Reads a generated test back as a recording, without running it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from pwtui.protocol.envelope import Request
from pwtui.recordings.model import Problem, RecordedStep, Recording, RecordingError
from pwtui.recordings.python_template import NotInPython, ReadStep, read_statement
from pwtui.recordings.tab_order import TabOrder


def read_test(path: Path, text: str, variables: Mapping[str, str]) -> Recording:
    """The steps of the tests in a file; the error names every unknown line."""
    reader = _Reader()
    try:
        for statement in ast.parse(text).body:
            reader.top(statement)
    except SyntaxError as error:
        raise RecordingError(path, [(error.lineno or 1, f"not Python: {error.msg}")]) from None
    except (MemoryError, RecursionError):
        raise RecordingError(path, [(1, "expressions are nested too deeply")]) from None
    if reader.problems:
        raise RecordingError(path, reader.problems)
    steps = (
        RecordedStep.read(line, Request(op=step.op, input=step.input), variables)
        for line, step in reader.steps
    )
    return Recording(path, tuple(steps))


class _Reader:
    def __init__(self) -> None:
        self.steps: list[tuple[int, ReadStep]] = []
        self.problems: list[Problem] = []
        self._constants = _Constants()
        self._dialog: tuple[int, ReadStep] | None = None
        self._tabs = TabOrder()
        self._has_closed = False

    def top(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                return
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript(value=owner)) if (
                ast.unparse(owner) == "os.environ"
            ):
                self._constants.names.add(name)
            case ast.FunctionDef(name=name, body=body) if name.startswith("test_"):
                for each in body:
                    self._statement(self._constants.visit(each))
            case _:
                self._refuse(statement, "unknown statement")

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
                self._statement(each)
                return
        try:
            step = self._step(statement)
        except NotInPython as error:
            self._refuse(statement, str(error))
            return
        if step is None:
            return
        if ast.unparse(statement).startswith("page.once("):
            self._dialog = (statement.lineno, step)
            return
        self._add(statement.lineno, step)
        if self._dialog is not None:
            # A test handles a dialog before the action, a recording after it.
            self._add(*self._dialog)
            self._dialog = None

    def _add(self, line: int, step: ReadStep) -> None:
        _, before = self.steps[-1] if self.steps else (0, None)
        if before is not None and step.list_field and before.is_same_list(step):
            before.input[step.list_field] += step.input[step.list_field]
        else:
            self.steps.append((line, step))

    def _step(self, statement: ast.stmt) -> ReadStep | None:
        match statement:
            case ast.Assign(targets=[ast.Name(id="page")], value=value):
                return self._other_page(value)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="close"))):
                return self._close(owner)
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="bring_to_front"))):
                return None
            case ast.Expr(value=ast.Call() as code):
                return read_statement(code)
        raise NotInPython("only calls that `pw convert` writes can be read")

    def _other_page(self, value: ast.expr) -> ReadStep | None:
        has_closed, self._has_closed = self._has_closed, False
        match value:
            case ast.Call() if ast.unparse(value) == "page.context.new_page()":
                self._tabs.add()
                return ReadStep("tabs.new", {})
            case ast.Attribute(value=ast.Name(id=name), attr="value") if name.startswith("tab_"):
                return ReadStep("tabs.switch", {"target": str(self._tabs.add())})
            case ast.Subscript(slice=ast.Constant(value=int(position))):
                if has_closed:
                    return None  # the tab that becomes current
                index = self._tab_at(position)
                self._tabs.use(index)
                return ReadStep("tabs.switch", {"target": str(index)})
        raise NotInPython("unknown tab")

    def _close(self, page: ast.expr) -> ReadStep:
        match page:
            case ast.Name(id="page"):
                if self._tabs.current is not None:
                    self._tabs.close(self._tabs.current)
                    self._has_closed = True
                return ReadStep("tabs.close", {})
            case ast.Subscript(slice=ast.Constant(value=int(position))):
                index = self._tab_at(position)
                self._tabs.close(index)
                return ReadStep("tabs.close", {"target": str(index)})
        raise NotInPython("unknown tab")

    def _tab_at(self, position: int) -> int:
        if position >= len(self._tabs.open):
            raise NotInPython(f"no tab {position}")
        return self._tabs.open[position]

    def _refuse(self, statement: ast.stmt, reason: str) -> None:
        first = ast.unparse(statement).splitlines()[0]
        self.problems.append((statement.lineno, f"cannot convert {first!r}: {reason}"))


class _Constants(ast.NodeTransformer):
    """Writes `{{name}}` in place of the constants that come from the environment."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.names:
            return node
        return ast.copy_location(ast.Constant(f"{{{{{node.id.lower()}}}}}"), node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        self.generic_visit(node)
        parts = [
            each.value if isinstance(each, ast.FormattedValue) else each for each in node.values
        ]
        texts = [each.value for each in parts if isinstance(each, ast.Constant)]
        if len(texts) < len(parts):
            return node
        return ast.copy_location(ast.Constant("".join(map(str, texts))), node)
