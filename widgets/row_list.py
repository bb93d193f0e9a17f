"""A list of records; the cursor stays on the key of its record."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.strip import Strip

from pwtui.widgets.text import cut, plain, width
from pwtui.widgets.virtual_list import VirtualList

RowT = TypeVar("RowT")
Ink = Callable[..., Style]


class RowList(VirtualList, Generic[RowT]):
    """A subclass defines the key of a row, its height, and how a line of it is drawn."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "copy", show=False, id="list.copy"),
        Binding("o", "sort", "sort", id="list.sort", tooltip="sort by the next column"),
        Binding("O", "reverse", "reverse", show=False, id="list.reverse"),
    ]
    ORDERS: ClassVar[dict[str, Callable[[Any], Any]]] = {}
    """The key functions by the name of the column."""
    CHOOSE_ON_CLICK: ClassVar[bool] = False
    EMPTY_TEXT: ClassVar[str] = ""

    empty_text: reactive[str] = reactive("", init=False)
    """Why there are no rows."""

    @dataclass
    class RowMessage(VirtualList.ListMessage):
        """A message about a row."""

        row: Any

        @property
        def key(self) -> Any:
            return self.list.row_key(self.row)

    class Highlighted(RowMessage):
        """The cursor moved to another row."""

    class Chosen(RowMessage):
        """A row was chosen with enter or the mouse."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.set_reactive(RowList.empty_text, self.EMPTY_TEXT)
        self.filter_text = ""
        self.order = ""
        """The column that the rows are sorted by; empty: as they are given."""
        self.is_reversed = False
        self._all_rows: Sequence[RowT] = ()
        self._rows: Sequence[RowT] = ()
        self._row_highlighted: Hashable | None = None

    def row_key(self, row: RowT) -> Hashable:
        """Identifies the row, also after an update."""
        return str(row)

    def row_text(self, row: RowT) -> str:
        """The text that the filter searches."""
        return str(self.row_key(row))

    def draw(self, row: RowT, line: int, cells: int, ink: Ink) -> list[Segment]:
        """One line of a row; `ink` returns the style of component classes on this row."""
        return [Segment(plain(str(row)), ink())]

    def show(self, rows: Sequence[RowT], *, cursor: Hashable | None = None) -> None:
        """Replace the rows. The cursor stays on its key, or at its place if the key was removed."""
        self._all_rows = rows
        rows = self.matching(rows)
        if cursor is None and rows is not self._rows and rows == self._rows:
            return
        wanted = cursor if cursor is not None else self.cursor_key
        if bool(rows) != bool(self._rows):
            self.refresh_bindings()
        self._rows = rows
        index = self._index_of(wanted)
        self.rows_changed(index if index >= 0 else self.cursor)
        self.reveal(self.cursor)
        self.cursor_moved()

    def matching(self, rows: Sequence[RowT]) -> Sequence[RowT]:
        """The rows that the filter shows."""
        words = self.filter_text.lower().split()
        texts = ((row, self.row_text(row).lower()) for row in rows) if words else ()
        found = [row for row, text in texts if all(word in text for word in words)]
        return self.in_order(found if words else rows)

    def in_order(self, rows: Sequence[RowT]) -> Sequence[RowT]:
        """The rows, sorted by the chosen column."""
        if self.order:
            return sorted(rows, key=self.ORDERS[self.order], reverse=self.is_reversed)
        return rows[::-1] if self.is_reversed else rows

    def order_note(self, usual: str) -> str:
        """The order, if it is not the usual one."""
        if not (self.order or self.is_reversed):
            return ""
        return f"by {self.order or usual}{' reversed' if self.is_reversed else ''}"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("sort", "reverse") and not self.ORDERS:
            return False
        if action in ("choose", "copy", "sort", "reverse") and not self._rows:
            return False
        return super().check_action(action, parameters)

    def action_sort(self) -> None:
        orders = ["", *self.ORDERS]
        self.order = orders[(orders.index(self.order) + 1) % len(orders)]
        self.update_order()

    def action_reverse(self) -> None:
        self.is_reversed = not self.is_reversed
        self.update_order()

    def update_order(self) -> None:
        """Show the rows in the order that was chosen."""
        self.show(self._all_rows, cursor=self.cursor_key)
        self.report_filter()

    def filter(self, text: str) -> None:
        """Show only the rows that contain all of these words."""
        self.filter_text = text
        self.show(self._all_rows)
        self.report_filter()

    @property
    def filter_problem(self) -> str:
        """What is wrong with the filter."""
        return ""

    def report_filter(self) -> None:
        """Post how many rows are shown."""
        counts = self.row_count, len(self._all_rows)
        self.post_message(self.FilterChanged(self, *counts, self.filter_problem))

    @property
    def shown_rows(self) -> Sequence[RowT]:
        return self._rows

    @property
    def row_count(self) -> int:
        return len(self._rows)

    @property
    def cursor_row(self) -> RowT | None:
        """The row under the cursor."""
        return self._rows[self.cursor] if self._rows else None

    @property
    def cursor_key(self) -> Any:
        """The key of the row under the cursor, None without rows."""
        return self.row_key(self._rows[self.cursor]) if self._rows else None

    def move_to_key(self, key: Hashable) -> bool:
        """Move the cursor to the row with this key; False if there is none."""
        index = self._index_of(key)
        if index >= 0:
            self.move_to(index)
        return index >= 0

    def _index_of(self, key: Hashable) -> int:
        at = self.cursor
        if at < len(self._rows) and self.row_key(self._rows[at]) == key:
            return at
        return next((i for i, row in enumerate(self._rows) if self.row_key(row) == key), -1)

    def cursor_moved(self) -> None:
        key = self.cursor_key
        if key is not None and key != self._row_highlighted:
            self.post_message(self.Highlighted(self, self.cursor_row))
        self._row_highlighted = key

    def action_choose(self) -> None:
        if (row := self.cursor_row) is not None:
            self.post_message(self.Chosen(self, row))

    def copied_text(self) -> str:
        return self.row_text(self._rows[self.cursor])

    def whole_text(self) -> str:
        return "\n".join(filter(None, map(self.row_text, self._rows)))

    def row_clicked(self, row: int, event: events.Click, *, again: bool) -> None:
        if self.CHOOSE_ON_CLICK or (event.chain > 1 and again):
            self.action_choose()

    def nothing_shown(self) -> str:
        return "No matches. Escape shows all." if self._all_rows else self.empty_text

    def draw_row(self, row: int, line: int) -> Strip:
        ground, cells = self.ground(row), self.view_width

        def ink(*names: str) -> Style:
            return self.ink(*ground, *names)

        segments = self.draw(self._rows[row], line, cells, ink)
        is_free = bool(segments) and segments[0].text.startswith(" ")
        if row == self.cursor and not line and is_free:
            first = segments[0]
            pointer = Segment("▌", ink("list--pointer"))
            segments = [pointer, Segment(first.text[1:], first.style), *segments[1:]]
        return Strip(segments).adjust_cell_length(cells, ink())


def sides(
    left: Sequence[Segment], right: Sequence[Segment], cells: int, ground: Style
) -> list[Segment]:
    """The left part, truncated if needed, and the right part at the right edge."""
    right_cells = sum(segment.cell_length for segment in right)
    if right_cells + 8 > cells:
        right, right_cells = (), 0
    room = max(0, cells - right_cells - (1 if right else 0))
    kept: list[Segment] = []
    used = 0
    for segment in left:
        text = cut(segment.text, room - used)
        kept.append(Segment(text, segment.style))
        used += width(text)
        if text != segment.text or used >= room:
            break
    gap = cells - right_cells - used
    return [*kept, Segment(" " * max(0, gap), ground), *right]
