"""A fuzzy finder for thousands of items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from pwtui.widgets.fuzzy import Candidate, FuzzyQuery
from pwtui.widgets.line_field import LineField
from pwtui.widgets.row_list import Ink, RowList, sides
from pwtui.widgets.stylesheet import stylesheet
from pwtui.widgets.text import cut, plain, width


@dataclass(frozen=True)
class PickerItem:
    """An item; its texts are untrusted."""

    id: str
    title: str
    group: str = ""
    help: str = ""
    """Shown below the list for the item under the cursor."""
    keys: str = ""
    value: Any = None
    """What the owner of the picker needs."""
    note: str = ""
    """Shown behind the title."""
    section: str = ""
    """The heading above it while nothing is typed."""

    @cached_property
    def candidate(self) -> Candidate:
        """The query may contain the group: "app close" finds "close" in the group "app"."""
        return Candidate(f"{plain(self.title)} {plain(self.group)}")


class _Hit(NamedTuple):
    item: PickerItem
    positions: tuple[int, ...] = ()
    heading: str = ""
    """Only a heading; the item is the one below."""


RECENT = "Recent"
WIDEST_TITLE = 34


class PickerList(RowList[_Hit], can_focus=False):
    """The matches, best first."""

    DEFAULT_CLASSES = "-active"
    CHOOSE_ON_CLICK = True
    EMPTY_TEXT = "No matches."
    COMPONENT_CLASSES: ClassVar[set[str]] = {"picker--match", "picker--keys", "picker--heading"}
    DEFAULT_CSS = """
    PickerList {
        & > .picker--match { color: $accent; text-style: bold; }
        & > .picker--keys { color: $footer-key-foreground; }
        & > .picker--heading { color: $primary; text-style: bold; }
    }
    """

    title_cells = 0
    """The width of the column of titles that have a note."""

    def row_key(self, row: _Hit) -> str:
        return f"heading {row.heading}" if row.heading else row.item.id

    def move_to(self, row: int) -> None:
        """Move to a row; from a heading to the next item in the direction of the move."""
        row = max(0, min(row, self.row_count - 1))
        if self._rows and self._rows[row].heading:
            row += -1 if 0 < row < self.cursor else 1
        super().move_to(row)

    def draw(self, row: _Hit, line: int, cells: int, ink: Ink) -> list[Segment]:
        if row.heading:
            return [Segment(f"  {cut(plain(row.heading), cells - 2)}", ink("picker--heading"))]
        match = ink("picker--match")
        title, group, keys = map(plain, (row.item.title, row.item.group, row.item.keys))
        right_cells = sum(width(text) + gap for text, gap in ((group, 1), (keys, 2)) if text)
        if right_cells + 16 > cells:
            group, keys, right_cells = "", "", 0
        offset = len(title) + 1
        title = cut(title, cells - 3 - right_cells)
        left = [
            Segment("  ", ink()),
            *_marked(title, row.positions, 0, ink(), match),
        ]
        if row.item.note:
            gap = " " * (max(0, self.title_cells - width(title)) + 2)
            left.append(Segment(f"{gap}{plain(row.item.note)}", ink("list--muted")))
        right = [Segment(f"{keys}  ", ink("picker--keys"))] if keys else []
        if group:
            right += _marked(group, row.positions, offset, ink("list--faint"), match)
            right.append(Segment(" ", ink()))
        return sides(left, right, cells, ink())


def _marked(
    text: str, positions: Sequence[int], offset: int, style: Style, mark: Style
) -> Iterable[Segment]:
    """The text in segments, with the matched letters marked."""
    marked = {at - offset for at in positions}
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or (at in marked) != (start in marked):
            yield Segment(text[start:at], mark if start in marked else style)
            start = at


class PickerField(LineField):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "choose", id="picker.choose"),
    ]


class Picker(Widget):
    """An input, the matches, and the help of the item under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,ctrl+p", "move(-1)", "up", show=False, id="picker.up"),
        Binding("down,ctrl+n", "move(1)", "down", show=False, id="picker.down"),
        Binding("pageup", "move_page(-1)", "page up", show=False, id="picker.page-up"),
        Binding("pagedown", "move_page(1)", "page down", show=False, id="picker.page-down"),
        Binding("ctrl+home", "move_first", "first", show=False, id="picker.first"),
        Binding("ctrl+end", "move_last", "last", show=False, id="picker.last"),
        Binding("escape", "cancel", "close", key_display="esc", id="picker.cancel"),
    ]

    DEFAULT_CSS = stylesheet("picker")

    @dataclass
    class ItemMessage(Message):
        picker: Picker
        item: PickerItem

        @property
        def control(self) -> Picker:
            return self.picker

    class Highlighted(ItemMessage):
        """The cursor moved to another item."""

    class Chosen(ItemMessage):
        """An item was chosen."""

    class Cancelled(Message):
        """The user closed the picker."""

    def __init__(
        self,
        items: Iterable[PickerItem] = (),
        *,
        recent: Iterable[str] = (),
        placeholder: str = "",
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._placeholder = plain(placeholder)
        self._recent = {key: rank for rank, key in enumerate(recent)}
        self._items = list(items)
        self._query = FuzzyQuery("")
        self._hits = self._found(self._query, self._items)

    def compose(self) -> ComposeResult:
        with Horizontal(id="picker-line"):
            yield Static(">", id="picker-prompt", markup=False)
            yield PickerField(placeholder=self._placeholder, id="picker-input", compact=True)
            yield Static(self._count(), id="picker-count", markup=False)
        yield PickerList()
        yield Static("", id="picker-help", markup=False)

    def on_mount(self) -> None:
        self._show_hits()

    @property
    def _list(self) -> PickerList:
        return self.query_one(PickerList)

    @property
    def _input(self) -> Input:
        return self.query_one("#picker-input", Input)

    def show_items(self, items: Iterable[PickerItem], recent: Iterable[str] | None = None) -> None:
        """Replace the items; the query and the item under the cursor stay."""
        if recent is not None:
            self._recent = {key: rank for rank, key in enumerate(recent)}
        self._items = list(items)
        self._hits = self._found(self._query, self._items)
        if self.is_mounted:
            self._show_hits(self._list.cursor_key)

    @property
    def highlighted_item(self) -> PickerItem | None:
        hit = self._list.cursor_row
        return None if hit is None or hit.heading else hit.item

    @property
    def hit_count(self) -> int:
        return len(self._hits)

    def _found(self, query: FuzzyQuery, items: Iterable[PickerItem]) -> list[_Hit]:
        recent, last = self._recent, len(self._recent)
        found = []
        for order, item in enumerate(items):
            if (match := query.match(item.candidate)) is not None:
                rank = recent.get(item.id, last)
                found.append((-match.score, rank, order, _Hit(item, match.positions)))
        return [hit for *_, hit in sorted(found, key=lambda each: each[:3])]

    def _with_headings(self) -> list[_Hit]:
        """The hits, with a heading above each section while nothing is typed."""
        if self._query or not any(hit.item.section for hit in self._hits):
            return self._hits
        rows: list[_Hit] = []
        last = ""
        for hit in self._hits:
            section = RECENT if hit.item.id in self._recent else hit.item.section
            if section != last:
                rows.append(hit._replace(heading=section))
            rows.append(hit)
            last = section
        return rows

    def _count(self) -> str:
        hits, everything = f"{len(self._hits):,}", f"{len(self._items):,}"
        return everything if hits == everything else f"{hits} of {everything}"

    def _show_hits(self, cursor: str | None = None) -> None:
        first = self._hits[0].item.id if self._hits else None
        widths = (width(plain(hit.item.title)) for hit in self._hits if hit.item.note)
        self._list.title_cells = min(WIDEST_TITLE, max(widths, default=0))
        self._list.show(self._with_headings(), cursor=cursor or first)
        self.query_one("#picker-count", Static).update(Content(self._count()))
        self.query_one("#picker-help").display = any(item.help for item in self._items)
        self._show_help()

    def _show_help(self) -> None:
        item = self.highlighted_item
        text = plain(item.help) if item is not None else ""
        help_line = self.query_one("#picker-help", Static)
        cells = max(0, help_line.content_size.width or self.size.width - 4)
        help_line.update(Content(cut(text, cells)), layout=False)

    def focus(self, scroll_visible: bool = True) -> Picker:
        """Focus the input, which handles all keys."""
        if self.is_mounted:
            self._input.focus(scroll_visible)
        return self

    def on_resize(self) -> None:
        self._show_help()

    @on(Input.Changed, "#picker-input")
    def _filter(self, event: Input.Changed) -> None:
        event.stop()
        query = FuzzyQuery(event.value)
        items: Iterable[PickerItem] = self._items
        if query and self._query and query.narrows(self._query):
            # Search the previous matches only, in the order of the items.
            kept = {id(hit.item) for hit in self._hits}
            items = (item for item in self._items if id(item) in kept)
        self._hits = self._found(query, items)
        self._query = query
        self._show_hits()

    @on(Input.Submitted, "#picker-input")
    @on(PickerList.Chosen)
    def _choose(self, event: Message) -> None:
        event.stop()
        if (item := self.highlighted_item) is not None:
            self.post_message(self.Chosen(self, item))

    @on(PickerList.Highlighted)
    def _highlight(self, event: PickerList.Highlighted) -> None:
        event.stop()
        item = self.highlighted_item
        if item is not None and item.id == event.key:
            self._show_help()
            self.post_message(self.Highlighted(self, item))

    def action_move(self, step: int) -> None:
        self._list.action_move(step)

    def action_move_page(self, pages: float) -> None:
        self._list.action_move_page(pages)

    def action_move_first(self) -> None:
        self._list.move_to(0)

    def action_move_last(self) -> None:
        self._list.action_move_last()

    def action_cancel(self) -> None:
        self.post_message(self.Cancelled())
