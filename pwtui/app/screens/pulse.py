"""The pulse: all sessions at once."""

from __future__ import annotations

import time
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from pwtui.app.actions import sessions
from pwtui.app.activity import Owner, owner_of
from pwtui.app.screens.window import Window, styles
from pwtui.app.session_rows import session_rows
from pwtui.protocol.events import SnapshotEvent
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.session_list import SessionRow
from pwtui.widgets.session_tile import SessionTile, tree_head

EVERY_SECONDS = 0.5
NOTHING = "No session. u opens a page, b in Profiles starts a browser."
TILE_CELLS = 48
TILE_LINES = 9


class PulseScreen(Window):
    """A tile for each session that can be observed; the others are counted."""

    DEFAULT_CSS = styles("pulse")
    AUTO_FOCUS = "SessionTile"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,P", "close", "close", key_display="esc", id="pulse.close"),
        Binding("left,h", "move(-1, 0)", "left", show=False, id="pulse.left"),
        Binding("right,l", "move(1, 0)", "right", show=False, id="pulse.right"),
        Binding("up,k", "move(0, -1)", "up", show=False, id="pulse.up"),
        Binding("down,j", "move(0, 1)", "down", show=False, id="pulse.down"),
        Binding("p", "hold", "pause", id="pulse.pause"),
        Binding("p", "release", "resume", id="pulse.resume"),
        Binding("n", "step", "step", id="pulse.step"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._tiles: dict[Owner, SessionTile] = {}
        self._heads: dict[Owner, tuple[SnapshotEvent, tuple[str, ...]]] = {}

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = "Pulse"
            yield Static(NOTHING, id="pulse-empty", markup=False)
            with VerticalScroll(can_focus=False):
                yield Grid(id="tiles")
        yield KeyBar()

    async def on_mount(self) -> None:
        self.set_interval(EVERY_SECONDS, self._paint)
        self.app.start(self.controller.watch.show_trees(True))
        await self._paint()
        if self._tiles:
            next(iter(self._tiles.values())).focus()

    def on_unmount(self) -> None:
        self.app.start(self.controller.watch.show_trees(False))

    def on_resize(self, event: events.Resize) -> None:
        self._arrange()

    @property
    def _columns(self) -> int:
        return max(1, min((self.size.width - 6) // TILE_CELLS, len(self._tiles)))

    def _arrange(self) -> None:
        """Share the place among the tiles."""
        grid, room = self.query_one(Grid), self.query_one(VerticalScroll).size.height
        rows = -(-max(1, len(self._tiles)) // self._columns)
        grid.styles.grid_size_columns = self._columns
        grid.styles.grid_rows = str(max(TILE_LINES, room // rows))

    async def _paint(self) -> None:
        store, grid, now = self.app.store, self.query_one(Grid), time.time()
        rows = session_rows(store)
        shown = {owner_of(row.session): row for row in rows if not row.is_other}
        gone = [self._tiles.pop(owner) for owner in self._tiles.keys() - shown.keys()]
        await grid.remove_children(gone)
        new = {owner: SessionTile(row) for owner, row in shown.items() if owner not in self._tiles}
        self._tiles |= new
        await grid.mount_all(new.values())  # each mount lays out all of them
        for owner, row in shown.items():
            rate = store.activities.of(owner).rate(now)
            self._tiles[owner].show(row, rate, self._head(owner))
        self._arrange()
        others = [row for row in rows if row.is_other]
        are = "browsers are" if len(others) > 1 else "browser is"
        text = f"{len(others)} other {are} in Sessions" if others else ""
        self.query_one("#box").border_subtitle = Content(text)
        self.query_one("#pulse-empty").display = not shown
        self.refresh_bindings()

    def _head(self, owner: Owner) -> tuple[str, ...]:
        event = self.app.store.activities.of(owner).snapshot
        if event is None:
            return ()
        known = self._heads.get(owner)
        if known is None or known[0] is not event:
            known = self._heads[owner] = (event, tree_head(event.text))
        return known[1]

    @property
    def row(self) -> SessionRow | None:
        return self.focused.row if isinstance(self.focused, SessionTile) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("hold", "release", "step"):
            return sessions.offers_hold(action, self.row)
        return True

    def action_move(self, across: int, down: int) -> None:
        tiles = list(self._tiles.values())
        if tiles:
            now = tiles.index(self.focused) if isinstance(self.focused, SessionTile) else 0
            tiles[max(0, min(now + across + down * self._columns, len(tiles) - 1))].focus()

    def action_hold(self) -> None:
        self._change_hold("session.pause")

    def action_release(self) -> None:
        self._change_hold("session.resume")

    def action_step(self) -> None:
        self._change_hold("session.step")

    def _change_hold(self, op: str) -> None:
        if self.row is not None:
            self.app.start(sessions.change_hold(self.app, op, self.row.session))

    @on(SessionTile.Opened)
    def _open(self, event: SessionTile.Opened) -> None:
        app = self.app
        self.dismiss()
        app.call_later(app.start, sessions.view(app, event.row))
