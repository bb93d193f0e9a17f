"""The header: what needs attention first, then the page."""

from __future__ import annotations

import time
from collections.abc import Iterator
from urllib.parse import urlsplit

from textual.content import Content

from pwtui.app.pane_rows import DAEMON_STATES
from pwtui.app.store import LinkState, Store
from pwtui.widgets.text import cut, plain

GAP = "   "
MUTED = "$foreground-muted"
_LINKS: dict[LinkState, tuple[str, str]] = {
    "connecting": ("◐", "$warning"),
    "connected": ("●", "$success"),
    "gone": ("✗", "$error"),
    "stopped": ("○", "$warning"),
}


def status_line(store: Store, cells: int) -> Content:
    """Sessions and problems, the page, and at the right edge what runs."""
    left = Content(GAP).join(_facts(store))
    right = _activity(store)
    page = _page(store)
    room = cells - left.cell_length - len(GAP)
    if page.cell_length + len(GAP) + right.cell_length <= room:
        gap = room - page.cell_length - right.cell_length
        return Content.assemble(left, GAP, page, " " * gap, right)
    return Content.assemble(left, GAP, page.truncate(max(0, room), ellipsis=True))


def _facts(store: Store) -> Iterator[Content]:
    if store.is_read_only:
        yield Content.styled("READ-ONLY", "bold $warning")
    mark, color = _LINKS[store.link]
    if store.link != "connected":
        yield Content.styled(f"{mark} daemon {DAEMON_STATES[store.link]}", color)
    elif store.own_sessions is None:
        yield Content.assemble(("◐", "$warning"), " sessions")
    else:
        count = len(store.own_sessions)
        color = color if count else MUTED
        yield Content.assemble((mark, color), f" {_counted(count, 'session')}")
    if paused := store.activities.paused():
        held = sum(len(each.waiting) for each in paused)
        yield Content.styled(f"⏸ {held} held" if held else "⏸ paused", "bold $warning")
    if store.dialogs:
        yield Content.styled(f"⚠ {_counted(len(store.dialogs), 'dialog')}", "$warning")
    if store.ended:
        yield Content.styled(f"✗ {_counted(len(store.ended), 'exited browser')}", "$error")
    if errors := store.console.new_errors:
        yield Content.styled(f"✗ {errors} console", "$error")
    if failed := store.network.new_failures:
        yield Content.styled(f"✗ {_counted(failed, 'request')}", "$error")
    if store.recording_path:
        more = "…" if store.is_behind else ""
        yield Content.styled(f"⏺ rec {store.recorded}{more}", "$error")


def _page(store: Store) -> Content:
    """Profile, title and address."""
    title, url = plain(store.snapshot.title), store.snapshot.url
    parts: list[Content | str | tuple[str, str]] = [(plain(store.active_profile), "bold")]
    if store.is_viewing:
        parts.append((" viewed, C takes control", "$warning"))
    if title:
        parts += [(" › ", MUTED), cut(title, 40)]
    if url:
        parts += ["  ", (plain(_path(url) if title else url), MUTED)]
    return Content.assemble(*parts)


def _path(url: str) -> str:
    """The address without its host; all of it if it has none."""
    try:
        address = urlsplit(url)
    except ValueError:
        return url
    if not address.netloc:
        return url
    return f"{address.path or '/'}{'?' if address.query else ''}{address.query}"


def _activity(store: Store) -> Content:
    if store.running:
        oldest = min(store.running.values(), key=lambda running: running.started)
        return Content.styled(f"◐ {oldest.op} {time.time() - oldest.started:.1f} s", "$accent")
    return Content.styled(f"{sum(store.rates())}/min", MUTED)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
