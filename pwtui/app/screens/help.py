"""Help: all keys of all panes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.dom import DOMNode
from textual.screen import Screen

from pwtui.app.panes.pane import PaneFrame
from pwtui.app.screens.window import Window
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.picker import Picker, PickerItem
from pwtui.widgets.row_list import RowList

KEY_CELLS = 14


class HelpKeys(KeyBar):
    """Nothing is chosen from the list."""

    def offers(self, binding: Binding) -> bool:
        return binding.action != "submit"


class HelpScreen(Window):
    """The keys of the current place, then those of the panel and of the other panes."""

    DEFAULT_CSS = "HelpScreen #box { width: 90%; max-width: 90; height: 90%; }"
    AUTO_FOCUS = "Picker"

    def __init__(self, about: Screen[Any]) -> None:
        super().__init__()
        self._about = about

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = "Keys"
            yield Picker(placeholder="search keys and actions")
        yield HelpKeys()

    def on_mount(self) -> None:
        picker = self.query_one(Picker)
        picker.show_items(self._items())
        picker.focus()

    def _items(self) -> list[PickerItem]:
        """One row for all keys of an action; the keys that all lists share come once."""
        items: dict[str, PickerItem] = {}
        lists = {(binding.id, binding.action) for _, binding in RowList[Any]()._bindings}
        for section, node in self._places():
            keymap = node._bindings.copy()
            keymap.apply_keymap(self.app._keymap)
            actions: dict[str, list[Binding]] = {}
            for _, binding in keymap:
                if binding.id and binding.description:
                    actions.setdefault(binding.id, []).append(binding)
            for id, bindings in actions.items():
                is_shared = (id, bindings[0].action) in lists
                key = id if is_shared else f"{section} {id}"
                if key not in items:
                    place = "All lists" if is_shared else section
                    items[key] = self._item(key, place, node, bindings)
        return sorted(items.values(), key=lambda item: item.section == "All lists")

    def _places(self) -> Iterator[tuple[str, DOMNode]]:
        about = self._about
        focused = about.focused
        here = (
            [each for each in focused.ancestors_with_self if each is not about] if focused else []
        )
        own = next((each for each in here if isinstance(each, PaneFrame)), None)
        title = own.pane.title if own else "Here"
        for node in here:
            if node is not self.app:
                yield title, node
        yield "Everywhere", about
        yield "Everywhere", self.app
        for frame in about.query(PaneFrame):
            if frame is not own:
                yield frame.pane.title, frame.body

    def _item(self, key: str, section: str, node: DOMNode, bindings: list[Binding]) -> PickerItem:
        binding = bindings[0]
        keys = " ".join(dict.fromkeys(self.app.get_key_display(each) for each in bindings))
        text = binding.tooltip or binding.description
        title = f"{keys:{KEY_CELLS}} {text}"
        return PickerItem(key, title, help=f"keymap id: {binding.id}", section=section)

    @on(Picker.Cancelled)
    @on(Picker.Chosen)
    def _close(self) -> None:
        self.dismiss()
