"""A session of another program or workspace: its page and actions, live and without a change."""

from __future__ import annotations

import time
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from pwtui.app.actions import sessions
from pwtui.app.activity import owner_of
from pwtui.app.pane_rows import session_name
from pwtui.app.screens.list_window import ListWindow
from pwtui.app.screens.window import styles
from pwtui.app.session_rows import session_row
from pwtui.app.store import StorePart
from pwtui.protocol.events import SnapshotEvent
from pwtui.protocol.models import SessionData
from pwtui.protocol.snapshot_update import update_snapshot
from pwtui.widgets.action_list import ActionList
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.session_list import SessionRow, session_state
from pwtui.widgets.snapshot_tree import SnapshotTreeView
from pwtui.widgets.text import plain
from pwtui.widgets.units import duration, memory

EVERY_SECONDS = 0.5


class ViewedTree(SnapshotTreeView):
    """A tree in which nothing acts; its keys for that are those of the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "fold", show=False, id="list.choose"),
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action not in ("actions", "fill") and super().check_action(action, parameters)


class SessionScreen(ListWindow):
    """Nothing acts in the session from here; `a` has what would."""

    DEFAULT_CSS = styles("session")
    AUTO_FOCUS = "ViewedTree"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "close", key_display="esc", id="view.close"),
        Binding("a", "menu", "actions", id="view.menu"),
        Binding("p", "hold", "pause", id="view.pause"),
        Binding("p", "release", "resume", id="view.resume"),
        Binding("n", "step", "step", id="view.step"),
    ]

    def __init__(self, session: SessionData) -> None:
        super().__init__()
        self._session = session
        self._snapshot: SnapshotEvent | None = None
        self._has_ended = False

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(id="view-facts", markup=False)
            with Horizontal():
                yield ViewedTree(id="view-tree")
                yield ActionList(id="view-actions")
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one(SnapshotTreeView).placeholder = _without_tree(self._session)
        self.app.store.listeners.append(self._changed)
        self.set_interval(EVERY_SECONDS, self._paint)
        self.app.start(self.controller.watch.show_trees(True))
        self._paint()

    def on_unmount(self) -> None:
        self.app.store.listeners.remove(self._changed)
        self.app.start(self.controller.watch.show_trees(False))

    @property
    def row(self) -> SessionRow:
        return session_row(self.app.store, self._session, time.time(), is_current=False)

    def _changed(self, part: StorePart) -> None:
        if part != "sessions":
            return
        owner = owner_of(self._session)
        found = [each for each in self.app.store.sessions if owner_of(each) == owner]
        self._has_ended = not found
        self._session = found[0] if found else self._session

    def _paint(self) -> None:
        row = self.row
        activity = self.app.store.activity_of(self._session)
        self.query_one("#view-facts", Static).update(Content("\n".join(self._facts(row))))
        rows = list(activity.actions)
        self.query_one(ActionList).show(rows)
        shown, tree = activity.snapshot, self.query_one(SnapshotTreeView)
        if shown is not None and shown is not self._snapshot:
            self._snapshot = shown
            tree.show(update_snapshot(tree.snapshot, shown.text), url=shown.url)
        if self._has_ended:
            tree.show(tree.snapshot, stale=True)
        box = self.query_one("#box")
        box.border_title = Content(plain(session_name(self._session)))
        box.border_subtitle = Content("view only · live" if shown and not self._has_ended else "")
        self.refresh_bindings()

    def _facts(self, row: SessionRow) -> list[str]:
        session = self._session
        who = [session.tool or "", f"workspace {session.workspace}" if session.workspace else ""]
        programs = " ← ".join(session.programs or ())
        window = {True: "no window", False: "window", None: ""}[session.headless]
        facts = [
            session.browser or "",
            window,
            memory(session.memory_bytes),
            f"idle {duration(row.idle)}",
            f"{row.errors} errors" if row.errors else "",
            "orphan: its program has exited" if session.orphan else "",
        ]
        state, tone = session_state(row)
        state = "it has ended" if self._has_ended else state if tone else ""
        lines = [
            " · ".join(filter(None, [*who, programs and f"started by {programs}"])),
            " · ".join(filter(None, [*facts, state])),
            *(f"{page.title}  {page.url}" for page in session.pages or ()),
        ]
        return [plain(line) for line in lines if line][:8]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("hold", "release", "step"):
            return sessions.offers_hold(action, self.row)
        return True

    def action_menu(self) -> None:
        self.app.start(sessions.open_session_menu(self.app, self.row))

    def action_hold(self) -> None:
        self.app.start(sessions.change_hold(self.app, "session.pause", self._session))

    def action_release(self) -> None:
        self.app.start(sessions.change_hold(self.app, "session.resume", self._session))

    def action_step(self) -> None:
        self.app.start(sessions.change_hold(self.app, "session.step", self._session))

    @on(SnapshotTreeView.RefChosen)
    @on(SnapshotTreeView.ActionsRequested)
    def _explain(self, event: SnapshotTreeView.NodeMessage) -> None:
        event.stop()
        self.notify("This session is only viewed; a has the actions", timeout=4)


def _without_tree(session: SessionData) -> str:
    if session.origin == "pipe":
        return "Only its program can reach it."
    if session.origin in ("cdp", "relay"):
        return "Attach a profile (a) to see its page: the browser reports nothing else."
    return "waiting for its page…"
