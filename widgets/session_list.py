"""The live browser sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rich.segment import Segment

from pwtui.widgets.row_list import Ink, RowList, sides
from pwtui.widgets.text import plain, width
from pwtui.widgets.units import UNKNOWN, duration, memory

WIDE = 72


@dataclass(frozen=True, slots=True)
class SessionRow:
    """What the list shows of a session. None is what is not known."""

    key: str
    title: str = ""
    origin: str = ""
    """Where it comes from: launched, connected, found."""
    profile: str = ""
    browser: str = ""
    headless: bool | None = None
    url: str = ""
    pages: int | None = None
    pid: int | None = None
    memory_bytes: int | None = None
    age_seconds: float | None = None
    last_request: float | None = None
    """Seconds since its last request; while busy, since that one began."""
    busy: bool = False
    attached: bool = False
    """A client holds it."""
    current: bool = False
    """Requests go to this one."""
    zombie: bool = False
    """Its browser ended by itself; `last_request` is the time since then."""
    warning: str = ""
    """What blocks its page."""
    endpoints: Mapping[str, str] = field(default_factory=dict)
    running: str = ""
    """What it does while it is busy."""


class SessionList(RowList[SessionRow]):
    """Three lines for each session, two where there is room.

    ● idle, ◐ busy, ⚠ blocked by a dialog, ✗ ended, ▶ current.
    """

    EMPTY_TEXT = "no sessions"

    class Chosen(RowList.Chosen):
        """A session was chosen."""

    def row_key(self, row: SessionRow) -> str:
        return row.key

    def row_text(self, row: SessionRow) -> str:
        known = (row.profile, row.title, row.url, row.origin, row.browser, str(row.pid or ""))
        return " ".join([*known, *row.endpoints.values()])

    def row_height(self, cells: int) -> int:
        return 2 if cells >= WIDE else 3

    def draw(self, row: SessionRow, line: int, cells: int, ink: Ink) -> list[Segment]:
        ground = ink()
        is_wide = cells >= WIDE
        if line == 0:
            facts = [*_facts(row), duration(row.age_seconds)] if is_wide else []
            # The name and title come first: what does not fit beside them is left out.
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
    if row.zombie:
        dot = Segment("✗ ", ink("list--bad"))
    elif row.warning:
        dot = Segment("⚠ ", ink("list--busy"))
    elif row.busy:
        dot = Segment("◐ ", ink("list--busy"))
    else:
        dot = Segment("● ", ink("list--good"))
    name = plain(row.profile) or plain(row.title) or plain(row.key)
    head = [
        Segment("▶ " if row.current else "  ", ink("list--accent")),
        dot,
        Segment(name, ink("list--strong")),
    ]
    if row.title and plain(row.title) != name:
        head.append(Segment(f"  {plain(row.title)}", ink()))
    return head


def _state(row: SessionRow, ink: Ink) -> Segment:
    since = duration(row.last_request)
    if row.zombie:
        text = "gone" if row.last_request is None else f"ended {since} ago"
        return Segment(text, ink("list--bad"))
    if row.warning:
        return Segment(plain(row.warning), ink("list--busy"))
    if row.busy:
        return Segment(f"{plain(row.running) or 'busy'} … {since}", ink("list--busy"))
    return Segment(f"idle {since}", ink("list--muted"))


def _facts(row: SessionRow) -> list[str]:
    """What else is known of it, the most telling last."""
    facts = ["+".join(plain(name) for name in row.endpoints)]
    if row.pages is not None and row.pages != 1:
        facts.append(f"{row.pages} pages")
    facts += ["attached" if row.attached else "", plain(row.origin)]
    if row.headless is not None:
        facts.append("headless" if row.headless else "window")
    pid = UNKNOWN if row.pid is None else str(row.pid)
    facts += [plain(row.browser), f"pid {pid}", memory(row.memory_bytes)]
    return [fact for fact in facts if fact]
