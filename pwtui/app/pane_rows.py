"""What the panes show, made from the store."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from pwtui.app.store import DialogView, LinkState, SnapshotView, Store
from pwtui.protocol.addresses import Endpoint
from pwtui.widgets.daemon_card import DaemonState, DaemonView
from pwtui.widgets.log_entry import day_and_time
from pwtui.widgets.page_bar import PageView, TabLabel
from pwtui.widgets.profile_list import ProfileRow
from pwtui.widgets.text import cut
from pwtui.widgets.units import duration

if TYPE_CHECKING:
    from pwtui.protocol.models import SessionData, TabData

BUSY_SECONDS = 0.3
"""A request that takes less is not shown in the address line."""
LONGEST_TITLE = 40
"""Of a page in the name of its session; what follows identifies it."""
_AGES = (3, 5, 10, 15, 20, 30, 40, 50)
DAEMON_STATES: dict[LinkState, DaemonState] = {
    "connecting": "starting",
    "connected": "running",
    "gone": "unreachable",
    "stopped": "stopped",
}


def profile_rows(store: Store) -> list[ProfileRow]:
    live = Counter(session.profile for session in store.sessions if store.is_here(session))
    return [
        ProfileRow(
            name=profile.name,
            browser=profile.browser,
            live=live[profile.name],
            stale=profile.is_stale,
            corrupt=profile.is_corrupt,
            active=profile.name == store.active_profile,
            note="" if profile.uses_daemon else "no daemon",
        )
        for profile in store.profiles
    ]


def session_name(session: SessionData) -> str:
    """Identifies a session in a menu or a question."""
    page = session.pages[0] if session.pages else None
    pid = session.pid or session.owner_pid
    port = Endpoint(session.cdp_endpoint).port
    facts = [
        session.title,
        cut(page.title or page.url, LONGEST_TITLE) if page else "",
        f"pid {pid}" if pid else "",
        f"port {port}" if port else "",
    ]
    return " · ".join(filter(None, facts))


def page_state(store: Store) -> str:
    """Why the tree may differ from the page, or how old it is."""
    snapshot, profile = store.snapshot, store.active_profile
    if store.link != "connected":
        return f"the daemon is {DAEMON_STATES[store.link]}"
    if profile in store.dialogs:
        return "blocked by a dialog"
    if (ended := store.ended.get(profile)) is not None:
        return f"browser exited {duration(time.time() - ended.at)} ago (o: start again)"
    if running := [each for each in store.running.values() if each.profile == profile]:
        return f"busy: {running[0].op} {time.time() - running[0].started:.1f} s"
    if snapshot.nothing_open:
        return "no page is open"
    return "live" if snapshot.is_live and not snapshot.is_stale else _age_of(snapshot)


def view_hint(store: Store, usual: str) -> str:
    """The text of a view of the page that has nothing to show."""
    is_loaded = store.snapshot.tree is not None or store.page.active_tab is not None
    is_known = store.link == "connected" and is_loaded and not store.snapshot.nothing_open
    return usual if store.past is not None or is_known else page_hint(store)


def page_hint(store: Store) -> str:
    """The text that is shown without a tree."""
    if store.past is not None:
        return store.past.snapshot.problem
    if store.link != "connected":
        return store.link_problem or f"the daemon is {DAEMON_STATES[store.link]}"
    if store.active_profile in store.ended or store.active_profile in store.dialogs:
        return page_state(store)
    if store.snapshot.nothing_open:
        return "No page is open. Press u to go to a URL, or ctrl+p for all operations."
    return store.snapshot.problem or "loading the snapshot…"


def page_view(store: Store) -> PageView:
    """The address, the tabs and the load state of the page."""
    known, snapshot = store.page, store.shown_snapshot
    if store.past is not None:
        return PageView(url=snapshot.url, state=f"past {day_and_time(store.past.entry.time)}")
    active = next((tab for tab in known.tabs if tab.active), None)
    waiting = store.dialogs.get(store.active_profile)
    running = [each for each in store.running.values() if each.profile == store.active_profile]
    state, is_loading = "", False
    if running and (busy := time.time() - running[0].started) >= BUSY_SECONDS:
        state, is_loading = f"{running[0].op} {busy:.1f} s", True
    elif (load := known.load) is not None and load.ended is None:
        state, is_loading = f"loading {time.time() - (load.began or 0.0):.1f} s", True
    elif load is not None:
        state = "loaded" if load.seconds is None else f"loaded in {load.seconds:.1f} s"
    return PageView(
        url=active.url if active else snapshot.url,
        # With several tabs, it is in its tab.
        title=snapshot.title if len(known.tabs) < 2 else "",
        state=state,
        is_loading=is_loading,
        tabs=tuple(
            TabLabel(
                tab.index,
                tab.title or short_url(tab.url),
                is_active=bool(tab.active),
                warning="✗" if tab.crashed else "⚠" if _waits(tab, waiting) else "",
            )
            for tab in known.tabs
        ),
    )


def _waits(tab: TabData, dialog: DialogView | None) -> bool:
    """Whether a tab needs an answer."""
    return bool(tab.dialog or tab.file_chooser) or (dialog is not None and dialog.tab == tab.index)


def short_url(url: str) -> str:
    """The URL without its scheme and without a trailing slash."""
    return url.partition("://")[2].rstrip("/") or url


def _age_of(snapshot: SnapshotView) -> str:
    """The age, rounded down: each change redraws the pane."""
    age = time.time() - snapshot.taken_at if snapshot.taken_at is not None else 0.0
    steps = [step for step in (*_AGES, int(age // 60) * 60) if step and step <= age]
    return f"{duration(steps[-1])} old" if steps else ""


def daemon_view(store: Store) -> tuple[DaemonView | None, DaemonState]:
    state = DAEMON_STATES[store.link]
    if store.daemon is None:
        return None, state
    age = time.time() - (store.daemon_at or 0) if store.link != "connected" else 0.0
    return DaemonView(store.daemon, store.rates(), store.daemon_log, age), state
