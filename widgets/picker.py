"""Pick one of thousands by typing a few of its letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

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

from pwtui.widgets.fuzzy import Candidate, Query
from pwtui.widgets.row_list import Ink, RowList, sides
from pwtui.widgets.text import cut, plain, width
from pwtui.widgets.text_fields import LineField


@dataclass(frozen=True, slots=True)
class PickerItem:
    """Something to pick. Its texts may come from strangers."""

    id: str
    title: str
    group: str = ""
    help: str = ""
    keys: str = ""
    data: object = field(default=None, compare=False)


class _Entry:
    """An item with its texts made safe and prepared for matching."""

    __slots__ = ("candidate", "group", "item", "keys", "title")

    def __init__(self, item: PickerItem) -> None:
        self.item = item
        self.title = plain(item.title)
        self.group = plain(item.group)
        self.keys = plain(item.keys)
        # The group can be typed, too: "app close" finds what closes in the group "app".
        self.candidate = Candidate(f"{self.title} {self.group}")


@dataclass(frozen=True, slots=True)
class _Hit:
    entry: _Entry
    positions: tuple[int, ...] = ()


class PickerList(RowList[_Hit], can_focus=False):
    """The hits, best first."""

    CHOOSE_ON_CLICK = True
    EMPTY_TEXT = "nothing matches"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"picker--match", "picker--group", "picker--keys"}
    DEFAULT_CSS = """
    PickerList {
        & > .picker--match { color: $accent; text-style: bold; }
        & > .picker--group { color: $text-disabled; }
        & > .picker--keys { color: $text-secondary; }
    }
    """

    DEFAULT_CLASSES = "-active"

    def row_key(self, row: _Hit) -> str:
        return row.entry.item.id

    def draw(self, row: _Hit, line: int, cells: int, ink: Ink) -> list[Segment]:
        entry, at_cursor = row.entry, row is self.cursor_row
        groups = width(entry.group) + 1 if entry.group else 0
        keys = width(entry.keys) + 2 if entry.keys else 0
        if groups + keys + 16 > cells:
            groups = keys = 0
        lead = [Segment("▌ " if at_cursor else "  ", ink("list--accent"))]
        title = cut(entry.title, cells - 2 - groups - keys - 1)
        left = [*lead, *_marked(title, row.positions, 0, ink(), ink("picker--match"))]
        right: list[Segment] = []
        if keys:
            right.append(Segment(f"{entry.keys}  ", ink("picker--keys")))
        if groups:
            offset = len(entry.title) + 1
            styles = ink("picker--group"), ink("picker--match")
            right += [*_marked(entry.group, row.positions, offset, *styles), Segment(" ", ink())]
        return sides(left, right, cells, ink())


def _marked(
    text: str, positions: Sequence[int], offset: int, style: Style, mark: Style
) -> Iterable[Segment]:
    """The text in as few segments as its marked letters allow."""
    marked = {at - offset for at in positions}
    run = ""
    run_marked = False
    for at, letter in enumerate(text):
        if run and (at in marked) != run_marked:
            yield Segment(run, mark if run_marked else style)
            run = ""
        run_marked = at in marked
        run += letter
    yield Segment(run, mark if run_marked else style)


class Picker(Widget):
    """An input, the hits, and a line of help for the one under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,ctrl+p", "move(-1)", "Up", show=False, id="picker.up"),
        Binding("down,ctrl+n", "move(1)", "Down", show=False, id="picker.down"),
        Binding("pageup", "move_page(-1)", "Page up", show=False, id="picker.page-up"),
        Binding("pagedown", "move_page(1)", "Page down", show=False, id="picker.page-down"),
        Binding("ctrl+home", "move_first", "First", show=False, id="picker.first"),
        Binding("ctrl+end", "move_last", "Last", show=False, id="picker.last"),
        Binding("escape", "cancel", "Close", show=False, id="picker.cancel"),
    ]

    DEFAULT_CSS = """
    Picker {
        layout: vertical;
        height: 1fr;
        #picker-line { height: 1; padding: 0 1; }
        #picker-prompt { width: 2; color: $accent; text-style: bold; }
        #picker-input { width: 1fr; background: transparent; background-tint: transparent; }
        #picker-count { width: auto; color: $text-disabled; padding-left: 1; }
        PickerList { margin-top: 1; }
        #picker-help { height: 1; margin-top: 1; padding: 0 2; color: $foreground-muted; }
    }
    """

    class PickerMessage(Message):
        def __init__(self, picker: Picker) -> None:
            super().__init__()
            self.picker = picker

        @property
        def control(self) -> Picker:
            return self.picker

    class Highlighted(PickerMessage):
        """The cursor is on another item."""

        def __init__(self, picker: Picker, item: PickerItem) -> None:
            super().__init__(picker)
            self.item = item

    class Chosen(PickerMessage):
        """An item was chosen."""

        def __init__(self, picker: Picker, item: PickerItem) -> None:
            super().__init__(picker)
            self.item = item

    class Cancelled(PickerMessage):
        """The user left without choosing."""

    def __init__(
        self,
        items: Iterable[PickerItem] = (),
        *,
        recent: Iterable[str] = (),
        placeholder: str = "",
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._placeholder = plain(placeholder)
        self._recent = {key: rank for rank, key in enumerate(recent)}
        self._entries = [_Entry(item) for item in items]
        self._query = Query("")
        self._hits = self._found(self._query, self._entries)

    def compose(self) -> ComposeResult:
        with Horizontal(id="picker-line"):
            yield Static(">", id="picker-prompt", markup=False)
            yield LineField(placeholder=self._placeholder, id="picker-input", compact=True)
            yield Static(self._count(), id="picker-count", markup=False)
        yield PickerList()
        yield Static("", id="picker-help", markup=False)

    def on_mount(self) -> None:
        self._show_hits()

    # Data ----------------------------------------------------------------------------------------

    def show_items(self, items: Iterable[PickerItem], recent: Iterable[str] | None = None) -> None:
        """Replace the items; what was typed and the item under the cursor stay."""
        if recent is not None:
            self._recent = {key: rank for rank, key in enumerate(recent)}
        self._entries = [_Entry(item) for item in items]
        self._hits = self._found(self._query, self._entries)
        if self.is_mounted:
            item = self.highlighted_item
            self._show_hits(None if item is None else item.id)

    @property
    def highlighted_item(self) -> PickerItem | None:
        hit = self.query_one(PickerList).cursor_row
        return None if hit is None else hit.entry.item

    @property
    def query_text(self) -> str:
        """What was typed."""
        return self.query_one("#picker-input", Input).value

    @query_text.setter
    def query_text(self, text: str) -> None:
        entry = self.query_one("#picker-input", Input)
        entry.value = text
        entry.cursor_position = len(text)

    @property
    def hit_count(self) -> int:
        return len(self._hits)

    def _found(self, query: Query, entries: Iterable[_Entry]) -> list[_Hit]:
        recent, last = self._recent, len(self._recent)
        if not query:
            everything = [_Hit(entry) for entry in entries]
            return sorted(everything, key=lambda hit: recent.get(hit.entry.item.id, last))
        found = []
        for order, entry in enumerate(entries):
            match = query.match(entry.candidate)
            if match is not None:
                rank = recent.get(entry.item.id, last)
                found.append((-match.score, rank, order, _Hit(entry, match.positions)))
        return [hit for *_, hit in sorted(found, key=lambda each: each[:3])]

    def _count(self) -> str:
        hits, everything = f"{len(self._hits):,}", f"{len(self._entries):,}"
        return everything if hits == everything else f"{hits} of {everything}"

    def _show_hits(self, cursor: str | None = None) -> None:
        rows = self.query_one(PickerList)
        first = self._hits[0].entry.item.id if self._hits else None
        rows.show(self._hits, cursor=cursor or first)
        self.query_one("#picker-count", Static).update(Content(self._count()))
        self._show_help()

    def _show_help(self) -> None:
        item = self.highlighted_item
        text = plain(item.help) if item is not None else ""
        help_line = self.query_one("#picker-help", Static)
        cells = max(0, help_line.content_size.width or self.size.width - 4)
        help_line.update(Content(cut(text, cells)), layout=False)

    # What happens --------------------------------------------------------------------------------

    def focus(self, scroll_visible: bool = True) -> Picker:
        """The keys always go to the input."""
        if self.is_mounted:
            self.query_one("#picker-input", Input).focus(scroll_visible)
        return self

    def on_resize(self) -> None:
        self._show_help()

    @on(Input.Changed, "#picker-input")
    def _filter(self, event: Input.Changed) -> None:
        event.stop()
        query = Query(event.value)
        if query and self._query and query.narrows(self._query):
            # The order of the items decides between equals: keep it while narrowing.
            kept = {id(hit.entry) for hit in self._hits}
            entries: Iterable[_Entry] = (each for each in self._entries if id(each) in kept)
        else:
            entries = self._entries
        self._hits = self._found(query, entries)
        self._query = query
        self._show_hits()

    @on(Input.Submitted, "#picker-input")
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        self._choose()

    @on(PickerList.Chosen)
    def _choose_clicked(self, event: PickerList.Chosen) -> None:
        event.stop()
        self._choose()

    @on(PickerList.Highlighted)
    def _highlight(self, event: PickerList.Highlighted) -> None:
        event.stop()
        item = self.highlighted_item
        if item is not None and item.id == event.key:
            self._show_help()
            self.post_message(self.Highlighted(self, item))

    def _choose(self) -> None:
        item = self.highlighted_item
        if item is not None:
            self.post_message(self.Chosen(self, item))

    def action_move(self, step: int) -> None:
        self.query_one(PickerList).action_move(step)

    def action_move_page(self, direction: int) -> None:
        self.query_one(PickerList).action_move_page(direction)

    def action_move_first(self) -> None:
        self.query_one(PickerList).action_move_first()

    def action_move_last(self) -> None:
        self.query_one(PickerList).action_move_last()

    def action_cancel(self) -> None:
        self.post_message(self.Cancelled(self))
