"""A session in the pulse: what it does, and the beginning of its page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from pwtui.protocol.snapshot import SnapshotTree
from pwtui.widgets.session_list import SessionRow, session_state
from pwtui.widgets.text import cut, plain
from pwtui.widgets.tree_roles import is_interactive
from pwtui.widgets.units import duration

MOST_LINES, LONGEST_ACTION = 40, 30


class SessionTile(Widget, can_focus=True):
    """Enter or a click opens the session."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "view", id="tile.open"),
    ]
    DEFAULT_CSS = """
    SessionTile {
        height: 100%; border: round $border-blurred; padding: 0 1;
        border-title-color: $foreground; border-subtitle-color: $foreground-muted;
        &:focus { border: round $primary; border-title-color: $primary; }
        &.-busy { border-subtitle-color: $warning; }
        &.-bad { border-subtitle-color: $error; }
    }
    """

    class Opened(Message):
        """The user wants to see a session."""

        def __init__(self, row: SessionRow) -> None:
            super().__init__()
            self.row = row

    def __init__(self, row: SessionRow) -> None:
        super().__init__()
        self.row = row
        self._tile_lines: Sequence[str] = ()
        self._tile_rate = 0

    def show(self, row: SessionRow, rate: int, lines: Sequence[str]) -> None:
        """Show the session, its actions a minute, and the beginning of its tree."""
        if (row, rate, lines) == (self.row, self._tile_rate, self._tile_lines):
            return
        self.row, self._tile_rate, self._tile_lines = row, rate, lines
        tone = session_state(row)[1]
        mark = {"list--bad": "✗", "list--busy": "◐"}.get(tone[0] if tone else "", "●")
        mark = "⏸" if row.is_paused else mark
        current = "▶ " if row.is_current else ""
        name = Content(f"{current}{mark} {plain(row.name)}")
        self.border_title = Content.assemble(name, (f"  {plain(row.who)}", "$foreground-muted"))
        facts = [
            cut(plain(row.last_action), LONGEST_ACTION),
            f"{rate}/min",
            f"✗{row.errors}" if row.errors else "",
            duration(row.idle),
        ]
        self.border_subtitle = Content(" · ".join(filter(None, facts)))
        self.set_class(mark in "⏸◐", "-busy")
        self.set_class(bool(row.errors) or mark == "✗", "-bad")
        self.refresh()

    def render(self) -> Content:
        cells, room = self.content_size
        state, tone = session_state(self.row)
        color = {"list--bad": "$error", "list--busy": "$warning"}.get(tone[0] if tone else "", "")
        lines = [
            Content.styled(cut(plain(self.row.url) or "no page", cells), "$foreground-muted"),
            Content.styled(cut(plain(state), cells), color or "bold"),
            *(Content.styled(cut(each, cells), "$foreground") for each in self._tile_lines),
        ]
        return Content("\n").join(lines[: max(room, 0)])

    def action_open(self) -> None:
        self.post_message(self.Opened(self.row))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.action_open()


def tree_head(tree: SnapshotTree) -> tuple[str, ...]:
    """The first nodes with a text, from the main part on, in a line each."""
    lines: list[str] = []
    main = next((index for index, node in enumerate(tree.nodes) if node.role == "main"), 0)
    for node in tree.nodes[main:]:
        text = node.name or node.text or ""
        if text and (node.role == "text" or is_interactive(node) or node.name):
            role = "" if node.role in ("text", "paragraph", "generic") else f"{node.role} "
            lines.append(plain(f"{role}{text}"))
            if len(lines) == MOST_LINES:
                break
    return tuple(lines)
