"""A session in the pulse: what it does, and the beginning of its page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from pwtui.protocol.snapshot import parse_snapshot
from pwtui.widgets.session_list import SessionRow, session_state
from pwtui.widgets.text import cut, plain
from pwtui.widgets.tree_rows import TreeRows
from pwtui.widgets.units import duration

MOST_LINES, LONGEST_ACTION = 40, 30
LONGEST_SNAPSHOT = 2000
"""The lines that are looked at."""


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
        who = f"  {plain(row.who)}" if row.who else ""
        self.border_title = Content.assemble(name, (who, "$foreground-muted"))
        action = cut(plain(row.last_action), LONGEST_ACTION)
        colour = {"⏸": "$warning", "◐": "$warning", "✗": "$error"}
        facts = [
            Content.styled(action, colour.get(mark) or colour.get(action[:1], "")),
            Content(f"{rate}/min"),
            Content.styled(f"✗{row.errors}" if row.errors else "", "$error"),
            Content(duration(row.idle)),
        ]
        self.border_subtitle = Content(" · ").join([each for each in facts if each])
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


def tree_head(text: str) -> tuple[str, ...]:
    """The first nodes of a snapshot that have a text, from the main part on, in a line each."""
    rows = TreeRows()
    rows.show(parse_snapshot("\n".join(text.split("\n", LONGEST_SNAPSHOT)[:LONGEST_SNAPSHOT])))
    shown = [rows.row(line) for line in range(len(rows.lines))]
    main = next((number for number, row in enumerate(shown) if row.node.role == "main"), 0)
    lines: list[str] = []
    for row in shown[main:]:
        node = row.node
        name = row.preview or node.name or ""
        role = "" if node.role in ("text", "paragraph", "generic") else f"{node.role} "
        if name or node.text:
            lines.append(plain(role + ": ".join(filter(None, (name, node.text)))))
    return tuple(lines[:MOST_LINES])
