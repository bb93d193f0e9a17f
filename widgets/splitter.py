"""A thin divider that resizes the panes beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from pwtui.widgets.stylesheet import stylesheet


class Splitter(Widget):
    """Resizes one neighbour; the other one should use the remaining space (1fr).

    A vertical splitter is between left and right, a horizontal one between top and bottom.
    """

    ALLOW_SELECT = False

    DEFAULT_CSS = stylesheet("splitter")

    @dataclass
    class Moved(Message):
        """The user moved the splitter; None: back to the size of the stylesheet."""

        splitter: Splitter
        position: int | None

        @property
        def control(self) -> Splitter:
            return self.splitter

    def __init__(
        self,
        orientation: Literal["vertical", "horizontal"] = "vertical",
        *,
        resizes: Literal["before", "after"] = "before",
        minimum: int = 10,
        minimum_other: int = 10,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self.add_class(f"-{orientation}", update=False)
        self._is_vertical = orientation == "vertical"
        self._resizes_before = resizes == "before"
        self._least = minimum
        self._least_other = minimum_other
        self._step = 2 if self._is_vertical else 1
        self._wanted: int | None = None
        self._applied: int | None = None
        self._grab: tuple[int, int] | None = None

    @property
    def position(self) -> int | None:
        """The size of the resized neighbour in cells; None: the stylesheet decides."""
        return self._applied if self._applied is not None else self._wanted

    @position.setter
    def position(self, position: int | None) -> None:
        self._wanted = position
        if position is None:
            self._clear()
        else:
            self._apply()

    def grow(self, steps: int = 1) -> None:
        """Enlarge the resized neighbour; negative steps shrink it."""
        if (pane := self._pane()) is not None:
            self._move_to(self._extent(pane) + self._step * steps)

    def reset(self) -> None:
        """Reset the size to that of the stylesheet and its breakpoints."""
        self.position = None
        self.post_message(self.Moved(self, None))

    def _move_to(self, position: int) -> None:
        before = self._applied
        self._wanted = position
        self._apply()
        # Dragging beyond the limit does not count.
        self._wanted = self._applied
        if self._applied is not None and self._applied != before:
            self.post_message(self.Moved(self, self._applied))

    def _apply(self) -> None:
        pane, other = self._pane(), self._pane(other=True)
        if self._wanted is None or pane is None:
            return
        position = max(self._wanted, self._least)
        if other is not None and self._extent(pane) + self._extent(other) > 0:
            room = self._extent(pane) + self._extent(other)
            position = max(self._least, min(position, room - self._least_other))
        if position == self._applied:
            return
        self._applied = position
        if self._is_vertical:
            pane.styles.width = position
        else:
            pane.styles.height = position

    def _clear(self) -> None:
        self._applied = None
        pane = self._pane()
        if pane is not None:
            pane.styles.clear_rule("width" if self._is_vertical else "height")
            pane.refresh(layout=True)

    def _pane(self, other: bool = False) -> Widget | None:
        """The visible neighbour on the resized side, or on the other side."""
        if not isinstance(self.parent, Widget):
            return None
        siblings = list(self.parent.children)
        here = siblings.index(self)
        before = self._resizes_before != other
        side = reversed(siblings[:here]) if before else iter(siblings[here + 1 :])
        return next((each for each in side if each.display), None)

    def _extent(self, pane: Widget) -> int:
        return pane.outer_size.width if self._is_vertical else pane.outer_size.height

    def on_mount(self) -> None:
        self.screen.screen_layout_refresh_signal.subscribe(self, self._fit_room, immediate=True)

    def _fit_room(self, _: Screen[object]) -> None:
        """A smaller window moves the splitter, a larger one restores its position."""
        if self._wanted is not None and self._grab is None:
            self._apply()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        pane = self._pane()
        if event.button == 1 and pane is not None:
            self._grab = (self._along(event), self._extent(pane))
            self.capture_mouse()
            self.add_class("-dragging")
        event.stop()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._grab is not None:
            start, size = self._grab
            moved = self._along(event) - start
            if moved or self._applied is not None:
                self._move_to(size + (moved if self._resizes_before else -moved))
            event.stop()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self.release_mouse()
        event.stop()

    def on_mouse_release(self) -> None:
        self._grab = None
        self.remove_class("-dragging")

    def on_click(self, event: events.Click) -> None:
        if event.chain == 2:
            self.reset()

    def _along(self, event: events.MouseEvent) -> int:
        return event.screen_x if self._is_vertical else event.screen_y

    def render_line(self, y: int) -> Strip:
        line = "│" if self._is_vertical else "─" * self.size.width
        if self.has_class("-dragging"):
            line = line.replace("│", "┃").replace("─", "━")
        return Strip([Segment(line, self.get_visual_style().rich_style)], len(line))
