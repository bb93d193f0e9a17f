"""The rows of the session list and the tiles of the pulse, made from the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pwtui.app.activity import Activity
from pwtui.app.store import Store
from pwtui.protocol.secrets import mask_text
from pwtui.widgets.session_list import SessionRow

if TYPE_CHECKING:
    from pwtui.protocol.models import SessionData


def session_rows(store: Store) -> list[SessionRow]:
    """The current session, those of this workspace, of agents, of others; then all browsers."""
    now = time.time()
    current = store.session_of(store.active_profile)
    rows = [session_row(store, each, now, is_current=each is current) for each in store.sessions]
    for profile, ended in store.ended.items():
        if ended.session is not None:
            is_active = profile == store.active_profile
            row = session_row(store, ended.session, now, is_current=is_active)
            row = row._replace(has_ended=True, running="", last_request=now - ended.at)
            rows.append(row)
    return sorted(rows, key=_place)


def _place(row: SessionRow) -> tuple[object, ...]:
    group = 1 if row.profile else 2 if row.session.origin in ("playwright", "relay") else 3
    return not row.is_current, row.is_other, group, row.name.lower(), row.pid or 0


def session_row(store: Store, session: SessionData, now: float, *, is_current: bool) -> SessionRow:
    profile = session.profile or "" if store.is_here(session) else ""
    activity = store.activity_of(session)
    dialog = store.dialogs.get(profile)
    is_own = session.origin == "pwtui"
    elsewhere = session.workspace if session.workspace != store.workspace and is_own else None
    running = activity.running[:1]
    since = running[0].at if running else activity.last_at
    open_dialog = dialog.info.type if dialog else activity.dialog
    return SessionRow(
        session,
        profile=profile,
        workspace=elsewhere.rpartition("/")[2] if elsewhere else "",
        who=_program(session, activity.client),
        age_seconds=now - session.created_at if session.created_at else session.age_seconds,
        # Whole seconds: a row is drawn again when it changes.
        last_request=float(int(now - since)) if since is not None else None,
        is_current=is_current,
        is_other=session.origin in ("cdp", "pipe"),
        running=running[0].action if running else "",
        last_action=_last_action(activity),
        warning=f"{open_dialog} is open" if open_dialog else "",
        errors=activity.errors,
        is_paused=activity.held_by is not None or bool(session.held),
        waiting=tuple(f"{client} {action}".strip() for client, action in activity.waiting),
        active_tab=store.page.active_tab if is_current else None,
    )


def iframe_ref(store: Store, row: SessionRow) -> str | None:
    """The ref of the iframe that shows the frame of a row, once its tab is shown."""
    page, tree, frame = store.page, store.snapshot.tree, row.frame_info
    if frame is None or tree is None or store.snapshot.is_stale or page.active_tab != row.tab_index:
        return None
    refs = [ref for ref, view in page.iframes.items() if mask_text(view.url) == frame.url]
    same = [number for number, each in enumerate(row.frames) if each.url == frame.url]
    place = same.index(row.frame or 0)
    return refs[place] if place < len(refs) else None


def _last_action(activity: Activity) -> str:
    ended = (each for each in reversed(activity.actions) if each.status != "running")
    last = next(ended, None)
    return f"{'✓' if last.status == 'ok' else '✗'} {last.action}" if last is not None else ""


def _program(session: SessionData, client: str) -> str:
    """The program that uses a session."""
    if session.origin == "pwtui":
        return client
    program = session.tool or next(iter(session.programs or ()), "")
    return program if program != session.title else ""
