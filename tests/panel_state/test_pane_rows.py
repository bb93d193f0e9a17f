"""The texts and rows of the panes, from the store alone."""

from __future__ import annotations

import time
from typing import Any

import pytest

from pwtui.app import pane_rows
from pwtui.app.session_rows import session_rows
from pwtui.app.status_line import status_line
from pwtui.app.store import DialogView, EndedView, SnapshotView, Store
from pwtui.protocol.models import DialogInfo, TabData
from pwtui.protocol.snapshot import parse_snapshot
from pwtui.widgets.page_bar import TabLabel
from tests.app.fixed import NOW, ROOT, fill


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(time, "time", lambda: NOW)
    store = Store("default", ROOT)
    fill(store)
    return store


def dialog() -> DialogView:
    return DialogView(DialogInfo(type="alert", message="Hi"), tab=0)


def test_profiles_show_their_state_and_running_sessions(store: Store) -> None:
    rows = {row.name: row for row in pane_rows.profile_rows(store)}

    assert (rows["default"].active, rows["default"].live) == (True, 1)
    assert rows["checkout"].stale
    assert rows["broken"].corrupt
    assert rows["alone"].note == "no daemon"


def test_a_session_is_named_by_its_title_page_process_and_port(store: Store) -> None:
    own, other = store.sessions

    assert pane_rows.session_name(own) == "default · Corner Store · pid 4711 · port 9222"
    assert pane_rows.session_name(other) == "Chrome/156.0 · pid 815 · port 9333"


def test_a_session_shows_its_age_and_an_open_dialog(store: Store) -> None:
    store.dialogs["default"] = dialog()
    own, other = session_rows(store)

    assert (own.is_current, own.profile, own.age_seconds) == (True, "default", 754)
    assert own.warning == "alert is open"
    assert (other.is_current, other.profile, other.workspace) == (False, "", "")


def test_a_browser_that_exited_stays_in_the_list(store: Store) -> None:
    ended = EndedView(NOW - 5, store.sessions[0])
    store.set_own_sessions([])
    store.ended["default"] = ended
    last = session_rows(store)[0]

    assert (last.has_ended, last.is_current, last.last_request) == (True, True, 5)


def test_a_view_without_rows_says_why_until_the_page_is_known() -> None:
    store = Store("default", ROOT)
    painted: list[str] = []
    store.listeners.append(painted.append)

    store.set_link("connected")
    assert {"console", "network", "storage"} <= {*painted}
    assert pane_rows.view_hint(store, "nothing") == "loading the snapshot…"

    for snapshot, hint in (
        (SnapshotView(nothing_open=True), "No page is open. Press u to go to a URL"),
        (SnapshotView(parse_snapshot('- button "Buy"')), "nothing"),
    ):
        painted.clear()
        store.set_snapshot(snapshot)
        assert {"console", "network", "storage"} <= {*painted}
        assert pane_rows.view_hint(store, "nothing").startswith(hint)


def test_what_a_daemon_that_died_has_lost_is_named_and_can_be_started_again(store: Store) -> None:
    own = store.sessions[0]
    away = own.model_copy(update={"workspace": "/home/ana/blog", "session_key": "another"})
    store.set_own_sessions([own, away])
    store.set_link("gone")
    store.set_link("connected")
    store.set_own_sessions([])

    assert store.notices.shown[-1].text.endswith("lost sessions: default, blog:default")
    assert [row.profile for row in session_rows(store) if row.has_ended] == ["default"]
    assert "o: start again" in pane_rows.page_state(store)


@pytest.mark.parametrize(
    ("change", "state", "hint"),
    [
        ({"link": "stopped"}, "the daemon is stopped", "the daemon is stopped"),
        ({"link": "gone", "link_problem": "refused"}, "the daemon is unreachable", "refused"),
        ({"dialogs": {"default": dialog()}}, "blocked by a dialog", "blocked by a dialog"),
        (
            {"ended": {"default": EndedView(NOW - 5, None)}},
            "browser exited 5s ago (o: start again)",
            "browser exited 5s ago (o: start again)",
        ),
        (
            {"snapshot": SnapshotView(nothing_open=True)},
            "no page is open",
            "No page is open. Press u to go to a URL, or ctrl+p for all operations.",
        ),
        ({"snapshot": SnapshotView(problem="crashed")}, "", "crashed"),
        ({"snapshot": SnapshotView(taken_at=NOW - 4)}, "3s old", "loading the snapshot…"),
        ({"snapshot": SnapshotView(taken_at=NOW - 200)}, "3m00s old", "loading the snapshot…"),
    ],
)
def test_the_page_says_why_the_tree_is_missing_or_old(
    store: Store, change: dict[str, Any], state: str, hint: str
) -> None:
    for name, value in change.items():
        setattr(store, name, value)

    assert pane_rows.page_state(store) == state
    assert pane_rows.page_hint(store) == hint


def test_the_address_has_the_tabs_the_url_and_the_load_state(store: Store) -> None:
    store.page.set_tabs(
        [
            TabData(index=0, title="", url="https://shop.example/cart", crashed=True),
            TabData(index=1, title="Shop", url="https://shop.example/", active=True),
        ]
    )
    store.page.load_began(1, 100.0)
    store.page.load_ended(1, 100.5)

    shown = pane_rows.page_view(store)

    assert (shown.url, shown.state) == ("https://shop.example/", "loaded in 0.5 s")
    assert shown.tabs == (
        TabLabel(0, "shop.example/cart", warning="✗"),
        TabLabel(1, "Shop", is_active=True),
    )


def test_the_daemon_is_shown_with_the_age_of_what_is_known(store: Store) -> None:
    store.link, store.daemon_at = "gone", NOW - 30
    view, state = pane_rows.daemon_view(store)

    assert state == "unreachable"
    assert view is not None
    assert view.age_seconds == 30
    store.daemon = None
    assert pane_rows.daemon_view(store) == (None, "unreachable")


def test_the_header_shows_what_needs_attention_then_the_page(store: Store) -> None:
    assert status_line(store, 60).plain == f"{'● 1 session   default › Corner Store  /':55}4/min"

    store.recording_path, store.recorded = "a.ndjson", 3
    assert "⏺ rec 3…" in status_line(store, 80).plain
    store.caught_up()
    store.console.new_errors = 2
    store.open_dialog("default", dialog())
    attention = "● 1 session   ⚠ 1 dialog   ✗ 2 console   ⏺ rec 3   "
    assert status_line(store, 80).plain == f"{attention}default › Corner Store  /"
    assert status_line(store, 66).plain == f"{attention}default › Corn…"

    store.set_link("connecting")
    assert status_line(store, 60).plain.startswith("◐ daemon starting   ✗ 2 console")
