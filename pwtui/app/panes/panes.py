"""Which panes the main screen has, and in what order."""

from __future__ import annotations

from pwtui.app.panes.daemon import DaemonPane
from pwtui.app.panes.log import DetailPane, LogPane
from pwtui.app.panes.page import AddressLine, PageDialogBar, PagePane
from pwtui.app.panes.pane import Pane
from pwtui.app.panes.profiles import ProfilesPane
from pwtui.app.panes.sessions import SessionsPane

_TREE_WORDS = "words, role:button, is:interactive, !not, re:…"
_LOG_WORDS = "words, op:click, is:error, profile:x, !not, re:…"
_ROW_WORDS = "words, all of which a row has"

PANES = (
    Pane(
        id="profiles",
        key="1",
        title="Profiles",
        area="left",
        widget=ProfilesPane,
        parts=frozenset(("profiles",)),
        filter_hint=_ROW_WORDS,
    ),
    Pane(
        id="sessions",
        key="2",
        title="Sessions",
        area="left",
        widget=SessionsPane,
        parts=frozenset(("sessions", "running")),
        filter_hint=_ROW_WORDS,
    ),
    Pane(
        id="daemon",
        key="3",
        title="Daemon",
        area="left",
        widget=DaemonPane,
        parts=frozenset(("daemon",)),
    ),
    Pane(
        id="tree",
        key="4",
        title="Page",
        area="centre",
        widget=PagePane,
        parts=frozenset(("snapshot", "page")),
        filter_hint=_TREE_WORDS,
        search_hint=_TREE_WORDS,
        above=lambda: (AddressLine(), PageDialogBar()),
    ),
    Pane(
        id="log",
        key="5",
        title="Log",
        area="bottom",
        widget=LogPane,
        filter_hint=_LOG_WORDS,
        search_hint=_LOG_WORDS,
    ),
    Pane(
        id="detail",
        key="6",
        title="Detail",
        area="bottom",
        widget=DetailPane,
        search_hint="a part of a line",
        is_optional=True,
    ),
)
