"""The form of an operation, beside the envelope that it sends."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import Any, ClassVar

from pydantic import ValidationError
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from pwtui.app.actions.output import copy_text
from pwtui.app.screens.form_window import FormWindow, Problems
from pwtui.app.screens.window import styles
from pwtui.app.shell_command import as_command
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Request, RuntimeBlock, UndecodableRequest, decode_request
from pwtui.protocol.errors import PwError
from pwtui.protocol.schema import problems
from pwtui.runtime.target import looks_like_selector, resolve_selector
from pwtui.widgets.dialogs import Choice, ChoiceDialog
from pwtui.widgets.form_section import SectionHeading
from pwtui.widgets.schema_form import SchemaForm
from pwtui.widgets.text import cut, plain


class OperationScreen(FormWindow):
    """Form and JSON follow each other; the JSON is what is sent."""

    DEFAULT_CSS = styles("operation")
    AUTO_FOCUS = "#input-form Input"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2,ctrl+s", "send", "send", id="operation.send"),
        Binding("f7", "toggle_json", "form / JSON", id="operation.json"),
        Binding("f3", "send_again", "send and stay", id="operation.send-keep"),
        Binding("f4", "copy_json", "copy JSON", id="operation.copy-json"),
        Binding("f5", "copy_command", "copy as pw exec", id="operation.copy-command"),
        Binding("f6", "record", "add to recording", id="operation.record"),
        Binding("escape", "close", "close", id="operation.close"),
    ]

    def __init__(self, request: Request) -> None:
        super().__init__()
        self._request = request
        self._info = catalog().get(request.op)

    def compose_forms(self) -> ComposeResult:
        summary = self._info.help.split("\n\n")[0] if self._info else ""
        yield Static(plain(summary), id="summary", markup=False)
        with Vertical(id="input-form"):
            schema = dict(self._info.input) if self._info else {}
            yield SchemaForm(schema, validator=self._input_problems)
        yield Static("runtime", id="runtime-title", markup=False)
        with Vertical(id="runtime-form"):
            schema = RuntimeBlock.model_json_schema()
            yield SchemaForm(schema, validator=_runtime_problems, folds=True)

    def on_mount(self) -> None:
        self.query_one("#box").border_title = Content(plain(self._request.op))
        self._show_in_forms()
        self._show_envelope(self._request.to_wire())
        self._input_form.focus_first()

    @property
    def _input_form(self) -> SchemaForm:
        return self.query_one("#input-form SchemaForm", SchemaForm)

    @property
    def _runtime_form(self) -> SchemaForm:
        return self.query_one("#runtime-form SchemaForm", SchemaForm)

    def _input_problems(self, value: dict[str, Any]) -> Problems:
        if self._info is None:
            return [("op", "unknown operation")]
        found = problems(dict(self._info.input), value)
        if self._lacks_element(value) and self._default_element is None:
            return [*found, ("selector", "is required, or a ref or words")]
        return found

    def _lacks_element(self, value: dict[str, Any]) -> bool:
        """Whether the operation needs an element, and none is named."""
        info = self._info
        if info is None or not info.takes_element or info.target.optional:
            return False
        url = value.get("url") if info.target.url_may_be_selector else None
        is_named = any(value.get(name) is not None for name in ("selector", "ref", "words"))
        return not is_named and not (isinstance(url, str) and looks_like_selector(url))

    @property
    def _default_element(self) -> str | None:
        """What it acts on then."""
        assert self._info is not None
        profile = self._request.profile or self.app.store.active_profile
        with suppress(PwError):
            cache = self.controller.profiles.load(profile).cache
            return resolve_selector(None, cache, self._info.target.fallback, now=time.time())
        return self._info.target.fallback

    # -- form and JSON ---------------------------------------------------------------------------

    @on(SchemaForm.Changed)
    def _form_changed(self) -> None:
        wire = {**self._request.to_wire(), "input": self._input_form.value()}
        wire.pop("runtime", None)
        if runtime := self._runtime_form.value():
            wire["runtime"] = runtime
        self._show_envelope(wire)

    def json_typed(self, text: str) -> None:
        try:
            self._request = decode_request(text)
        except UndecodableRequest as error:
            self._validate(str(error))
            return
        self._show_in_forms()
        self._validate()

    def _show_in_forms(self) -> None:
        wire = self._request.to_wire()
        self._input_form.set_value(wire.get("input") or {})
        self._runtime_form.set_value(wire.get("runtime") or {})
        self._fit_runtime()

    @on(SectionHeading.Toggled)
    def _fit_runtime(self) -> None:
        """A folded runtime leaves its lines to the input."""
        self.query_one("#runtime-form").set_class(not self._runtime_form.is_folded, "-open")

    def _show_envelope(self, wire: dict[str, Any]) -> None:
        self.write_json(wire)
        try:
            self._request = Request.model_validate(wire)
        except ValidationError as error:
            self._validate(error.errors()[0]["msg"])
        else:
            self._validate()

    def _validate(self, problem: str = "") -> None:
        value, well = self._request.input, "valid"
        if self._lacks_element(value):
            well = f"no selector, ref or words: it acts on {self._default_element}"
        self.show_verdict(problem, self._input_problems(value), well)

    # -- actions ---------------------------------------------------------------------------------

    def action_send(self) -> None:
        if not self.go_to_problem():
            self.dismiss()
            self.app.send(self._request)

    def action_send_again(self) -> None:
        if not self.go_to_problem():
            self.app.send(self._request)

    @on(SchemaForm.Submitted)
    def _submitted(self) -> None:
        self.action_send()

    def action_copy_json(self) -> None:
        copy_text(self.app, json.dumps(self._request.to_wire(), ensure_ascii=False))

    def action_copy_command(self) -> None:
        copy_text(self.app, as_command(self._request.to_wire()))

    def action_record(self) -> None:
        self.controller.recorder.add(self._request)
        self.notify("Added to the recording", timeout=2)

    @on(SchemaForm.RefPickRequested)
    @work
    async def _pick_ref(self, event: SchemaForm.RefPickRequested) -> None:
        tree = self.app.store.snapshot.tree
        choices = [
            Choice(node.ref, cut(plain(f"{node.ref:6} {node.role} {node.name or ''}"), 60))
            for node in (tree.nodes if tree else ())
            if node.ref
        ]
        if not choices:
            self.notify("No snapshot to pick from", severity="warning")
            return
        ref = await self.app.push_screen_wait(ChoiceDialog("Pick a ref", choices))
        if ref is not None:
            event.form.fill(event.field, ref)
            self._form_changed()


def _runtime_problems(value: dict[str, Any]) -> Problems:
    return problems(RuntimeBlock.model_json_schema(), value)
