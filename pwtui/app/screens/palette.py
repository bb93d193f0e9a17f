"""The command palette: every operation, every action of the panel, and what was sent before."""

from __future__ import annotations

import json
from collections.abc import Iterable

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from pwtui.app.controller import Controller
from pwtui.app.screens.reaches_panel import ReachesPanel
from pwtui.protocol.envelope import Request
from pwtui.widgets.modal import Modal
from pwtui.widgets.picker import Picker, PickerItem

_CSS = """
PaletteBase { align: center top; background: $background 45%; }
PaletteBase #box {
    width: 90%;
    max-width: 110;
    height: 80%;
    max-height: 34;
    margin-top: 2;
    background: $surface;
    border: round $primary;
    border-title-color: $primary;
}
PaletteBase #preview { height: 1; padding: 0 2; color: $text-muted; }
"""


class PaletteBase(ReachesPanel, Modal[None]):
    """A picker in a box, with the envelope of the highlighted item under it."""

    DEFAULT_CSS = _CSS
    AUTO_FOCUS = "Picker"

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self.controller = controller

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Picker(placeholder="type to search", id="picker")
            yield Static(id="preview", markup=False)

    @on(Picker.Cancelled)
    def _close(self) -> None:
        self.dismiss()


class PaletteScreen(PaletteBase):
    """Operations open a form; actions of the panel are done at once."""

    takes_keys = False

    def on_mount(self) -> None:
        self.query_one("#box").border_title = "Command palette"
        picker = self.query_one(Picker)
        picker.show_items(self._actions(), recent=self._recent())
        picker.focus()
        self._load_operations()

    @work
    async def _load_operations(self) -> None:
        operations = [
            PickerItem(f"op:{each['op']}", each["op"], "operation", each["summary"])
            for each in await self.controller.operations()
        ]
        if self.is_mounted:
            picker = self.query_one(Picker)
            picker.show_items([*operations, *self._actions()])
            if not picker.query_text:
                picker.action_move_first()
            self.takes_keys = True

    def _recent(self) -> list[str]:
        newest = reversed(self.controller.history)
        return list(dict.fromkeys(f"op:{wire['op']}" for wire in newest))

    def _actions(self) -> Iterable[PickerItem]:
        """What the keys do, by their own names; so every key can be found here."""
        screen = self.app.screen_stack[-2] if len(self.app.screen_stack) > 1 else self
        seen = set()
        for _, binding, enabled, _ in screen.active_bindings.values():
            if not enabled or binding.action in seen or not binding.description:
                continue
            seen.add(binding.action)
            key = self.app.get_key_display(binding)
            title = binding.tooltip or binding.description
            yield PickerItem(f"key:{binding.key}", title, "panel", binding.description, key)
        for name in self.panel.own_theme_names:
            yield PickerItem(f"theme:{name}", f"theme {name}", "theme", "Use this theme")
        yield PickerItem("history", "history", "panel", "What was sent before", "^r")

    @on(Picker.Highlighted)
    def _preview(self, event: Picker.Highlighted) -> None:
        kind, _, name = event.item.id.partition(":")
        text = ""
        if kind == "op":
            request = self.controller.request(name)
            text = json.dumps(request.to_wire(), ensure_ascii=False)
        self.query_one("#preview", Static).update(text)

    @on(Picker.Chosen)
    def _choose(self, event: Picker.Chosen) -> None:
        kind, _, name = event.item.id.partition(":")
        panel = self.panel
        self.dismiss()
        if kind == "op":
            panel.call_later(panel.open_operation, self.controller.request(name))
        elif kind == "theme":
            panel.use_theme(name)
        elif kind == "history":
            panel.call_later(panel.action_history)
        else:
            panel.call_later(panel.simulate_key, name)


class HistoryScreen(PaletteBase):
    """Envelopes that were sent, newest first; choosing one opens it for another go."""

    def on_mount(self) -> None:
        self.query_one("#box").border_title = "History"
        picker = self.query_one(Picker)
        picker.show_items(
            PickerItem(
                str(index),
                f"{wire['op']} {json.dumps(wire.get('input', {}), ensure_ascii=False)}",
                str((wire.get("runtime") or {}).get("profile") or ""),
            )
            for index, wire in reversed(list(enumerate(self.controller.history)))
        )
        picker.focus()

    @on(Picker.Highlighted)
    def _preview(self, event: Picker.Highlighted) -> None:
        wire = self.controller.history[int(event.item.id)]
        self.query_one("#preview", Static).update(json.dumps(wire, ensure_ascii=False))

    @on(Picker.Chosen)
    def _choose(self, event: Picker.Chosen) -> None:
        wire = self.controller.history[int(event.item.id)]
        panel = self.panel
        self.dismiss()
        panel.call_later(panel.open_operation, Request.model_validate(wire))
