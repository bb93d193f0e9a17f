"""Help: the active key bindings."""

from __future__ import annotations

from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.binding import ActiveBinding
from textual.containers import Vertical
from textual.dom import DOMNode
from textual.screen import Screen

from pwtui.app.panes.pane import PaneFrame
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
        actions: dict[tuple[DOMNode, str], list[ActiveBinding]] = {}
        for active in self._about.active_bindings.values():
            if active.binding.description:
                actions.setdefault((active.node, active.binding.action), []).append(active)
        picker = self.query_one(Picker)
        picker.show_items([self._item(node, keys) for (node, _), keys in actions.items()])
        picker.focus()

    def _item(self, node: DOMNode, bindings: list[ActiveBinding]) -> PickerItem:
        """One row for all keys of an action."""
        binding = bindings[0].binding
        keys = " ".join(self.app.get_key_display(each.binding) for each in bindings)
        text = binding.tooltip or binding.description
        if binding.id is None:  # Textual's own: "Focus Next"
            text = text.lower()
        note = "" if bindings[0].enabled else " (not available now)"
        frames = (each for each in node.ancestors_with_self if isinstance(each, PaneFrame))
        frame = next(frames, None)
        return PickerItem(
            f"{node!r}:{binding.key}:{binding.action}",
            f"{keys:12} {text}{note}",
            frame.pane.title if frame else "all panes",
            f"keymap id: {binding.id}" if binding.id else "",
        )

    @on(Picker.Cancelled)
    @on(Picker.Chosen)
    def _close(self) -> None:
        self.dismiss()
