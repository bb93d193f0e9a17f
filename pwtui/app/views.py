"""From what the store knows to what the panes show."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from pwtui.app.store import Store
from widgets.daemon_card import DaemonState, DaemonView
from widgets.profile_list import ProfileRow
from widgets.session_list import SessionRow
from widgets.units import duration

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
    return str(
        session.get("sessionKey")
        or session.get("wsEndpoint")
        or session.get("cdpEndpoint")
        or session.get("title")
    )


def session_rows(store: Store) -> list[SessionRow]:
    now = time.time()
    rows = []
    for each in store.sessions:
        profile = str(each.get("profile") or "") if store.is_here(each) else ""
        running = [r for r in store.running.values() if profile and r.profile == profile]
        last = store.last_request.get(profile) if profile else None
        since = running[0].started if running else last.time if last else None
        pages = each.get("pages")
        rows.append(
            SessionRow(
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
                current=bool(profile) and profile == store.active_profile,
                endpoints={
                    name: str(each[key])
                    for name, key in (("CDP", "cdpEndpoint"), ("Playwright", "wsEndpoint"))
                    if each.get(key)
                },
                running=running[0].op if running else "",
            )
        )
    return rows


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
    """The one line that always tells where one is."""
    dot = {"connected": "●", "connecting": "◐"}.get(store.link, "○")
    daemon = store.daemon
    parts = [
        f"{dot} daemon {daemon.version if daemon and store.link == 'connected' else store.link}"
    ]
    if daemon is not None and daemon.uptime_seconds and store.link == "connected":
        parts[0] += f" up {duration(daemon.uptime_seconds)}"
    live = sum(1 for each in store.sessions if each.get("origin") == "pwtui")
    parts.append(f"{live} live")
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
