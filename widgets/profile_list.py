"""The profiles of the workspace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from rich.segment import Segment

from pwtui.widgets.row_list import Ink, RowList, sides
from pwtui.widgets.text import plain

WIDEST = 60
"""In a wider list, the columns would be too far apart to read a row."""


class ProfileRow(NamedTuple):
    """A profile in the list."""

    name: str
    browser: str = ""
    live: int = 0
    """The number of running sessions."""
    stale: bool = False
    """Its cache is too old to be used."""
    corrupt: bool = False
    """One of its files could not be read."""
    active: bool = False
    """Requests go to this profile."""
    note: str = ""


class ProfileList(RowList[ProfileRow]):
    """One line per profile: ▶ active, ● running sessions, ◌ stale, ✗ corrupt."""

    EMPTY_TEXT = "No profiles yet. n creates one."
    ORDERS: ClassVar[dict[str, Callable[[ProfileRow], Any]]] = {
        "name": lambda row: row.name.lower(),
        "browser": lambda row: row.browser,
        "sessions": lambda row: -row.live,
    }

    def row_key(self, row: ProfileRow) -> str:
        return row.name

    def draw(self, row: ProfileRow, line: int, cells: int, ink: Ink) -> list[Segment]:
        cells = min(cells, WIDEST)
        name = ("list--strong",) if row.active else ("list--muted",) if row.stale else ()
        left = [
            Segment("▶ " if row.active else "  ", ink("list--accent")),
            Segment(plain(row.name), ink("list--bad") if row.corrupt else ink(*name)),
        ]
        if row.note:
            left.append(Segment(f"  {plain(row.note)}", ink("list--faint")))
        if row.corrupt:
            mark = Segment(" ✗  ", ink("list--bad"))
        elif row.live:
            mark = Segment(f" ●{row.live if row.live < 10 else '+'} ", ink("list--good"))
        elif row.stale:
            mark = Segment(" ◌  ", ink("list--faint"))
        else:
            mark = Segment("    ", ink())
        right = [Segment(plain(row.browser), ink("list--muted")), mark]
        return sides(left, right, cells, ink())
