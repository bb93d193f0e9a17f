"""A form beside the same value as JSON; each follows the other."""

from __future__ import annotations

import json
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static, TextArea

from pwtui.app.screens.window import Window, styles
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.schema_form import SchemaForm
from pwtui.widgets.text import cut, plain
from pwtui.widgets.text_field import JsonField

Problems = list[tuple[str, str]]
LONGEST_VERDICT = 300


class FormWindow(Window):
    """The base of screens with forms, a JSON field and a line that shows problems.

    Where there is no room for both, `toggle_json` switches between forms and JSON.
    """

    DEFAULT_CSS = styles("form_window")

    def __init__(self) -> None:
        super().__init__()
        self.json_text = ""
        self.json_problem = ""

    def compose(self) -> ComposeResult:
        field = JsonField(id="json", theme="css", tab_behavior="indent")
        field.match_cursor_bracket = False
        with Vertical(id="box"):
            with Horizontal(id="columns"):
                with Vertical(id="forms"):
                    yield from self.compose_forms()
                with Vertical(id="side"):
                    yield field
            yield from self.compose_below()
            yield Static(id="field-help", markup=False)
            yield Static(id="verdict", classes="verdict", markup=False)
        yield KeyBar()

    def compose_forms(self) -> ComposeResult:
        """The left column."""
        raise NotImplementedError

    def compose_below(self) -> ComposeResult:
        """What is between the columns and the help of a field."""
        yield from ()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "toggle_json" or self.has_class("-narrow")

    def action_toggle_json(self) -> None:
        self.toggle_class("-json")

    @on(SchemaForm.FieldFocused)
    def _show_help(self, event: SchemaForm.FieldFocused) -> None:
        field = event.field
        text = " ".join(filter(None, (plain(field.description), field.hint)))
        self.query_one("#field-help", Static).update(text, layout=False)

    def json_typed(self, text: str) -> None:
        """The user edited the JSON."""
        raise NotImplementedError

    def write_json(self, value: dict[str, Any]) -> None:
        area = self.query_one("#json", TextArea)
        text = self.json_text = json.dumps(value, indent=2, ensure_ascii=False)
        if area.text != text:
            area.text = text

    @on(TextArea.Changed, "#json")
    def _json_changed(self, event: TextArea.Changed) -> None:
        # `write_json` causes this event, too; only handle edits of the user.
        if event.text_area.text != self.json_text:
            self.json_text = event.text_area.text
            self.json_typed(self.json_text)

    def show_verdict(self, problem: str, problems: Problems, all_well: str) -> None:
        """Show the problems of the JSON and of its value."""
        self.json_problem = problem
        found = [problem] if problem else []
        found += [f"{field}: {text}" for field, text in problems]
        verdict = self.query_one("#verdict", Static)
        verdict.set_class(bool(found), "-wrong")
        verdict.set_class(not found, "-right")
        verdict.update(plain(cut("; ".join(found) or all_well, LONGEST_VERDICT)))

    def go_to_problem(self) -> bool:
        """Focus the first problem; False if there is none."""
        if self.json_problem:
            self.add_class("-json")
            self.query_one("#json").focus()
            return True
        for form in self.query(SchemaForm):
            if form.problems:
                self.remove_class("-json")
                return form.go_to_problem()
        return False
