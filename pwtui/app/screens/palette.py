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
from pwtui.app.terminal_notices import KINDS
from pwtui.protocol.catalog import AREAS, catalog
from pwtui.protocol.envelope import Request
from pwtui.widgets.key_bar import KeyBar
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
        yield KeyBar()

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
        yield from self._keys()
        for info in sorted(catalog().values(), key=lambda info: list(AREAS).index(info.area)):
            if not info.interactive:  # the panel has no terminal for prompts
                names = (each.name for each in info.keywords if each.name != info.id)
                keyword = next((f":{name}" for name in names), "")
                yield PickerItem(
                    info.id,
                    info.id,
                    keyword,
                    note=info.summary,
                    section=AREAS[info.area],
                    value=self.opens(self.controller.request(info.id)),
                )
        for name in self.app.own_theme_names:
            title, use = f"theme {name}", PaletteCommand(partial(self.app.use_theme, name))
            yield PickerItem(title, title, note="Use this theme", section="Themes", value=use)
        for kind in KINDS:
            title = f"notifications {kind}"
            use = PaletteCommand(partial(self.app.use_notifications, kind))
            about = "Of the terminal, while it does not have the focus"
            yield PickerItem(title, title, note=about, section="Notifications", value=use)

    def recent(self) -> Iterable[str]:
        return dict.fromkeys(wire["op"] for wire in reversed(self.controller.history.requests))

    def _keys(self) -> Iterable[PickerItem]:
        """The actions of all active keys; first the list of keys, which changes nothing."""
        screen = self.app.screen_stack[-2] if len(self.app.screen_stack) > 1 else self
        rows: dict[str, PickerItem] = {}
        for node, binding, enabled, _ in screen.active_bindings.values():
            # The cursor of a list cannot be seen behind the palette.
            is_useful = not binding.action.startswith(("move", "palette"))
            if enabled and binding.id and binding.description and is_useful:
                is_own = node is not screen and node is not self.app
                item = PickerItem(
                    f"key {binding.key}",
                    binding.description,
                    note=binding.tooltip or "",
                    keys=self.app.get_key_display(binding),
                    section="This pane" if is_own else "Panel",
                    value=PaletteCommand(partial(self.app.simulate_key, binding.key)),
                )
                rows.setdefault(binding.action, item)
        order = {"Panel": 1, "This pane": 2}
        return (
            rows[action]
            for action in sorted(
                rows, key=lambda each: each != "help" and order[rows[each].section]
            )
        )


class HistoryScreen(PaletteBase):
    """The requests that were sent, the latest first; choosing one opens its form."""

    BOX_TITLE = "History"

    def items(self) -> Iterable[PickerItem]:
        for index, wire in reversed(list(enumerate(self.controller.history.requests))):
            request = Request.model_validate(wire)
            title = f"{request.op} {json.dumps(request.input, ensure_ascii=False)}"
            opens = self.opens(request)
            yield PickerItem(str(index), title, request.profile or "", value=opens)
