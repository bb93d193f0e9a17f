"""The panes of the main screen, in order."""

from __future__ import annotations

from pwtui.app.panes.console import ConsolePane, console_badge
from pwtui.app.panes.daemon import DaemonPane
from pwtui.app.panes.log import DetailPane, LogPane
from pwtui.app.panes.network import NetworkPane, network_badge
from pwtui.app.panes.page import PagePane
from pwtui.app.panes.pane import Pane
from pwtui.app.panes.picture import PicturePane
from pwtui.app.panes.profiles import ProfilesPane
from pwtui.app.panes.sessions import SessionsPane
from pwtui.app.panes.storage import StoragePane
from pwtui.widgets.breadcrumb import Breadcrumb
from pwtui.widgets.session_list import SessionColumns

_TREE_HINT = "text, role:button, is:interactive, !not, re:…"
_LOG_HINT = "text, op:click, is:error, profile:x, !not, re:…"
_ROW_HINT = "words that a row contains"

PANES = (
    Pane(
        id="profiles",
        key="1",
        title="Profiles",
        area="left",
        widget=ProfilesPane,
        parts=frozenset(("profiles",)),
        filter_hint=_ROW_HINT,
    ),
    Pane(
        id="sessions",
        key="2",
        title="Sessions",
        area="left",
        widget=SessionsPane,
        parts=frozenset(("sessions", "running", "page")),
        above=lambda: (SessionColumns(),),
        filter_hint=_ROW_HINT,
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
        title="Tree",
        area="centre",
        widget=PagePane,
        parts=frozenset(("snapshot", "page")),
        filter_hint=_TREE_HINT,
        search_hint=_TREE_HINT,
        below=lambda: (Breadcrumb(),),
    ),
    Pane(
        id="console",
        key="5",
        title="Console",
        area="centre",
        widget=ConsolePane,
        parts=frozenset(("console",)),
        filter_hint="text, is:error, is:warning, source:app.js, !not, re:…",
        badge=console_badge,
    ),
    Pane(
        id="network",
        key="6",
        title="Network",
        area="centre",
        widget=NetworkPane,
        parts=frozenset(("network",)),
        filter_hint="text, status:4xx, type:xhr, host:x, method:post, is:error, !not, re:…",
        badge=network_badge,
    ),
    Pane(
        id="storage",
        key="7",
        title="Storage",
        area="centre",
        widget=StoragePane,
        parts=frozenset(("storage", "past")),
        filter_hint="text, kind:cookie, domain:x, is:secure, is:http-only, !not, re:…",
    ),
    Pane(
        id="picture",
        key="8",
        title="Picture",
        area="centre",
        widget=PicturePane,
        parts=frozenset(("picture", "snapshot", "sessions")),
    ),
    Pane(
        id="log",
        key="9",
        title="Log",
        area="bottom",
        widget=LogPane,
        filter_hint=_LOG_HINT,
        search_hint=_LOG_HINT,
    ),
    Pane(
        id="detail",
        key="0",
        title="Detail",
        area="bottom",
        widget=DetailPane,
        search_hint="text",
        is_optional=True,
    ),
)
