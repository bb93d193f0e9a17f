"""The footer: the active keys in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

ESCAPE = "escape"
MORE = "…"
GAP = "  "


class _Item(NamedTuple):
    """A key, and where it is drawn."""

    key: str
    shown_as: str
    does: str
    is_own: bool
    """Whether it is a key of the focused widget, not of the whole screen."""
    start: int = 0

    @property
    def cells(self) -> int:
        return cell_len(f"{self.shown_as} {self.does}")

    @property
    def end(self) -> int:
        return self.start + self.cells


def _length(items: Sequence[_Item]) -> int:
    return sum(item.cells for item in items) + len(GAP) * (len(items) - 1)


def _would_be_typed(binding: Binding, focused: Widget) -> bool:
    """Whether the focused field inserts the key; Textual hides only unnamed keys of this kind."""
    letter = binding.key_display or ""
    return len(letter) == 1 and focused.check_consume_key(binding.key, letter)


class KeyBar(Widget):
    """Shows the active bindings; a click presses the key.

    The keys of the focused widget come first, then those of the screen; pinned ones and Escape stay
    at the right end in every width.

    Textual's footer has one widget per key and creates them again whenever the focus moves, which
    takes most of the time of such a move.
    """

    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; padding: 0 1; background: $panel; }
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
        items, pinned = self._keys()
        while _length(pinned) > room:
            pinned.pop(0)
        start = room - _length(pinned)
        end = start - len(GAP) if pinned else room
        is_cut = _length(items) > end
        while items and is_cut and _length(items) + len(GAP) + cell_len(MORE) > end:
            items.pop()  # whole keys only
        drawn: list[Content] = []
        at = 0
        self._bar_items = []
        for first, group in ((0, items), (start, pinned)):
            drawn.append(Content(" " * (first - at)))
            at = max(at, first)
            for item in group:
                space = GAP if item is not group[0] else ""
                placed = item._replace(start=at + len(space))
                self._bar_items.append(placed)
                drawn += [Content(space), self._drawn(placed)]
                at = placed.end
            if group is items and is_cut:
                more = f"{GAP}{MORE}" if items else MORE[:end]
                drawn.append(Content.styled(more, "$foreground-muted"))
                at += cell_len(more)
        return Content("").join(drawn)

    def offers(self, binding: Binding) -> bool:
        """Whether to show a key."""
        return True

    def is_urgent(self, binding: Binding) -> bool:
        """Whether to show a key before all others."""
        return False

    def pinned_keys(self) -> Sequence[str]:
        """The ids of the bindings that are always shown."""
        return ()

    def extra_keys(self) -> Sequence[str]:
        """The ids of hidden bindings that are shown where there is room."""
        return ()

    def on_click(self, event: events.Click) -> None:
        item = self._item_at(event)
        if item is not None:
            self.app.simulate_key(item.key)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        item = self._item_at(event)
        self._hover(item.key if item is not None else None)

    def on_leave(self) -> None:
        self._hover(None)

    def _keys(self) -> tuple[list[_Item], list[_Item]]:
        """The keys in the order of the bindings of their widgets, and the pinned ones."""
        items: dict[str, tuple[tuple[bool, int, int], _Item]] = {}
        pinned: dict[str | None, _Item] = {}
        pinned_ids, extra_ids = self.pinned_keys(), self.extra_keys()
        closes: set[str] = set()
        """The actions of Escape, which may have other keys."""
        focused = self.screen.focused
        for active in self.screen.active_bindings.values():
            node, binding, is_enabled, _ = active
            if not is_enabled or (focused is not None and _would_be_typed(binding, focused)):
                continue
            is_own = node is not self.screen and node is not self.app
            shown_as = self.app.get_key_display(binding)
            item = _Item(binding.key, shown_as, binding.description, is_own)
            if binding.id in pinned_ids:
                pinned.setdefault(binding.id, item)
            elif binding.key == ESCAPE and binding.show:
                pinned.setdefault(ESCAPE, item)
                closes.add(binding.action)
            elif binding.action not in items and self.offers(binding):
                if binding.show:
                    order = [each.action for _, each in node._bindings].index(binding.action)
                    depth = 0 if is_own else 1 + (node is self.app)
                elif binding.id in extra_ids:
                    order, depth = extra_ids.index(binding.id), 3
                else:
                    continue
                items[binding.action] = ((not self.is_urgent(binding), depth, order), item)
        placed = (each for action, each in items.items() if action not in closes)
        ordered = [item for _, item in sorted(placed, key=lambda each: each[0])]
        return ordered, [pinned[id] for id in (*pinned_ids, ESCAPE) if id in pinned]

    def _drawn(self, item: _Item) -> Content:
        around = "on $block-hover-background" if item.key == self._bar_hovered else ""
        key = "$footer-key-foreground" if item.is_own else "$primary"
        return Content.assemble(
            (item.shown_as, f"bold {key} {around}"),
            (f" {item.does}", f"$footer-description-foreground {around}"),
        )

    def _item_at(self, event: events.MouseEvent) -> _Item | None:
        x = event.x - self.gutter.left
        return next((item for item in self._bar_items if item.start <= x < item.end), None)

    def _hover(self, key: str | None) -> None:
        if key != self._bar_hovered:
            self._bar_hovered = key
            self.refresh()

    def _bindings_changed(self, _: Screen[object]) -> None:
        self.refresh()
