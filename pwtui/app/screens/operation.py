"""One operation: a form made from its declaration, beside the envelope that will be sent."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, ClassVar

from pydantic import ValidationError
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.css.query import NoMatches
from textual.widgets import Static, TextArea

from pwtui.app.controller import Controller
from pwtui.app.screens.reaches_panel import ReachesPanel
from pwtui.app.shell_command import as_command
from pwtui.protocol.envelope import (
    Request,
    Response,
    RuntimeBlock,
    UndecodableRequest,
    decode_request,
)
from pwtui.protocol.schema import problems
from pwtui.widgets.dialogs import Choice, ChoiceDialog
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.modal import Modal
from pwtui.widgets.schema_form import SchemaForm
from pwtui.widgets.text import cut, plain
from pwtui.widgets.text_fields import TextField

_CSS = """
OperationScreen { align: center middle; background: $background 45%; }
OperationScreen #box {
    width: 96%;
    height: 92%;
    background: $surface;
    border: round $primary;
    border-title-color: $primary;
    border-subtitle-color: $text-muted;
}
OperationScreen #columns { height: 1fr; }
OperationScreen #forms { width: 3fr; }
OperationScreen #summary { height: auto; max-height: 3; padding: 0 1; color: $text-muted; }
OperationScreen #input-form { height: 2fr; }
OperationScreen #runtime-title { height: 1; padding: 0 1; color: $text-muted; background: $panel; }
OperationScreen #runtime-form { height: 1fr; }
OperationScreen #side { width: 2fr; border-left: solid $panel; }
OperationScreen #envelope { height: 1fr; border: none; padding: 0 1; background: $background; }
OperationScreen #verdict { height: auto; max-height: 4; padding: 0 1; }
OperationScreen #verdict.-wrong { color: $text-error; }
OperationScreen #verdict.-right { color: $text-success; }
OperationScreen.-narrow #side { display: none; }
OperationScreen.-narrow.-json #side { display: block; width: 1fr; border: none; }
OperationScreen.-narrow.-json #forms { display: none; }
"""


class OperationScreen(ReachesPanel, Modal[None]):
    """Form and JSON stay in step; whatever is in the JSON is what is sent."""

    takes_keys = False
    DEFAULT_CSS = _CSS
    AUTO_FOCUS = "#input-form Input"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal")]  # noqa: RUF012

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2,ctrl+s", "send", "send", id="operation.send"),
        Binding("f3", "send_again", "send, keep open", id="operation.send-keep"),
        Binding("f4", "copy_json", "copy JSON", id="operation.copy-json"),
        Binding("f5", "copy_command", "copy as pw exec", id="operation.copy-command"),
        Binding("f6", "record", "to recording", id="operation.record"),
        Binding("f7", "toggle_json", "form / JSON", id="operation.json"),
        Binding("escape", "close", "close", id="operation.close"),
    ]

    def __init__(self, controller: Controller, request: Request) -> None:
        super().__init__()
        self.controller = controller
        self._request = request
        self._schema: dict[str, Any] | None = None
        self._text = ""
        self._problem = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            with Horizontal(id="columns"):
                with Vertical(id="forms"):
                    yield Static(id="summary", markup=False)
                    yield Vertical(id="input-form")
                    yield Static("runtime", id="runtime-title", markup=False)
                    yield Vertical(id="runtime-form")
                with Vertical(id="side"):
                    yield TextField(id="envelope", theme="css", tab_behavior="indent")
            yield Static("checking…", id="verdict", markup=False)
        yield KeyBar()

    async def on_mount(self) -> None:
        self.query_one("#box").border_title = Content(plain(self._request.op))
        self._show_envelope(self._request.to_wire())
        runtime = SchemaForm(RuntimeBlock.model_json_schema(), validator=self._runtime_problems)
        await self.query_one("#runtime-form").mount(runtime)
        runtime.set_value(self._request.to_wire().get("runtime") or {})
        self._describe()

    @work
    async def _describe(self) -> None:
        """The declaration comes from the daemon, so it is that of the version that will run it."""
        response = await self.controller.ask("ops.describe", op=self._request.op)
        with suppress(NoMatches):  # it is closed while it opens
            await self._show_form(response)
        self.takes_keys = True

    async def _show_form(self, response: Response) -> None:
        if response.data is None:
            self._schema = {}
            self._judge(str(response.error) if response.error else "unknown operation")
            return
        self._schema = response.data["input"]
        self.query_one("#summary", Static).update(plain(response.data["help"].split("\n\n")[0]))
        form = SchemaForm(self._schema, validator=self._input_problems)
        await self.query_one("#input-form").mount(form)
        form.set_value(self._request.input)
        form.focus_first()
        self._judge()

    def _input_problems(self, value: dict[str, Any]) -> list[tuple[str, str]]:
        return problems(self._schema or {}, value)

    def _runtime_problems(self, value: dict[str, Any]) -> list[tuple[str, str]]:
        return problems(RuntimeBlock.model_json_schema(), value)

    # -- form and JSON in step ---------------------------------------------------------------------

    @on(SchemaForm.Changed)
    def _form_changed(self) -> None:
        wire = self._request.to_wire()
        if forms := list(self.query_one("#input-form").query(SchemaForm)):
            wire["input"] = forms[0].value()
        runtime = self.query_one("#runtime-form").query_one(SchemaForm).value()
        wire.pop("runtime", None)
        if runtime:
            wire["runtime"] = runtime
        self._show_envelope(wire)

    @on(TextArea.Changed, "#envelope")
    def _json_changed(self, event: TextArea.Changed) -> None:
        # What we wrote ourselves comes back later; only what the person typed counts.
        if event.text_area.text == self._text:
            return
        self._text = event.text_area.text
        try:
            request = decode_request(event.text_area.text)
        except UndecodableRequest as error:
            self._judge(str(error))
            return
        self._request = request
        wire = request.to_wire()
        for form in self.query_one("#input-form").query(SchemaForm):
            form.set_value(wire.get("input") or {})
        for form in self.query_one("#runtime-form").query(SchemaForm):
            form.set_value(wire.get("runtime") or {})
        self._judge()

    def _show_envelope(self, wire: dict[str, Any]) -> None:
        area = self.query_one("#envelope", TextArea)
        text = self._text = json.dumps(wire, indent=2, ensure_ascii=False)
        if area.text != text:
            area.text = text
        try:
            self._request = Request.model_validate(wire)
        except ValidationError as error:
            self._judge(error.errors()[0]["msg"])
        else:
            self._judge()

    def _judge(self, problem: str = "") -> None:
        self._problem = problem
        if self._schema is None and not problem:
            return
        found = [problem] if problem else []
        wrong = self._input_problems(self._request.input)
        found += [f"{field}: {text}" for field, text in wrong]
        verdict = self.query_one("#verdict", Static)
        verdict.set_class(bool(found), "-wrong")
        verdict.set_class(not found, "-right")
        verdict.update(plain(cut("; ".join(found), 300)) if found else "valid")

    # -- what can be done with it ----------------------------------------------------------------

    def action_send(self) -> None:
        if not self._goes_to_problem():
            request = self._request
            self.dismiss()
            self.panel.send(request)

    def action_send_again(self) -> None:
        if not self._goes_to_problem():
            self.panel.send(self._request)

    def _goes_to_problem(self) -> bool:
        """Go to what is wrong first; False when all is well."""
        if self._problem:
            self.add_class("-json")
            self.query_one("#envelope").focus()
            return True
        for form in self.query(SchemaForm):
            if form.problems:
                self.remove_class("-json")
                return form.go_to_problem()
        return False

    @on(SchemaForm.Submitted)
    def _submitted(self) -> None:
        self.action_send()

    def action_copy_json(self) -> None:
        self.panel.copy_text(json.dumps(self._request.to_wire(), ensure_ascii=False))

    def action_copy_command(self) -> None:
        self.panel.copy_text(as_command(self._request.to_wire()))

    def action_record(self) -> None:
        self.controller.record_only(self._request, self._schema or {})
        self.notify("added to the recording", timeout=2)

    def action_toggle_json(self) -> None:
        self.toggle_class("-json")

    def action_close(self) -> None:
        self.dismiss()

    @on(SchemaForm.RefPickRequested)
    @work
    async def _pick_ref(self, event: SchemaForm.RefPickRequested) -> None:
        tree = self.controller.store.snapshot.tree
        nodes = [node for node in tree.nodes if node.ref] if tree else []
        choices = [
            Choice(str(node.ref), cut(plain(f"{node.ref:6} {node.role} {node.name or ''}"), 60))
            for node in nodes
        ]
        if not choices:
            self.notify("there is no snapshot to pick from", severity="warning")
            return
        ref = await self.app.push_screen_wait(ChoiceDialog("Pick a ref", choices))
        if ref is not None:
            event.form.fill(event.field, ref)
            self._form_changed()
