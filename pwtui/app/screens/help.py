"""Help: the active key bindings."""

from __future__ import annotations

from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import Screen

from pwtui.app.screens.window import Window
from pwtui.widgets.picker import Picker, PickerItem


class HelpScreen(Window):
    """All keys that work in the current place, searchable."""

    DEFAULT_CSS = "HelpScreen #box { width: 90%; max-width: 90; height: 90%; }"
    AUTO_FOCUS = "Picker"

    def __init__(self, about: Screen[Any]) -> None:
        super().__init__()
        self._about = about

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = "Keys"
            yield Picker(placeholder="search keys and actions")

    def on_mount(self) -> None:
        items = []
        for node, binding, enabled, _ in self._about.active_bindings.values():
            if not binding.description:
                continue
            key = self.app.get_key_display(binding)
            where = node.id or type(node).__name__
            note = "" if enabled else " (not available now)"
            items.append(
                PickerItem(
                    f"{where}:{binding.key}:{binding.action}",
                    f"{key:12} {binding.tooltip or binding.description}{note}",
                    str(where),
                    f"keymap id: {binding.id}" if binding.id else "",
                    key,
                )
            )
        picker = self.query_one(Picker)
        picker.show_items(items)
        picker.focus()

    @on(Picker.Cancelled)
    @on(Picker.Chosen)
    def _close(self) -> None:
        self.dismiss()
