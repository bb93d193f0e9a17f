"""The actions of a session's program, the latest last."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from rich.segment import Segment

from pwtui.widgets.log_entry import milliseconds
from pwtui.widgets.row_list import Ink, RowList, sides
from pwtui.widgets.text import plain


class ActionRow(NamedTuple):
    """An action of a client."""

    id: object
    at: float
    client: str
    action: str
    status: Literal["running", "ok", "failed"] = "running"
    seconds: float | None = None


_MARKS = {"running": ("◐", "list--busy"), "ok": ("✓", "list--good"), "failed": ("✗", "list--bad")}


class ActionList(RowList[ActionRow]):
    """One line per action; follows the end while the cursor is on the last one."""

    EMPTY_TEXT = "No actions since the panel was opened."
    ORDERS: ClassVar[dict[str, Callable[[ActionRow], Any]]] = {
        "action": lambda row: row.action,
        "duration": lambda row: -(row.seconds or 0.0),
        "state": lambda row: row.status,
    }

    def row_key(self, row: ActionRow) -> object:
        return row.id

    def row_text(self, row: ActionRow) -> str:
        return f"{row.client} {row.action} {row.status}"

    def show(self, rows: Sequence[ActionRow], *, cursor: Any = None) -> None:
        is_following = not self.order and self.cursor >= self.row_count - 1
        super().show(rows, cursor=cursor)
        if is_following and cursor is None:
            self.move_to(self.row_count - 1)

    def draw(self, row: ActionRow, line: int, cells: int, ink: Ink) -> list[Segment]:
        mark, tone = _MARKS[row.status]
        clock = time.strftime("%H:%M:%S", time.localtime(row.at))
        left = [
            Segment(f"{mark} ", ink(tone)),
            Segment(f"{clock} ", ink("list--faint")),
            Segment(plain(row.action), ink()),
        ]
        took = milliseconds(row.seconds * 1000) if row.seconds is not None else ""
        return sides(left, [Segment(f" {took} ", ink("list--muted"))], cells, ink())
