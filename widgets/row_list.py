"""A list that draws only what is seen: one ScrollView over rows of equal height."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from pwtui.widgets.text import cut, plain, width

RowT = TypeVar("RowT")
Ink = Callable[..., Style]


class RowList(ScrollView, Generic[RowT], can_focus=True):
    """Rows with a cursor that stays on its key when the rows change.

    A subclass says what the key of a row is, how many lines a row takes, and how a line is drawn.
    """

    ALLOW_SELECT = False
    CHOOSE_ON_CLICK: ClassVar[bool] = False
    EMPTY_TEXT: ClassVar[str] = ""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="rows.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="rows.down"),
        Binding("pageup,ctrl+u", "move_page(-1)", "Page up", show=False, id="rows.page-up"),
        Binding("pagedown,ctrl+d", "move_page(1)", "Page down", show=False, id="rows.page-down"),
        Binding("home,g", "move_end(0)", "First", show=False, id="rows.first"),
        Binding("end,G", "move_end(-1)", "Last", show=False, id="rows.last"),
        Binding("enter", "choose", "Choose", show=False, id="rows.choose"),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "rows--cursor",
        "rows--cursor-blurred",
        "rows--hover",
        "rows--muted",
        "rows--faint",
        "rows--strong",
        "rows--good",
        "rows--busy",
        "rows--bad",
        "rows--accent",
    }

    DEFAULT_CSS = """
    RowList {
        height: 1fr;
        width: 1fr;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        & > .rows--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
        }
        & > .rows--cursor-blurred { background: $block-cursor-blurred-background; }
        & > .rows--hover { background: $foreground 6%; }
        & > .rows--muted { color: $foreground-muted; }
        & > .rows--faint { color: $foreground-disabled; }
        & > .rows--strong { text-style: bold; }
        & > .rows--good { color: $success; }
        & > .rows--busy { color: $warning; }
        & > .rows--bad { color: $error; }
        & > .rows--accent { color: $accent; }
    }
    """

    class RowMessage(Message):
        """Something happened to the row of this key."""

        def __init__(self, row_list: RowList[Any], key: str) -> None:
            super().__init__()
            self.row_list = row_list
            self.key = key

        @property
        def control(self) -> RowList[Any]:
            return self.row_list

    class Highlighted(RowMessage):
        """The cursor moved onto another row."""

    class Chosen(RowMessage):
        """A row was chosen with enter or the mouse."""

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.empty_text = self.EMPTY_TEXT
        self.filter_text = ""
        self._all_rows: Sequence[RowT] = ()
        self._rows: Sequence[RowT] = ()
        self._row_height = 1
        self._row_cursor = -1
        self._row_hover = -1
        self._row_told: str | None = None
        self._row_styles: dict[tuple[str, ...], Style] = {}

    # What a subclass says ------------------------------------------------------------------------

    def row_key(self, row: RowT) -> str:
        """What tells the row from the others, also when the rows are shown anew."""
        return str(row)

    def row_text(self, row: RowT) -> str:
        """What the filter looks at."""
        return self.row_key(row)

    def row_height(self, cells: int) -> int:
        """How many lines each row takes at this width."""
        return 1

    def draw(self, row: RowT, line: int, cells: int, ink: Ink) -> list[Segment]:
        """One line of a row; `ink` turns component classes into a style on this row's ground."""
        return [Segment(plain(str(row)), ink())]

    # Data ----------------------------------------------------------------------------------------

    def show_rows(self, rows: Sequence[RowT], *, cursor: str | None = None) -> None:
        """Replace the rows. The cursor stays on its key, or else where it was."""
        self._all_rows = rows
        if words := self.filter_text.lower().split():
            texts = ((row, self.row_text(row).lower()) for row in rows)
            rows = [row for row, text in texts if all(word in text for word in words)]
        if cursor is None and rows is not self._rows and rows == self._rows:
            return
        wanted = cursor if cursor is not None else self.cursor_key
        self._rows = rows
        self._row_hover = -1
        index = self._index_of(wanted)
        if index < 0:
            index = min(max(self._row_cursor, 0), len(rows) - 1)
        self._fit_rows()
        self._row_cursor = index
        self._reveal()
        self.refresh()
        self._tell()

    def filter(self, text: str) -> None:
        """Show only the rows with all of these words."""
        self.filter_text = text
        self.show_rows(self._all_rows)

    @property
    def row_count(self) -> int:
        return len(self._rows)

    @property
    def cursor_row(self) -> RowT | None:
        """The row under the cursor."""
        return self._rows[self._row_cursor] if 0 <= self._row_cursor < len(self._rows) else None

    @property
    def cursor_key(self) -> str | None:
        row = self.cursor_row
        return None if row is None else self.row_key(row)

    def move_to(self, key: str) -> bool:
        """Put the cursor on the row of this key; False when there is none."""
        index = self._index_of(key)
        if index >= 0:
            self._go(index)
        return index >= 0

    def _index_of(self, key: str | None) -> int:
        if key is None:
            return -1
        return next((i for i, row in enumerate(self._rows) if self.row_key(row) == key), -1)

    # Cursor --------------------------------------------------------------------------------------

    def _go(self, index: int) -> None:
        index = min(max(index, 0), len(self._rows) - 1)
        if index == self._row_cursor:
            self._reveal()
            return
        before, self._row_cursor = self._row_cursor, index
        self._reveal()
        self._refresh_row(before)
        self._refresh_row(index)
        self._tell()

    def _tell(self) -> None:
        key = self.cursor_key
        if key is not None and key != self._row_told:
            self.post_message(self.Highlighted(self, key))
        self._row_told = key

    def _reveal(self) -> None:
        if self._row_cursor >= 0 and self.size.height:
            top = self._row_cursor * self._row_height
            self.scroll_to_region(
                Region(0, top, 1, self._row_height), animate=False, immediate=True, x_axis=False
            )

    def _refresh_row(self, index: int) -> None:
        if index >= 0:
            self.refresh_lines(index * self._row_height, self._row_height)

    def action_move(self, step: int) -> None:
        if self._rows:
            self._go(self._row_cursor + step)

    def action_move_page(self, direction: int) -> None:
        if self._rows:
            page = max(1, self.size.height // self._row_height - 1)
            self._go(self._row_cursor + direction * page)

    def action_move_end(self, index: int) -> None:
        if self._rows:
            self._go(index if index >= 0 else len(self._rows) - 1)

    def action_choose(self) -> None:
        key = self.cursor_key
        if key is not None:
            self.post_message(self.Chosen(self, key))

    # Mouse ---------------------------------------------------------------------------------------

    def _row_at(self, y: int) -> int:
        index = (y + self.scroll_offset.y) // self._row_height
        return index if 0 <= index < len(self._rows) else -1

    def on_click(self, event: events.Click) -> None:
        index = self._row_at(event.y)
        if index < 0 or event.button != 1:
            return
        again = index == self._row_cursor
        self._go(index)
        if self.CHOOSE_ON_CLICK or (event.chain > 1 and again):
            self.action_choose()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._hover(self._row_at(event.y))

    def on_leave(self) -> None:
        self._hover(-1)

    def _hover(self, index: int) -> None:
        if index != self._row_hover:
            before, self._row_hover = self._row_hover, index
            self._refresh_row(before)
            self._refresh_row(index)

    # Drawing -------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        self._fit_rows()
        self._reveal()

    def _fit_rows(self) -> None:
        cells = self.scrollable_content_region.width
        self._row_height = self.row_height(cells)
        self.virtual_size = Size(cells, len(self._rows) * self._row_height)

    def notify_style_update(self) -> None:
        self._row_styles.clear()
        super().notify_style_update()

    def on_focus(self) -> None:
        self._refresh_row(self._row_cursor)

    def on_blur(self) -> None:
        self._refresh_row(self._row_cursor)

    @property
    def _shows_focus(self) -> bool:
        return self.has_focus

    def _ink(self, *names: str) -> Style:
        style = self._row_styles.get(names)
        if style is None:
            style = self._row_styles[names] = self.get_visual_style(*names).rich_style
        return style

    def render_line(self, y: int) -> Strip:
        cells = self.scrollable_content_region.width
        index, line = divmod(y + self.scroll_offset.y, self._row_height)
        if index >= len(self._rows):
            nothing = "nothing matches the filter" if self._all_rows else self.empty_text
            text = nothing if not self._rows and y == 0 else ""
            empty = Strip([Segment(cut(f" {text}", cells), self._ink("rows--faint"))])
            return empty.adjust_cell_length(cells, self._ink())
        ground: tuple[str, ...] = ()
        if index == self._row_cursor:
            ground = ("rows--cursor" if self._shows_focus else "rows--cursor-blurred",)
        elif index == self._row_hover:
            ground = ("rows--hover",)

        def ink(*names: str) -> Style:
            return self._ink(*ground, *names)

        strip = Strip(self.draw(self._rows[index], line, cells, ink))
        return strip.adjust_cell_length(cells, ink())


def sides(
    left: Sequence[Segment], right: Sequence[Segment], cells: int, ground: Style
) -> list[Segment]:
    """The left part, cut as needed, and the right part at the right edge."""
    right_cells = sum(width(segment.text) for segment in right)
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
