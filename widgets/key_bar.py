"""The footer: the active keys in one line."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

MORE = "…"


@dataclass(frozen=True)
class _Item:
    """A key, and where it is drawn."""

    key: str
    shown_as: str
    does: str
    enabled: bool
    start: int

    @property
    def end(self) -> int:
        return self.start + cell_len(f"{self.shown_as} {self.does}")


def _would_be_typed(binding: Binding, focused: Widget) -> bool:
    """Whether the focused field inserts the key; Textual hides only unnamed keys of this kind."""
    letter = binding.key_display or ""
    return len(letter) == 1 and focused.check_consume_key(binding.key, letter)


class KeyBar(Widget):
    """Shows the active bindings; a click presses the key.

    Textual's footer has one widget per key and creates them again whenever the focus moves, which
    takes most of the time of such a move.
    """

    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; background: $panel; }
    """
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._bar_items: list[_Item] = []
        self._bar_hovered: str | None = None

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    def render(self) -> Content:
        room = self.content_size.width
        items = self._placed()
        if items and items[-1].end > room:
            # Whole keys only.
            items = [item for item in items if item.end + 1 + cell_len(MORE) <= room]
            more = [Content.styled(MORE, "$foreground-muted")]
        else:
            more = []
        self._bar_items = items
        return Content(" ").join([*(self._drawn(item) for item in items), *more])

    def offers(self, binding: Binding) -> bool:
        """Whether to show a key."""
        return True

    def on_click(self, event: events.Click) -> None:
        item = self._item_at(event.x)
        if item is not None and item.enabled:
            self.app.simulate_key(item.key)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        item = self._item_at(event.x)
        self._hover(item.key if item is not None and item.enabled else None)

    def on_leave(self) -> None:
        self._hover(None)

    def _placed(self) -> list[_Item]:
        items: dict[str, _Item] = {}
        at = 0
        focused = self.screen.focused
        for each in self.screen.active_bindings.values():
            binding = each.binding
            if not binding.show or binding.action in items or not self.offers(binding):
                continue
            if focused is not None and _would_be_typed(binding, focused):
                continue
            shown_as = self.app.get_key_display(binding)
            item = _Item(binding.key, shown_as, binding.description, each.enabled, at)
            items[binding.action] = item
            at = item.end + 1
        return list(items.values())

    def _drawn(self, item: _Item) -> Content:
        around = "on $block-hover-background" if item.key == self._bar_hovered else ""
        if not item.enabled:
            return Content.styled(f"{item.shown_as} {item.does}", "dim")
        return Content.assemble(
            (item.shown_as, f"bold $footer-key-foreground {around}"),
            (f" {item.does}", f"$footer-description-foreground {around}"),
        )

    def _item_at(self, x: int) -> _Item | None:
        return next((item for item in self._bar_items if item.start <= x < item.end), None)

    def _hover(self, key: str | None) -> None:
        if key != self._bar_hovered:
            self._bar_hovered = key
            self.refresh()

    def _bindings_changed(self, _: Screen[object]) -> None:
        self.refresh()
