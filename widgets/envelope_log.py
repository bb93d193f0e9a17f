"""The log: one line per request."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from pwtui.widgets.log_entry import LogEntry
from pwtui.widgets.log_filter import LogFilter
from pwtui.widgets.log_line import columns_for, joined, line_cells
from pwtui.widgets.log_order import ORDERS
from pwtui.widgets.log_store import LogStore
from pwtui.widgets.virtual_list import VirtualList, mark

FLUSH_SECONDS = 1 / 10
TICK_SECONDS = 0.2
_SEARCHED = 5000  # rows; a filter finds more


class EnvelopeLog(VirtualList):
    """Shows a log store and follows its end until the user scrolls back.

    Changes of the store are shown at most every FLUSH_SECONDS.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "detail", id="list.choose"),
        Binding("r", "run_again", "run again", id="log.run-again"),
        Binding("e", "edit", "edit and run", id="log.edit"),
        Binding("f", "follow", "follow", id="log.follow"),
        Binding("exclamation_mark", "errors_only", "errors only", key_display="!", id="log.errors"),
        Binding("space", "select", "select", id="log.select"),
        Binding("m", "mark", "mark", id="log.mark"),
        Binding(
            "w",
            "fold",
            "repeats",
            show=False,
            id="log.fold",
            tooltip="show equal neighbours in one row, or each in its own",
        ),
        Binding("a", "everywhere", "all workspaces", show=False, id="log.everywhere"),
        Binding("y", "copy", "copy", id="list.copy"),
        Binding("o", "sort", "sort", show=False, id="list.sort", tooltip="sort by the next column"),
        Binding("O", "reverse", "reverse", show=False, id="list.reverse"),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {"log--pill"}

    DEFAULT_CSS = """
    EnvelopeLog {
        overflow-y: scroll;
        & > .log--pill { background: $accent; color: auto; text-style: bold; }
    }
    """

    @dataclass
    class EntryMessage(VirtualList.ListMessage):
        """A message about an entry."""

        entry: LogEntry

    class EntryHighlighted(EntryMessage):
        """The cursor moved to an entry, or its entry got a response."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, type(self)) and message.control is self.control

    class EntryOpened(EntryMessage):
        """The user wants to see the detail of an entry."""

    class RunAgainRequested(EntryMessage):
        """The user wants to send the request again."""

    class EditRequested(EntryMessage):
        """The user wants to edit the request and send it."""

    @dataclass
    class SelectionChanged(VirtualList.ListMessage):
        """The user selected or deselected entries."""

        seqs: tuple[int, ...]

    @dataclass
    class FollowChanged(VirtualList.ListMessage):
        """The log started or stopped following its end."""

        following: bool

    def __init__(
        self,
        store: LogStore,
        *,
        clock: Callable[[], float] = time.time,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.store = store
        self.following = True
        self.keeps_top = False
        """The rows were sorted, and the cursor has not moved since: it stays in the first one."""
        self._log_clock = clock
        self._log_flush_timer: Timer | None = None
        self._log_flushed_at = 0.0
        self._log_tick_timer: Timer | None = None
        self._log_settling = False
        self._log_seen = 0  # entries from this position on are new to the user
        self._log_top = 0  # the position of the first entry on the screen
        self._log_position = 0  # of the entry under the cursor
        self._log_highlighted: tuple[LogEntry, int] | None = None
        self._log_drawn_rows = 0
        self._log_first_row = 0  # of the entries that are not earlier ones
        self._log_selected = 0
        self._log_counts: tuple[int, int, str] | None = (0, 0, "")
        self._log_columns = (False, False)  # whether there are several clients, and profiles
        self._log_filter_text = ""
        self._log_errors_only = False
        self._log_search = LogFilter()

    @property
    def row_count(self) -> int:
        return self.store.rows

    @property
    def cursor_entry(self) -> LogEntry | None:
        return self.store.at(self.cursor) if self.cursor < self.store.rows else None

    @property
    def new_count(self) -> int:
        """How many entries arrived since the user left the end."""
        if self.following or self.store.is_sorted:
            return 0
        return self.store.rows - self.store.row_of(self._log_seen)

    def summary(self) -> str:
        """The counts for a title: `12 of 122 · 1 error · 2 running · 500 dropped`."""
        store, earlier = self.store, self.store.earlier
        total = store.total
        parts = [f"{total:,} request{'' if total == 1 else 's'}"]
        if store.filter:
            parts = [f"{store.shown_count:,} of {total:,}"]
        if earlier.total or earlier.is_reading:
            parts.append(f"{earlier.total:,}{'…' if earlier.is_reading else ''} earlier")
        if store.everywhere:
            parts.append("all workspaces")
        if self._log_errors_only:
            parts.append("errors only")
        elif store.errors:
            parts.append(f"{store.errors:,} error{'' if store.errors == 1 else 's'}")
        counts = (store.pending, "running"), (len(store.selected), "selected")
        counted = [*counts, (store.dropped if not earlier.total else 0, "dropped")]
        parts += [f"{count:,} {what}" for count, what in counted if count]
        if store.is_sorted:
            parts.append(f"by {store.order or 'time'}{' reversed' if store.is_reversed else ''}")
        problems = [store.filter.problem, self._log_search.problem]
        return " · ".join([*filter(None, problems), *parts])

    def on_mount(self) -> None:
        self.store.on_change = self._flush_soon
        self._log_tick_timer = self.set_interval(TICK_SECONDS, self._tick, pause=True)
        self.flush()

    def on_unmount(self) -> None:
        self.store.on_change = None
        self._log_flush_timer = None

    def _flush_soon(self) -> None:
        if self._log_flush_timer is None:
            wait = self._log_flushed_at + FLUSH_SECONDS - time.monotonic()
            self._log_flush_timer = self.set_timer(max(0.001, wait), self.flush)

    def flush(self) -> None:
        """Show what changed in the store."""
        if self._log_flush_timer is not None:
            self._log_flush_timer.stop()
            self._log_flush_timer = None
        self._log_flushed_at = time.monotonic()
        self.store.trim()
        self._see_columns()
        self._settle(self.store.take_changes())
        if len(self.store.selected) != self._log_selected:
            self._selection_changed()

    def _see_columns(self) -> None:
        """Show clients and profiles as soon as there are several."""
        people = self.store.people | self.store.earlier.people
        clients, profiles = ({each[part] for each in people} - {"", "browser"} for part in (0, 1))
        columns = (len(clients) > 1, len(profiles) > 1 or self.store.everywhere)
        if columns != self._log_columns:
            self._log_columns = columns
            self.forget_strips()
            self.refresh()

    def _settle(self, changed: Iterable[int] | None = None) -> None:
        """Restore scroll and cursor by their positions and redraw what changed."""
        store, rows = self.store, self.store.rows
        before = (self.scroll_offset.y, self.cursor)
        self._log_settling = True
        try:
            self.fit()
            if self.following:
                self._list_cursor = max(0, rows - 1)
                self.scroll_to(y=self.max_scroll_y)
            elif self.keeps_top:
                self._list_cursor = 0
                self.scroll_to(y=0)
            else:
                self._list_cursor = max(0, min(store.row_of(self._log_position), rows - 1))
                self.scroll_to(y=store.row_of(self._log_top))
                self._note_seen()
        finally:
            self._log_settling = False
        self._log_position = store.position_at(self.cursor) if rows else store.end
        self._note_top()
        bottom = self.scroll_offset.y + self.view_height
        is_still = changed is not None and before == (self.scroll_offset.y, self.cursor)
        is_still = is_still and not store.is_sorted and self.store.row_of(0) == self._log_first_row
        self._log_first_row = self.store.row_of(0)
        if not is_still or store.filter or self._log_drawn_rows < bottom:
            self.refresh()
        else:
            for row in {store.row_of(place) for place in changed or ()} & {*self.visible_rows()}:
                self.refresh_row(row)
            self.refresh_lines(bottom - 1)  # the button that scrolls to the end
        self._log_drawn_rows = rows
        if self._log_tick_timer is not None:
            (self._log_tick_timer.resume if store.pending else self._log_tick_timer.pause)()
        counts = (rows, len(store), store.filter.problem)
        if counts != self._log_counts:
            self._log_counts = counts
            self.post_message(self.FilterChanged(self, *counts))
        self._entry_highlighted()

    def refit(self) -> None:
        self._settle()

    def _tick(self) -> None:
        """Redraw the running time of the visible pending entries."""
        for row in self.visible_rows():
            if self.store.at(row).pending:
                self.refresh_row(row)

    def _entry_highlighted(self) -> None:
        entry = self.cursor_entry
        highlighted = None if entry is None else (entry, entry.version)
        if entry is not None and highlighted != self._log_highlighted:
            self.post_message(self.EntryHighlighted(self, entry))
        self._log_highlighted = highlighted

    def _set_following(self, following: bool) -> None:
        if following != self.following:
            self.following = following
            self._log_seen = self.store.end
            self.post_message(self.FollowChanged(self, following))
            self.refresh()

    def move_to(self, row: int) -> None:
        if row < self.store.rows - 1:
            self._set_following(False)
        self.keeps_top = False
        super().move_to(row)

    def cursor_moved(self) -> None:
        self._log_position = self.store.position_at(self.cursor)
        self._entry_highlighted()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self._log_settling:
            return
        self._note_top()
        self.keeps_top = self.keeps_top and new_value == 0
        if round(new_value) < min(round(old_value), self.max_scroll_y):
            self._set_following(False)
        elif not self.following:
            self._note_seen()

    def _note_top(self) -> None:
        top = self.scroll_offset.y
        self._log_top = self.store.position_at(top) if top < self.store.rows else 0

    def _note_seen(self) -> None:
        if (visible := self.visible_rows()) and not self.store.is_sorted:
            last = self.store.position_at(visible[-1])
            self._log_seen = max(self._log_seen, last + 1)

    def action_move_last(self) -> None:
        if self.store.is_sorted:
            super().action_move_last()
            return
        self._set_following(True)
        self._settle()

    def stay(self) -> None:
        """Keep the cursor on its entry when others arrive."""
        self._set_following(False)

    def action_follow(self) -> None:
        if self.following:
            self._set_following(False)
        else:
            self.sort("", is_reversed=False)
            self.action_move_last()

    def action_sort(self) -> None:
        orders = ["", *ORDERS]
        now = orders.index(self.store.order)
        self.sort(orders[(now + 1) % len(orders)], is_reversed=self.store.is_reversed)

    def action_reverse(self) -> None:
        self.sort(self.store.order, is_reversed=not self.store.is_reversed)

    def sort(self, order: str, *, is_reversed: bool) -> None:
        """Show the entries by a column; by time from the newest on, if it is reversed."""
        store = self.store
        if (order, is_reversed) == (store.order, store.is_reversed):
            return
        store.sort(order, is_reversed=is_reversed)
        self.keeps_top = store.is_sorted and (self.following or self.keeps_top)
        if store.is_sorted:
            self._set_following(False)
        self._narrowed()

    @property
    def filter_text(self) -> str:
        """The query with all that narrows the log."""
        return ("is:error " if self._log_errors_only else "") + self._log_filter_text

    def filter(self, text: str) -> None:
        """Show only what matches the query (see `protocol/query.py`)."""
        self._log_filter_text = text
        self._narrow()

    def action_errors_only(self) -> None:
        self._log_errors_only = not self._log_errors_only
        self._narrow()

    def _narrow(self) -> None:
        self.flush()
        self.store.narrow(self.filter_text)
        self._narrowed()

    def _narrowed(self) -> None:
        store = self.store
        self._see_columns()
        offset = max(0, self.cursor - self.scroll_offset.y)
        self._log_counts = None
        # Keep the cursor on its entry, and the entry at its place on the screen.
        top = max(0, store.row_of(self._log_position) - offset)
        self._log_top = store.position_at(top) if top < store.rows else 0
        self._settle()

    def action_fold(self) -> None:
        self.store.fold(not self.store.folds)
        self._narrowed()

    def action_everywhere(self) -> None:
        self.store.show_everywhere(not self.store.everywhere)
        self._narrowed()

    def search(self, text: str) -> None:
        self._log_search = LogFilter(text)
        super().search(text if self._log_search else "")

    def action_search(self, step: int) -> None:
        if self.row_count > _SEARCHED:  # to read all earlier entries would take too long
            for distance in range(1, _SEARCHED):
                row = self.cursor + step * distance
                if 0 <= row < self.row_count and self.search_text and self.row_matches(row):
                    self.move_to(row)
                    return
            self.post_message(self.SearchMissed(self, self.search_text))
        else:
            super().action_search(step)

    def row_matches(self, row: int) -> bool:
        entry = self.store.at(row)
        return not entry.is_rule and self._log_search.matches(entry)

    def action_choose(self) -> None:
        self._post_about_cursor(self.EntryOpened)

    def action_run_again(self) -> None:
        self._post_about_cursor(self.RunAgainRequested)

    def action_edit(self) -> None:
        self._post_about_cursor(self.EditRequested)

    def _post_about_cursor(self, message: type[EntryMessage]) -> None:
        if (entry := self.cursor_entry) is not None and not entry.is_rule:
            self.post_message(message(self, entry))

    def copied_text(self) -> str | None:
        entry = self.cursor_entry
        return None if entry is None else json.dumps(entry.request, ensure_ascii=False)

    def whole_text(self) -> str:
        """The entries that are shown as NDJSON."""
        return "\n".join(
            json.dumps({"request": each.request, "response": each.response}, ensure_ascii=False)
            for each in self.store.shown()
        )

    def action_mark(self) -> None:
        """Mark a request, to compare it; the history has no page for what is none."""
        if (entry := self.cursor_entry) is not None and not entry.is_event:
            self.store.mark(entry)
            self._settle()

    def action_select(self) -> None:
        if (entry := self.cursor_entry) is not None:
            self.store.selected ^= {entry.seq}
            self.refresh_row(self.cursor)
            self._selection_changed()

    def _selection_changed(self) -> None:
        self._log_selected = len(self.store.selected)
        self.post_message(self.SelectionChanged(self, tuple(sorted(self.store.selected))))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or offset.y != self.view_height - 1:
            return
        start, text = self._pill()
        if start <= offset.x < start + len(text):
            event.prevent_default()
            self.action_move_last()

    def row_clicked(self, row: int, event: events.Click, *, again: bool) -> None:
        if event.chain == 2:
            self.action_choose()

    def strip_key(self, row: int) -> Hashable | None:
        entry = self.store.at(row)
        if entry.pending:
            return None
        is_selected = entry.seq in self.store.selected
        group = self.store.group_at(row)
        return entry.seq, entry.version, is_selected, entry.mark, entry.recorded, group

    def draw_row(self, row: int, line: int) -> Strip:
        entry, ground = self.store.at(row), self.ground(row)
        if entry.is_rule:
            rule = f" {entry.target} ".center(self.view_width, "─")
            return Strip([Segment(rule, self.ink("list--faint", *ground))])
        columns = columns_for(self.view_width, *self._log_columns)
        cells = line_cells(entry, self.store.group_at(row), columns, self._log_clock())
        parts = joined([*self._gutter(entry, row == self.cursor), *cells])
        segments = [
            Segment(text, self.ink(*ground, name) if name else self.ink(*ground))
            for text, name in parts
        ]
        if self.search_text and self._log_search.matches(entry):
            highlight = self._log_search.query.highlight
            segments = mark(segments, highlight, self.ink("list--match"))
        return Strip(segments).adjust_cell_length(self.view_width, self.ink(*ground))

    def _gutter(self, entry: LogEntry, at_cursor: bool) -> list[tuple[str, str]]:
        is_selected = entry.seq in self.store.selected
        bar = "▌" if at_cursor else " "
        tag = {(True, False): "■", (False, True): "◆", (True, True): "◈"}.get(
            (is_selected, entry.mark), " "
        )
        if entry.pending:
            sign = ("◐", "list--busy")
        elif entry.is_event and entry.ok and entry.duration_ms is None:
            sign = ("⚠", "list--busy")
        else:
            sign = ("✗", "list--bad") if entry.failed else ("✓", "list--good")
        return [(bar, "list--pointer"), sign, (f"{tag} ", "list--accent")]

    def nothing_shown(self) -> str:
        if self.store.earlier.is_reading:
            return "Searching the history…"
        if len(self.store) or self.store.filter:
            return "No requests match the filter."
        return "No requests yet. The requests of all clients appear here."

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        if y == self.view_height - 1:
            start, text = self._pill()
            if text:
                pill = Strip([Segment(text, self.ink("log--pill"))])
                rest = strip.crop(start + len(text), self.view_width)
                strip = Strip.join([strip.crop(0, start), pill, rest])
        return strip

    def _pill(self) -> tuple[int, str]:
        """The column and the text of the button that scrolls to the end."""
        text = f" +{self.new_count:,} new ↓ " if self.new_count else ""
        return max(0, (self.view_width - len(text)) // 2), text[: self.view_width]
