"""The command palette: all operations and actions, and the history of requests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from pwtui.app.screens.window import Window, styles
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Request
from pwtui.widgets.picker import Picker, PickerItem


@dataclass(frozen=True)
class PaletteCommand:
    """What an item does, and the envelope that it opens."""

    run: Callable[[], object]
    request: Request | None = None


class PaletteBase(Window):
    """A picker, with the envelope of the highlighted item below."""

    DEFAULT_CSS = styles("palette")
    AUTO_FOCUS = "Picker"
    BOX_TITLE = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = self.BOX_TITLE
            yield Picker(placeholder="type to search", id="picker")
            yield Static(id="preview", markup=False)

    def on_mount(self) -> None:
        picker = self.query_one(Picker)
        picker.show_items(self.items(), recent=self.recent())
        picker.focus()

    def items(self) -> Iterable[PickerItem]:
        """The items; the value of each is a `PaletteCommand`."""
        raise NotImplementedError

    def recent(self) -> Iterable[str]:
        """The ids of the items that come first."""
        return ()

    def opens(self, request: Request) -> PaletteCommand:
        return PaletteCommand(partial(self.app.open_operation, request), request)

    @on(Picker.Highlighted)
    def _preview(self, event: Picker.Highlighted) -> None:
        request = event.item.value.request
        text = json.dumps(request.to_wire(), ensure_ascii=False) if request else ""
        self.query_one("#preview", Static).update(text)

    @on(Picker.Chosen)
    def _choose(self, event: Picker.Chosen) -> None:
        app = self.app
        self.dismiss()
        app.call_later(event.item.value.run)

    @on(Picker.Cancelled)
    def _close(self) -> None:
        self.dismiss()


class PaletteScreen(PaletteBase):
    """An operation opens a form; an action of the panel runs at once."""

    BOX_TITLE = "Command palette"

    def items(self) -> Iterable[PickerItem]:
        for info in catalog().values():
            if not info.interactive:  # the panel has no terminal for prompts
                opens = self.opens(self.controller.request(info.id))
                keyword = next(
                    (f":{each.name}" for each in info.keywords if each.name != info.id), ""
                )
                yield PickerItem(info.id, info.id, keyword, info.summary, value=opens)
        yield from self._keys()
        for name in self.app.own_theme_names:
            title, use = f"theme {name}", PaletteCommand(partial(self.app.use_theme, name))
            yield PickerItem(title, title, "theme", "Use this theme", value=use)
        opens = PaletteCommand(self.app.action_history)
        yield PickerItem("history", "history", "panel", "Requests sent before", "^r", opens)

    def recent(self) -> Iterable[str]:
        return dict.fromkeys(wire["op"] for wire in reversed(self.controller.history.requests))

    def _keys(self) -> Iterable[PickerItem]:
        """The actions of all active keys."""
        screen = self.app.screen_stack[-2] if len(self.app.screen_stack) > 1 else self
        seen = set()
        for _, binding, enabled, _ in screen.active_bindings.values():
            if not enabled or binding.action in seen or not binding.description:
                continue
            seen.add(binding.action)
            key, title = self.app.get_key_display(binding), binding.tooltip or binding.description
            press = PaletteCommand(partial(self.app.simulate_key, binding.key))
            yield PickerItem(f"key {binding.key}", title, "panel", binding.description, key, press)


class HistoryScreen(PaletteBase):
    """The requests that were sent, the latest first; choosing one opens its form."""

    BOX_TITLE = "History"

    def items(self) -> Iterable[PickerItem]:
        for index, wire in reversed(list(enumerate(self.controller.history.requests))):
            request = Request.model_validate(wire)
            title = f"{request.op} {json.dumps(request.input, ensure_ascii=False)}"
            opens = self.opens(request)
            yield PickerItem(str(index), title, request.profile or "", value=opens)
