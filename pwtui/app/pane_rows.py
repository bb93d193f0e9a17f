"""From what the store knows to what the panes show."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import Any

from pwtui.app.store import SnapshotView, Store
from pwtui.widgets.daemon_card import DaemonState, DaemonView
from pwtui.widgets.profile_list import ProfileRow
from pwtui.widgets.session_list import SessionRow
from pwtui.widgets.units import duration

_AGES = (3, 5, 10, 15, 20, 30, 40, 50)
_DAEMON_STATES: dict[str, DaemonState] = {
    "connecting": "starting",
    "connected": "running",
    "gone": "unreachable",
    "stopped": "gone",
}


def profile_rows(store: Store) -> list[ProfileRow]:
    live = Counter(str(each["profile"]) for each in store.sessions if store.is_here(each))
    return [
        ProfileRow(
            name=each.name,
            browser=each.browser,
            live=live[each.name],
            stale=each.is_stale,
            corrupt=each.is_corrupt,
            active=each.name == store.active_profile,
            note="" if each.uses_daemon else "own process",
        )
        for each in store.profiles
    ]


def session_key(session: dict[str, Any]) -> str:
    """The key of a session's row; a profile that was attached may have two sessions."""
    named = ("sessionKey", "wsEndpoint", "cdpEndpoint")
    known = [str(session[name]) for name in named if session.get(name)]
    return " ".join(known) or str(session.get("title"))


def session_name(session: dict[str, Any]) -> str:
    """Which session it is, for a person who is about to act on it."""
    pages = session.get("pages") or [{}]
    page = pages[0].get("title") or pages[0].get("url")
    pid = session.get("pid") or session.get("ownerPid")
    port = port_of(session.get("cdpEndpoint"))
    facts = [session.get("title"), page, pid and f"pid {pid}", port and f"port {port}"]
    return " · ".join(str(fact) for fact in facts if fact)


def port_of(endpoint: str | None) -> int | None:
    port = str(endpoint or "").partition("://")[2].partition("/")[0].rpartition(":")[2]
    return int(port) if port.isdecimal() else None


def session_rows(store: Store) -> list[SessionRow]:
    now = time.time()
    current = store.session_of(store.active_profile)
    rows = [_session_row(store, each, now, is_current=each is current) for each in store.sessions]
    for profile, ended in store.ended.items():
        if ended.session is not None:
            is_active = profile == store.active_profile
            row = _session_row(store, ended.session, now, is_current=is_active)
            rows.append(replace(row, zombie=True, busy=False, last_request=now - ended.at))
    return rows


def _session_row(store: Store, each: dict[str, Any], now: float, *, is_current: bool) -> SessionRow:
    profile = str(each.get("profile") or "") if store.is_here(each) else ""
    running = [r for r in store.running.values() if profile and r.profile == profile]
    last = store.last_request.get(profile) if profile else None
    since = running[0].started if running else last.time if last else None
    pages = each.get("pages")
    dialog = store.dialogs.get(profile)
    return SessionRow(
        key=session_key(each),
        title=_title(each, store),
        origin=_origin(each),
        profile=profile,
        browser=str(each.get("browser") or ""),
        headless=each.get("headless"),
        url=str(pages[0]["url"]) if pages else "",
        pages=len(pages) if pages is not None else None,
        pid=each.get("pid") or each.get("ownerPid"),
        memory_bytes=each.get("memoryBytes"),
        age_seconds=_age(each, now),
        last_request=now - since if since is not None else None,
        busy=bool(running),
        attached=bool(each.get("attached")),
        current=is_current,
        endpoints={
            name: str(each[key])
            for name, key in (("CDP", "cdpEndpoint"), ("Playwright", "wsEndpoint"))
            if each.get(key)
        },
        running=running[0].op if running else "",
        warning=f"{dialog.kind} is open" if dialog else "",
    )


def page_state(store: Store) -> str:
    """Why the tree is not what the page shows now, or how old it is."""
    snapshot, profile = store.snapshot, store.active_profile
    if store.link != "connected":
        return f"the daemon is {store.link}"
    if profile in store.dialogs:
        return "blocked by a dialog"
    if (ended := store.ended.get(profile)) is not None:
        return f"browser ended {duration(time.time() - ended.at)} ago; o starts it again"
    if running := [each for each in store.running.values() if each.profile == profile]:
        return f"busy: {running[0].op} {time.time() - running[0].started:.1f} s"
    if snapshot.nothing_open:
        return "no page is open"
    return _age_of(snapshot)


def _age_of(snapshot: SnapshotView) -> str:
    """In steps: each new text draws the pane again."""
    age = time.time() - snapshot.taken_at if snapshot.taken_at is not None else 0.0
    steps = [step for step in (*_AGES, int(age // 60) * 60) if step and step <= age]
    return f"{duration(steps[-1])} old" if steps else ""


def daemon_view(store: Store) -> tuple[DaemonView | None, DaemonState]:
    state = _DAEMON_STATES[store.link]
    daemon = store.daemon
    if daemon is None:
        return None, state
    age = time.time() - (store.daemon_at or 0)
    view = DaemonView(
        pid=daemon.pid,
        version=daemon.version,
        uptime_seconds=daemon.uptime_seconds,
        clients=daemon.clients,
        requests_per_second=store.rates(),
        requests_served=daemon.requests_served,
        requests_running=len(daemon.requests_running or ()),
        memory_bytes=daemon.memory_bytes,
        sessions=daemon.sessions,
        log_lines=store.daemon_log,
        age_seconds=age if store.link != "connected" else 0.0,
    )
    return view, state


def status_text(store: Store, width: int) -> str:
    """The header: daemon, sessions, what runs, profile and URL."""
    dot = {"connected": "●", "connecting": "◐"}.get(store.link, "○")
    daemon = store.daemon
    parts = [
        f"{dot} daemon {daemon.version if daemon and store.link == 'connected' else store.link}"
    ]
    if daemon is not None and daemon.uptime_seconds and store.link == "connected":
        parts[0] += f" up {duration(daemon.uptime_seconds)}"
    parts.append("… live" if store.own_sessions is None else f"{len(store.own_sessions)} live")
    if store.running:
        oldest = min(store.running.values(), key=lambda each: each.started)
        parts.append(f"◐ {oldest.op} {time.time() - oldest.started:.1f}s")
    if width >= 100:
        parts.append(f"{sum(store.rates())} req/min")
    if store.recording_path:
        parts.append(f"⏺ rec {store.recorded}")
    parts.append(store.active_profile)
    if store.snapshot.url:
        parts.append(store.snapshot.url)
    return "  │  ".join(parts)


def _title(session: dict[str, Any], store: Store) -> str:
    title = str(session.get("title") or "")
    workspace = session.get("workspace")
    if workspace and workspace != store.workspace:
        return f"{title} ({str(workspace).rpartition('/')[2]})"
    return title


def _origin(session: dict[str, Any]) -> str:
    if session.get("origin") == "pwtui":
        return str(session.get("owner") or "pwtui")
    return str(session.get("origin") or "")


def _age(session: dict[str, Any], now: float) -> float | None:
    if session.get("createdAt"):
        return now - float(session["createdAt"])
    return session.get("ageSeconds")
