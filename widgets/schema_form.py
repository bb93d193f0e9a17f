"""A form made from a JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.css.query import NoMatches
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from pwtui.protocol.schema import Schema
from pwtui.widgets.form_controls import FieldControl, control_for
from pwtui.widgets.form_section import SectionHeading
from pwtui.widgets.schema_fields import MISSING, Field, Section, read_schema
from pwtui.widgets.stylesheet import stylesheet
from pwtui.widgets.text import cut, plain, width

FormProblem = tuple[str, str]
Validator = Callable[[dict[str, Any]], list[FormProblem]]

WIDEST_LABEL = 22


class FieldRow(Widget):
    """The label of a field, its control, and its problem.

    The problem of an empty field is shown in the control. Leaving a field finds only such problems,
    so no row moves between the press and the release of a mouse button.
    """

    DEFAULT_CSS = stylesheet("field_row")

    def __init__(self, field: Field, label_cells: int) -> None:
        super().__init__()
        self.field = field
        self.control = control_for(field)
        self.is_touched = False
        self._label_cells = label_cells

    def compose(self) -> ComposeResult:
        indent = "  " * (len(self.field.path) - 1)
        name = cut(plain(indent + self.field.path[-1]), self._label_cells)
        mark = "*" if self.field.is_required else ""
        space = " " * (self._label_cells + 2 - width(name) - len(mark))
        with Horizontal():
            label = Content.assemble(name, (mark, "bold $accent"), space)
            yield Static(label, classes="field--label")
            yield self.control
            if self.field.is_ref:
                yield Static(Content("→ pick"), classes="field--pick")
        yield Static("", classes="field--problem", markup=False)

    def show_problem(self, problem: str) -> None:
        self.set_class(bool(problem), "-wrong")
        below = "" if self.control.show_problem(problem) else plain(problem)
        line = self.query_one(".field--problem", Static)
        line.set_class(bool(below), "-wrong")
        line.update(Content(" " * (self._label_cells + 3) + below if below else ""))


class SchemaForm(VerticalScroll, can_focus=False):
    """Required fields first. An empty field is absent from the value.

    The validator runs after every change; its problems are shown below the fields that the user has
    visited.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("alt+r", "pick_ref", "pick a ref", show=False, id="form.pick-ref"),
    ]

    DEFAULT_CSS = stylesheet("schema_form")

    @dataclass
    class FormMessage(Message):
        form: SchemaForm

        @property
        def control(self) -> SchemaForm:
            return self.form

    @dataclass
    class Changed(FormMessage):
        """The user changed a field."""

        value: dict[str, Any]

    @dataclass
    class Submitted(FormMessage):
        """The user submitted a valid form."""

        value: dict[str, Any]

    @dataclass
    class RefPickRequested(FormMessage):
        """The user wants to pick an element for this field; answer with `fill`."""

        field: str

    @dataclass
    class FieldFocused(FormMessage):
        """A field has the focus."""

        field: Field

    def __init__(
        self,
        schema: Schema,
        value: Mapping[str, Any] | None = None,
        *,
        validator: Validator | None = None,
        folds: bool = False,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.problems: list[FormProblem] = []
        """All problems, shown or not: the dotted path and the message."""
        self._form_group = read_schema(schema)
        self._form_validator = validator
        fields = list(self._form_group.fields())
        longest = max((width(each.path[-1]) + 2 * len(each.path) - 2 for each in fields), default=8)
        cells = min(WIDEST_LABEL, longest)
        self._form_rows = {each.key: FieldRow(each, cells) for each in fields}
        self._form_headings = {
            each.path: SectionHeading(each, can_fold=folds) for each in self._form_group.sections()
        }
        self._form_kept: dict[str, Any] = {}
        self._fill(value or {})

    def compose(self) -> ComposeResult:
        yield Static("", classes="form--problem", markup=False)
        if not self._form_rows:
            yield Static("No input.", classes="form--empty", markup=False)
        yield from self._compose_group(self._form_group)

    def _compose_group(self, group: Section) -> ComposeResult:
        for part in group.parts:
            if isinstance(part, Field):
                yield self._form_rows[part.key]
                continue
            yield self._form_headings[part.path]
            yield from self._compose_group(part)

    def on_mount(self) -> None:
        self._show_folds()
        with suppress(NoMatches):  # closed while opening
            self._check()

    def value(self) -> dict[str, Any]:
        """The values of the fields, and the given members without a field."""
        value = deepcopy(self._form_kept)
        for row in self._form_rows.values():
            taken, _ = row.control.read_value()
            if taken is not MISSING:
                _put(value, row.field.path, taken)
        return value

    def set_value(self, value: Mapping[str, Any]) -> None:
        """Replace all values and keep members without a field. Posts no message."""
        self._fill(value)
        if self.is_mounted:
            self._check()

    def fill(self, field: str, value: object) -> None:
        """Set a field by its dotted path, as if the user had typed it."""
        row = self._form_rows[field]
        row.control.set_value(value)
        row.is_touched = True
        self._changed()

    def _fill(self, value: Mapping[str, Any]) -> None:
        self._form_kept = deepcopy(dict(value))
        for row in self._form_rows.values():
            given = _pop(self._form_kept, row.field.path)
            row.control.set_value(MISSING if given is None else given)
            # Show problems of given values at once, those of empty fields later.
            row.is_touched = given is not MISSING and given is not None
        _drop_empty_groups(self._form_kept, self._form_group)
        for heading in self._form_headings.values():
            if any(self._form_rows[each.key].is_touched for each in heading.section.fields()):
                heading.fold(False)
        self._show_folds()

    def _show_folds(self) -> None:
        folded = [path for path, each in self._form_headings.items() if each.is_folded]
        for row in self._form_rows.values():
            row.display = not any(row.field.path[: len(path)] == path for path in folded)
        for path, heading in self._form_headings.items():
            heading.display = not any(path != up and path[: len(up)] == up for up in folded)

    @property
    def is_folded(self) -> bool:
        """Whether fields are folded away."""
        return any(heading.is_folded for heading in self._form_headings.values())

    def _unfold(self, row: FieldRow) -> None:
        for path, heading in self._form_headings.items():
            if heading.is_folded and row.field.path[: len(path)] == path:
                heading.post_message(SectionHeading.Toggled(heading))

    @on(SectionHeading.Toggled)
    def _toggled(self, event: SectionHeading.Toggled) -> None:
        event.heading.fold(not event.heading.is_folded)
        self._show_folds()

    def _find_problems(self, value: dict[str, Any]) -> list[FormProblem]:
        own: list[FormProblem] = []
        for key, row in self._form_rows.items():
            taken, problem = row.control.read_value()
            if problem:
                own.append((key, problem))
            elif taken is MISSING and row.field.is_required and self._form_validator is None:
                own.append((key, "is required"))
        if self._form_validator is None:
            return own
        known = {key for key, _ in own}
        theirs = self._form_validator(value)
        return own + [each for each in theirs if self._row_key(each[0]) not in known]

    def _row_key(self, path: str) -> str:
        """The field that contains a path, or an empty string."""
        names = path.split(".")
        for end in range(len(names), 0, -1):
            key = ".".join(names[:end])
            if key in self._form_rows:
                return key
        return ""

    def _check(self) -> dict[str, Any]:
        value = self.value()
        self.problems = self._find_problems(value)
        self._show_problems()
        return value

    def _show_problems(self) -> None:
        by_row: dict[str, list[str]] = {}
        for path, problem in self.problems:
            key = self._row_key(path)
            by_row.setdefault(key, []).append(problem if key else f"{path}: {problem}".lstrip(": "))
        for key, row in self._form_rows.items():
            row.show_problem("; ".join(by_row.get(key, ())) if row.is_touched else "")
        of_form = "\n".join(plain(each) for each in by_row.get("", ()))
        line = self.query_one(".form--problem", Static)
        line.set_class(bool(of_form), "-wrong")
        line.update(Content(of_form))

    def _row_of(self, widget: Widget | None) -> FieldRow | None:
        return next((each for each in self._form_rows.values() if each.control is widget), None)

    def _changed(self) -> None:
        self.post_message(self.Changed(self, self._check()))

    def submit(self) -> bool:
        """Post Submitted, or go to the first problem and return False."""
        if self.go_to_problem():
            return False
        self.post_message(self.Submitted(self, self.value()))
        return True

    def go_to_problem(self) -> bool:
        """Show all problems and focus the first one; False if there is none."""
        for row in self._form_rows.values():
            row.is_touched = True
        self._check()
        wrong = {self._row_key(path) for path, _ in self.problems}
        first = next((row for key, row in self._form_rows.items() if key in wrong), None)
        if first is not None:
            self._unfold(first)
            first.control.focus()
        return bool(self.problems)

    def focus_first(self) -> None:
        if self._form_rows:
            next(iter(self._form_rows.values())).control.focus()

    @on(FieldControl.Edited)
    def _edited(self, event: FieldControl.Edited) -> None:
        event.stop()
        row = self._row_of(event.source)
        if row is not None:
            row.is_touched = True
        self._changed()

    @on(FieldControl.Entered)
    def _entered(self, event: FieldControl.Entered) -> None:
        event.stop()
        self.submit()

    @on(FieldControl.Left)
    @on(SectionHeading.Left)
    def _left(self, event: FieldControl.Left | SectionHeading.Left) -> None:
        event.stop()
        stops: list[Widget] = [
            each.control if isinstance(each, FieldRow) else each
            for each in self.query("FieldRow, SectionHeading")
            if each.display and (isinstance(each, FieldRow) or each.can_focus)
        ]
        if self.app.focused in stops:
            index = stops.index(self.app.focused) + event.step
            if 0 <= index < len(stops):
                stops[index].focus()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if (row := self._row_of(event.widget)) is not None:
            self.post_message(self.FieldFocused(self, row.field))

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        row = self._row_of(event.widget)
        if row is not None and not row.is_touched and row.control.read_value()[0] is MISSING:
            row.is_touched = True
            self._show_problems()

    @on(events.Click, ".field--pick")
    def _pick_pressed(self, event: events.Click) -> None:
        event.stop()
        assert event.widget is not None
        row = event.widget.query_ancestor(FieldRow)
        self.post_message(self.RefPickRequested(self, row.field.key))

    def action_pick_ref(self) -> None:
        """Pick a ref for the focused ref field, or for the first one."""
        here = self._row_of(self.app.focused)
        rows = [here] if here is not None and here.field.is_ref else []
        rows += [row for row in self._form_rows.values() if row.field.is_ref]
        if rows:
            self.post_message(self.RefPickRequested(self, rows[0].field.key))


def _put(value: dict[str, Any], path: tuple[str, ...], member: object) -> None:
    for name in path[:-1]:
        inner = value.get(name)
        if not isinstance(inner, dict):
            # The user filled in a field of the group: replace a value that is not an object.
            inner = value[name] = {}
        value = inner
    value[path[-1]] = member


def _pop(value: dict[str, Any], path: tuple[str, ...]) -> Any:
    for name in path[:-1]:
        inner = value.get(name)
        if not isinstance(inner, dict):
            return MISSING
        value = inner
    return value.pop(path[-1], MISSING)


def _drop_empty_groups(value: dict[str, Any], group: Section) -> None:
    for part in group.parts:
        name = part.path[-1]
        inner = value.get(name)
        if isinstance(part, Section):
            if isinstance(inner, dict):
                _drop_empty_groups(inner, part)
            if inner is None or inner == {}:
                value.pop(name, None)
