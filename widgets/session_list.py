"""The live browser sessions."""

from __future__ import annotations

from dataclasses import dataclass

from rich.segment import Segment

from pwtui.protocol.addresses import BOUND, SessionKey
from pwtui.protocol.models import SessionData
from pwtui.widgets.row_list import Ink, RowList, sides
from pwtui.widgets.text import plain, width
from pwtui.widgets.units import UNKNOWN, duration, memory

WIDE = 72

SessionRowKey = tuple[SessionKey | str, str | None, str | None]


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session, and what the panel knows about it. None is unknown."""

    session: SessionData
    profile: str = ""
    """Empty for a session of another workspace."""
    workspace: str = ""
    """The name of another workspace."""
    age_seconds: float | None = None
    last_request: float | None = None
    """Seconds since the last request; while the session is busy, since that request started."""
    is_current: bool = False
    """Requests go to this session."""
    has_ended: bool = False
    """The browser exited by itself; `last_request` is the time since then."""
    running: str = ""
    """The operation that is running."""
    warning: str = ""
    """What blocks the page."""

    @property
    def title(self) -> str:
        place = f" ({self.workspace})" if self.workspace else ""
        return f"{self.session.title}{place}"

    @property
    def url(self) -> str:
        return self.session.pages[0].url if self.session.pages else ""

    @property
    def pid(self) -> int | None:
        return self.session.pid or self.session.owner_pid

    @property
    def origin(self) -> str:
        session = self.session
        return session.owner or "pwtui" if session.origin == "pwtui" else session.origin


def session_row_key(session: SessionData) -> SessionRowKey:
    """The key of a session's row; an attached profile may have two sessions."""
    ws, cdp = session.ws_endpoint, session.cdp_endpoint
    if session.session_key and not session.session_key.startswith(BOUND):
        return SessionKey.parse(session.session_key), ws, cdp
    return "" if ws or cdp else session.title, ws, cdp


class SessionList(RowList[SessionRow]):
    """Three lines per session, two in a wide list.

    ● idle, ◐ busy, ⚠ blocked by a dialog, ✗ exited, ▶ current.
    """

    EMPTY_TEXT = "No browser is running."

    def row_key(self, row: SessionRow) -> SessionRowKey:
        return session_row_key(row.session)

    def row_text(self, row: SessionRow) -> str:
        session = row.session
        known = (row.profile, row.title, row.url, row.origin, session.browser, session.cdp_endpoint)
        return " ".join(filter(None, [*known, session.ws_endpoint, str(row.pid or "")]))

    def row_height(self, cells: int) -> int:
        return 2 if cells >= WIDE else 3

    def draw(self, row: SessionRow, line: int, cells: int, ink: Ink) -> list[Segment]:
        ground = ink()
        is_wide = cells >= WIDE
        if line == 0:
            facts = [*_facts(row), duration(row.age_seconds)] if is_wide else []
            # Name and title come first: drop the facts that do not fit beside them.
            while width(" · ".join(facts)) > cells * 0.6:
                del facts[0]
            text = " · ".join(facts) or duration(row.age_seconds)
            right = [Segment(f"{text} ", ink("list--muted"))]
            return sides(_head(row, ink), right, cells, ground)
        if line == 1:
            url = Segment(f"    {plain(row.url) or UNKNOWN}", ink("list--muted"))
            right = [_state(row, ink), Segment(" ", ground)] if is_wide else []
            return sides([url], right, cells, ground)
        rest = " · ".join(["", *reversed(_facts(row))])
        left = [Segment("    ", ground), _state(row, ink), Segment(rest, ink("list--faint"))]
        return sides(left, [], cells, ground)


def _head(row: SessionRow, ink: Ink) -> list[Segment]:
    if row.has_ended:
        dot = Segment("✗ ", ink("list--bad"))
    elif row.warning:
        dot = Segment("⚠ ", ink("list--busy"))
    elif row.running:
        dot = Segment("◐ ", ink("list--busy"))
    else:
        dot = Segment("● ", ink("list--good"))
    name = plain(row.profile or row.title)
    head = [
        Segment("▶ " if row.is_current else "  ", ink("list--accent")),
        dot,
        Segment(name, ink("list--strong")),
    ]
    if row.title and plain(row.title) != name:
        head.append(Segment(f"  {plain(row.title)}", ink()))
    return head


def _state(row: SessionRow, ink: Ink) -> Segment:
    since = duration(row.last_request)
    if row.has_ended:
        return Segment(f"exited {since} ago", ink("list--bad"))
    if row.warning:
        return Segment(plain(row.warning), ink("list--busy"))
    if row.running:
        return Segment(f"{plain(row.running)} … {since}", ink("list--busy"))
    return Segment(f"idle {since}", ink("list--muted"))


def _facts(row: SessionRow) -> list[str]:
    """The other facts, the most important last."""
    session = row.session
    endpoints = (session.cdp_endpoint and "CDP", session.ws_endpoint and "Playwright")
    facts = ["+".join(filter(None, endpoints))]
    if session.pages is not None and len(session.pages) != 1:
        facts.append(f"{len(session.pages)} pages")
    facts += ["attached" if session.attached else "", row.origin]
    if session.headless is not None:
        facts.append("headless" if session.headless else "window")
    pid = UNKNOWN if row.pid is None else str(row.pid)
    facts += [plain(session.browser or ""), f"pid {pid}", memory(session.memory_bytes)]
    return [fact for fact in facts if fact]
