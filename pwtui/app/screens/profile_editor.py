"""Edits a profile as a form or as JSON."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from pydantic import ValidationError
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static, TextArea
from watchfiles import awatch

from pwtui.app.screens.form_window import FormWindow, Problems
from pwtui.app.screens.window import styles
from pwtui.protocol.envelope import parse_json
from pwtui.protocol.errors import InvalidInput
from pwtui.state.config import ProfileConfig
from pwtui.widgets.dialogs import ConfirmDialog
from pwtui.widgets.schema_form import SchemaForm
from pwtui.widgets.text import cut, plain

MOST_DIFFERENCES = 12


class ProfileEditor(FormWindow):
    """Saves with `profile.set`, so the change is logged like every request."""

    DEFAULT_CSS = styles("profile_editor")
    AUTO_FOCUS = "SchemaForm TextControl, SchemaForm ChoiceControl"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2,ctrl+s", "save", "save", id="editor.save"),
        Binding("f7", "toggle_json", "form / JSON", id="editor.json"),
        Binding("f8", "compare", "compare", id="editor.compare"),
        Binding("f9", "swap", "use theirs", id="editor.take-theirs"),
        Binding("escape", "close", "close", id="editor.close"),
    ]

    def __init__(self, name: str) -> None:
        super().__init__()
        self._profile = name
        self._saved: dict[str, Any] = {}
        self._value: dict[str, Any] = {}
        self._saving = False
        self._theirs: dict[str, Any] | None = None
        """What another program saved meanwhile."""
        self._mine: str | None = None
        """The user's text, before theirs replaced it."""

    def compose_forms(self) -> ComposeResult:
        yield SchemaForm(_form_schema(), validator=_config_problems)

    def compose_below(self) -> ComposeResult:
        yield Static(id="disk", markup=False)

    def on_mount(self) -> None:
        box = self.query_one("#box")
        box.border_title = f"Profile {self._profile}"
        file = self.controller.profiles.folder(self._profile) / "config.json"
        box.border_subtitle = Content(plain(str(file)))
        self._load()
        self._watch()

    @property
    def is_modified(self) -> bool:
        return bool(self.json_problem or _differences(self._saved, self._value))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "compare":
            return self._theirs is not None
        if action == "swap":
            return self._theirs is not None or self._mine is not None
        return super().check_action(action, parameters)

    def _on_disk(self) -> dict[str, Any]:
        return self.controller.profiles.load(self._profile).config.model_dump(mode="json")

    def _load(self) -> None:
        self._saved = self._on_disk()
        self._theirs = None
        self._show(dict(self._saved), everywhere=True)

    def _show(
        self, value: dict[str, Any], *, everywhere: bool = False, from_json: bool = False
    ) -> None:
        self._value = value
        if everywhere or from_json:
            self.query_one(SchemaForm).set_value(value)
        if everywhere or not from_json:
            self.write_json(value)
        self._validate()

    @on(SchemaForm.Changed)
    def _form_changed(self, event: SchemaForm.Changed) -> None:
        value = {"schema": self._saved.get("schema", 4), **event.value}
        if value != self._value:
            self._show(value)

    def json_typed(self, text: str) -> None:
        try:
            value = parse_json(text, what="the text")
        except InvalidInput as error:
            self._validate(str(error))
            return
        if isinstance(value, dict):
            self._show(value, from_json=True)
        else:
            self._validate("must be a JSON object")

    def _validate(self, problem: str = "") -> None:
        self.json_problem = problem
        all_well = "modified" if self.is_modified else "saved"
        self.show_verdict(problem, _config_problems(self._value), all_well)
        mark = " *" if self.is_modified else ""
        self.query_one("#box").border_title = f"Profile {self._profile}{mark}"
        line = ""
        if self._theirs is not None:
            line = "Changed on disk. F8: compare, F9: use theirs"
        elif self._mine is not None:
            line = "Using the version on disk. F9: back to yours"
        disk = self.query_one("#disk", Static)
        disk.update(line)
        disk.set_class(bool(line), "-shown")
        self.refresh_bindings()

    @work
    async def action_save(self) -> None:
        if self.go_to_problem():
            self.notify("Not saved: fix the problems below", severity="warning")
            return
        theirs = self._on_disk()
        if _differences(self._saved, theirs) and _differences(theirs, self._value):
            self._notice(theirs)
            if not await self._confirm("Overwrite the changes of another program?", "Overwrite"):
                return
        self._saving = True
        request = self.controller.request(
            "profile.set", {"name": self._profile, "config": self._value}
        )
        response = await self.controller.send(request)
        if response.error is not None:
            self.notify(plain(str(response.error)), severity="error", markup=False)
        else:
            self._mine = None
            self._load()
            self.notify(f"Saved {self._profile}", timeout=2, markup=False)
        self._saving = False

    # -- another program saved the file ------------------------------------------------------------

    def _notice(self, theirs: dict[str, Any]) -> None:
        self._theirs = theirs if _differences(self._saved, theirs) else None
        self._validate(self.json_problem)

    async def _confirm(self, title: str, confirm: str) -> bool:
        """Ask, and show the differences between both versions."""
        lines = _differences(self._theirs or {}, self._value)
        shown = [cut(line, 74) for line in lines[:MOST_DIFFERENCES]]
        if len(lines) > len(shown):
            shown.append(f"and {len(lines) - len(shown)} more")
        text = "\n".join(["on disk → here", *shown])
        dialog = ConfirmDialog(title, text, confirm=confirm)
        return await self.app.push_screen_wait(dialog)

    @work
    async def action_compare(self) -> None:
        if await self._confirm("Changed on disk", "Use theirs"):
            self.action_swap()

    def action_swap(self) -> None:
        """Use the version on disk, or switch back to the user's text."""
        if self._theirs is not None:
            self._mine = self.json_text
            self._saved, self._theirs = self._theirs, None
            self._show(dict(self._saved), everywhere=True)
        elif self._mine is not None:
            text, self._mine = self._mine, None
            self.query_one("#json", TextArea).text = text

    def action_close(self) -> None:
        self.app.start(self._close_if_sure())

    async def _close_if_sure(self) -> None:
        if self.is_modified:
            dialog = ConfirmDialog(
                "Close without saving?", "Your changes will be lost.", confirm="Close"
            )
            if not await self.app.push_screen_wait(dialog):
                return
        self.dismiss()

    @work(group="editor-watch", exit_on_error=False)
    async def _watch(self) -> None:
        """Reload the file when it changes; after an edit here, report its changes instead."""
        folder = self.controller.profiles.folder(self._profile)
        if not folder.is_dir():
            return
        async for _ in awatch(folder, recursive=False, rust_timeout=1000):
            if self._saving:
                continue
            theirs = self._on_disk()
            if self.is_modified:
                self._notice(theirs)
            elif theirs != self._saved:
                self._load()
                self.notify("Reloaded: another program changed the file", markup=False)


def _form_schema() -> dict[str, Any]:
    schema = ProfileConfig.model_json_schema()
    schema["properties"].pop("schema", None)
    return schema


def _config_problems(value: dict[str, Any]) -> Problems:
    try:
        ProfileConfig.model_validate(value)
    except ValidationError as error:
        return [
            (".".join(str(part) for part in each["loc"]), each["msg"])
            for each in error.errors(include_url=False)
        ]
    return []


def _differences(before: object, after: object, path: str = "") -> list[str]:
    """One line per value that differs; an empty group equals a missing one."""
    one, other = ({} if each is None else each for each in (before, after))
    if isinstance(one, dict) and isinstance(other, dict):
        return [
            line
            for key in dict.fromkeys([*one, *other])
            for line in _differences(one.get(key), other.get(key), f"{path}.{key}" if path else key)
        ]
    if before == after:
        return []
    texts = [json.dumps(each, ensure_ascii=False) for each in (before, after)]
    return [plain(f"{path}: {' → '.join('unset' if text == 'null' else text for text in texts)}")]
