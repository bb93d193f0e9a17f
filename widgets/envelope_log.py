"""Every request and response that passes, one line each."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from pwtui.widgets.log_entries import (
    Filter,
    LogEntry,
    LogStore,
    clock_time,
    milliseconds,
    parse_filter,
)
from pwtui.widgets.text import cut, fit, plain
from pwtui.widgets.virtual_lines import VirtualLines, occurrences, overlay

FLUSH_SECONDS = 1 / 10
TICK_SECONDS = 0.2
_GUTTER = 4  # selected or cursor, sign, mark, space
_OUTCOME = 18  # the longest error code
_MESSAGE = 10  # less of an error message tells nothing


class EnvelopeLog(VirtualLines):
    """A bounded log that follows its end until somebody looks back.

    `add` and `finish` only queue; what is queued is shown every FLUSH_SECONDS at most. The seq
    of an entry identifies it, so its owner gives numbers that stay unique when the daemon restarts.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="log.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="log.down"),
        Binding("pageup", "move_page(-1)", "Page up", show=False, id="log.page-up"),
        Binding("pagedown", "move_page(1)", "Page down", show=False, id="log.page-down"),
        Binding("ctrl+u", "move_page(-0.5)", "Half a page up", show=False, id="log.half-up"),
        Binding("ctrl+d", "move_page(0.5)", "Half a page down", show=False, id="log.half-down"),
        Binding("home,g", "move_first", "Oldest", show=False, id="log.first"),
        Binding("end,G", "move_last", "Newest, and follow", show=False, id="log.last"),
        Binding("enter", "open", "Detail", id="log.open"),
        Binding("r", "run_again", "Run again", id="log.run-again"),
        Binding("e", "edit", "Edit and run", id="log.edit"),
        Binding("f", "follow", "Follow", id="log.follow"),
        Binding("exclamation_mark", "errors_only", "Errors only", key_display="!", id="log.errors"),
        Binding("space", "select", "Select", id="log.select"),
        Binding("m", "mark", "Mark", id="log.mark"),
        Binding("y", "copy", "Copy", id="log.copy"),
        Binding("n", "search(1)", "Next match", show=False, id="log.match-next"),
        Binding("N", "search(-1)", "Previous match", show=False, id="log.match-previous"),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "log--muted",
        "log--faint",
        "log--op",
        "log--ok",
        "log--error",
        "log--running",
        "log--slow",
        "log--mark",
        "log--recorded",
        "log--selected",
        "log--match",
        "log--cursor",
        "log--pill",
    }

    DEFAULT_CSS = """
    EnvelopeLog {
        overflow-y: scroll;
        & > .log--muted { color: $foreground 75%; }
        & > .log--faint { color: $foreground 50%; }
        & > .log--op { text-style: bold; }
        & > .log--ok { color: $text-success; }
        & > .log--error { color: $text-error; }
        & > .log--running { color: $text-warning; }
        & > .log--slow { color: $text-warning; }
        & > .log--mark { color: $text-accent; }
        & > .log--recorded { color: $text-error; }
        & > .log--selected { color: $text-accent; text-style: bold; }
        & > .log--match { background: $warning 35%; text-style: bold; }
        & > .log--cursor { background: $block-cursor-blurred-background; }
        & > .log--pill { background: $accent; color: auto; text-style: bold; }
        &:focus > .log--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
        }
        &:nocolor > .log--error { color: $foreground; text-style: bold; }
    }
    """

    class EntryMessage(Message):
        """Something happened to an entry."""

        def __init__(self, envelope_log: EnvelopeLog, entry: LogEntry) -> None:
            super().__init__()
            self.envelope_log = envelope_log
            self.entry = entry

        @property
        def control(self) -> EnvelopeLog:
            return self.envelope_log

    class EntryHighlighted(EntryMessage):
        """The cursor came to an entry, or the entry under it got its response."""

        def can_replace(self, message: Message) -> bool:
            other = isinstance(message, EnvelopeLog.EntryHighlighted)
            return other and message.control is self.control

    class EntryOpened(EntryMessage):
        """The detail of an entry was asked for."""

    class RunAgainRequested(EntryMessage):
        """The request was asked to be sent once more."""

    class EditRequested(EntryMessage):
        """The request was asked to be changed and then sent."""

    class CopyRequested(EntryMessage):
        """The entry was asked to be copied."""

    class LogMessage(Message):
        """Something happened to the log."""

        def __init__(self, envelope_log: EnvelopeLog) -> None:
            super().__init__()
            self.envelope_log = envelope_log

        @property
        def control(self) -> EnvelopeLog:
            return self.envelope_log

    class SelectionChanged(LogMessage):
        """Other entries than before are selected."""

        def __init__(self, envelope_log: EnvelopeLog, seqs: tuple[int, ...]) -> None:
            super().__init__(envelope_log)
            self.seqs = seqs

    class FollowChanged(LogMessage):
        """The log began to follow its end, or left it."""

        def __init__(self, envelope_log: EnvelopeLog, following: bool) -> None:
            super().__init__(envelope_log)
            self.following = following

    class FilterChanged(LogMessage):
        """There is another filter, or another number of entries that pass it."""

        def __init__(self, envelope_log: EnvelopeLog, shown: int, total: int, problem: str) -> None:
            super().__init__(envelope_log)
            self.shown = shown
            self.total = total
            self.problem = problem

        def can_replace(self, message: Message) -> bool:
            other = isinstance(message, EnvelopeLog.FilterChanged)
            return other and message.control is self.control

    class SearchMissed(LogMessage):
        """Nothing that is shown matches the search."""

        def __init__(self, envelope_log: EnvelopeLog, text: str) -> None:
            super().__init__(envelope_log)
            self.text = text

    def __init__(
        self,
        *,
        cap: int = 100_000,
        clock: Callable[[], float] = time.time,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._log_store = LogStore(cap)
        self._log_clock = clock
        self._log_queue: list[LogEntry] = []
        self._log_finished: list[LogEntry] = []
        self._log_flush_timer: Timer | None = None
        self._log_flushed_at = 0.0
        self._log_tick_timer: Timer | None = None
        self._log_following = True
        self._log_settling = False
        self._log_seen = 0  # entries from this position on are new to the reader
        self._log_position = 0  # of the entry under the cursor
        self._log_told: tuple[LogEntry, int] | None = None
        self._log_drawn_rows = 0
        self._log_counts: tuple[int, int, str] | None = (0, 0, "")
        self._log_filter_text = ""
        self._log_errors_only = False
        self._log_search = Filter()

    # What the owner says and asks ----------------------------------------------------------------

    def add(self, entries: Iterable[LogEntry]) -> None:
        """Append entries. One whose seq is known already takes the place of the old one."""
        self._log_queue.extend(entries)
        self._flush_soon()

    def finish(self, answered: LogEntry) -> None:
        """Give the entry of the same seq its answer.

        A seq that is not known (any more) is ignored; `add(answered)` would show it.
        """
        self._log_finished.append(answered)
        self._flush_soon()

    def clear(self) -> None:
        """Forget all entries; the filter stays."""
        self._log_queue.clear()
        self._log_finished.clear()
        had_selected = bool(self._log_store.selected)
        self._log_store.clear()
        self._log_seen = self._log_position = 0
        self._log_told = None
        self.forget_strips()
        self._settle(0)
        if had_selected:
            self._tell_selection()
        self._set_following(True)

    def filter(self, text: str) -> None:
        """Show only what matches: words, `op:` `profile:` `client:` `is:` `re:`, `!` inverse."""
        self._log_filter_text = text
        self._narrow()

    @property
    def search_text(self) -> str:
        return self._log_search.text

    def search(self, text: str) -> None:
        """Mark what matches, and go to the first match from the cursor on."""
        self._log_search = parse_filter(text)
        self.forget_strips()
        self.refresh()
        store = self._log_store
        if self._log_search and not (
            store.rows and self._log_search.matches(store.at(self.cursor_line))
        ):
            self.action_search(1)

    def entries(self) -> list[LogEntry]:
        """All entries, the oldest first."""
        self.flush()
        return list(self._log_store.entries)

    def filtered(self) -> list[LogEntry]:
        """The entries that pass the filter."""
        self.flush()
        return self._log_store.shown()

    def selected(self) -> list[LogEntry]:
        """The selected entries, the oldest first."""
        self.flush()
        chosen = self._log_store.selected
        return [entry for entry in self._log_store.entries if entry.seq in chosen]

    def select(self, seqs: Iterable[int]) -> None:
        """Select these entries and no others."""
        self.flush()
        store = self._log_store
        store.selected = {seq for seq in seqs if store.known(seq) is not None}
        self._tell_selection()
        self.refresh()

    @property
    def cursor_entry(self) -> LogEntry | None:
        store = self._log_store
        return store.at(self.cursor_line) if self.cursor_line < store.rows else None

    @property
    def following(self) -> bool:
        return self._log_following

    @property
    def new_count(self) -> int:
        """How many entries came since the reader looked at the end."""
        store = self._log_store
        return 0 if self._log_following else store.rows - store.row_of(self._log_seen)

    def summary(self) -> str:
        """What the log holds, for a title: 12 of 122 · 1 error · 2 running · 500 dropped."""
        store = self._log_store
        total, shown = len(store), store.rows
        parts = [f"{total:,} request{'' if total == 1 else 's'}"]
        if store.filter:
            parts = [f"{shown:,} of {total:,}"]
        if self._log_errors_only:
            parts.append("errors only")
        elif store.errors:
            parts.append(f"{store.errors:,} error{'' if store.errors == 1 else 's'}")
        if store.pending:
            parts.append(f"{store.pending:,} running")
        if store.selected:
            parts.append(f"{len(store.selected):,} selected")
        if store.dropped:
            parts.append(f"{store.dropped:,} dropped")
        problems = [store.filter.problem, self._log_search.problem]
        return " · ".join([*filter(None, problems), *parts])

    # Flushing ------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self._log_tick_timer = self.set_interval(TICK_SECONDS, self._tick, pause=True)
        self.flush()

    def on_unmount(self) -> None:
        self._log_flush_timer = None

    def _flush_soon(self) -> None:
        if self._log_flush_timer is None and self.is_mounted:
            wait = self._log_flushed_at + FLUSH_SECONDS - time.monotonic()
            self._log_flush_timer = self.set_timer(max(0.001, wait), self.flush)

    def flush(self) -> None:
        """Show what was queued."""
        if self._log_flush_timer is not None:
            self._log_flush_timer.stop()
            self._log_flush_timer = None
        self._log_flushed_at = time.monotonic()
        added, self._log_queue = self._log_queue, []
        finished, self._log_finished = self._log_finished, []
        if not added and not finished:
            return
        store = self._log_store
        top, selected = self._top_position(), len(store.selected)
        changed = store.add(added)
        changed += [position for entry in finished if (position := store.finish(entry)) is not None]
        store.trim()
        self._settle(top, changed)
        if len(store.selected) != selected:
            self._tell_selection()

    def _top_position(self) -> int:
        top = self.scroll_offset.y
        return self._log_store.position_at(top) if top < self._log_store.rows else 0

    def _settle(self, top: int, changed: Iterable[int] | None = None) -> None:
        """Find scroll and cursor again by their positions, and draw anew what is not as it was."""
        store, rows = self._log_store, self._log_store.rows
        before = (self.scroll_offset.y, self.cursor_line)
        self._log_settling = True
        try:
            self.fit()
            if self._log_following:
                self._line_cursor = max(0, rows - 1)
                self.scroll_to(y=self.max_scroll_y)
            else:
                self._line_cursor = max(0, min(store.row_of(self._log_position), rows - 1))
                self.scroll_to(y=store.row_of(top))
                self._note_seen()
        finally:
            self._log_settling = False
        self._log_position = store.position_at(self._line_cursor) if rows else store.end
        bottom = self.scroll_offset.y + self.view_height
        is_still = changed is not None and before == (self.scroll_offset.y, self.cursor_line)
        if not is_still or store.filter or self._log_drawn_rows < bottom:
            self.refresh()
        else:
            lines = {store.row_of(position) for position in changed or ()} & {*self.visible_lines()}
            for line in lines:
                self.refresh_lines(line)
            self.refresh_lines(bottom - 1)  # the pill
        self._log_drawn_rows = rows
        if self._log_tick_timer is not None:
            (self._log_tick_timer.resume if store.pending else self._log_tick_timer.pause)()
        self._tell_counts()
        self._tell_cursor()

    def refit(self) -> None:
        self._settle(self._top_position())

    def _tick(self) -> None:
        """The time of what is running goes on, where it can be seen."""
        for line in self.visible_lines():
            if self._log_store.at(line).pending:
                self.refresh_lines(line)

    # Telling -------------------------------------------------------------------------------------

    def _tell_cursor(self) -> None:
        entry = self.cursor_entry
        told = None if entry is None else (entry, entry.version)
        if entry is not None and told != self._log_told:
            self.post_message(self.EntryHighlighted(self, entry))
        self._log_told = told

    def _tell_counts(self) -> None:
        store = self._log_store
        counts = (store.rows, len(store), store.filter.problem)
        if counts != self._log_counts:
            self._log_counts = counts
            self.post_message(self.FilterChanged(self, *counts))

    def _tell_selection(self) -> None:
        seqs = tuple(sorted(self._log_store.selected))
        self.post_message(self.SelectionChanged(self, seqs))

    # Following -----------------------------------------------------------------------------------

    def _set_following(self, following: bool) -> None:
        if following != self._log_following:
            self._log_following = following
            self._log_seen = self._log_store.end
            self.post_message(self.FollowChanged(self, following))
            self.refresh()

    def move_to(self, line: int) -> None:
        if line < self._log_store.rows - 1:
            self._set_following(False)
        super().move_to(line)

    def cursor_moved(self) -> None:
        self._log_position = self._log_store.position_at(self.cursor_line)
        self._tell_cursor()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self._log_settling:
            return
        if round(new_value) < min(round(old_value), self.max_scroll_y):
            self._set_following(False)
        elif not self._log_following:
            self._note_seen()

    def _note_seen(self) -> None:
        if visible := self.visible_lines():
            last = self._log_store.position_at(visible[-1])
            self._log_seen = max(self._log_seen, last + 1)

    def action_move_last(self) -> None:
        self._set_following(True)
        self._settle(0)

    def action_follow(self) -> None:
        if self._log_following:
            self._set_following(False)
        else:
            self.action_move_last()

    # Filter and search ---------------------------------------------------------------------------

    def _narrow(self) -> None:
        self.flush()
        store = self._log_store
        offset = max(0, self.cursor_line - self.scroll_offset.y)
        store.narrow(
            f"is:error {self._log_filter_text}" if self._log_errors_only else self._log_filter_text
        )
        self._log_counts = None
        # The cursor stays on its entry, and the entry stays where it is on the screen.
        top = max(0, store.row_of(self._log_position) - offset)
        self._settle(store.position_at(top) if top < store.rows else 0)

    def action_errors_only(self) -> None:
        self._log_errors_only = not self._log_errors_only
        self._narrow()

    def action_search(self, step: int) -> None:
        if not self._log_search:
            return
        found = self._log_store.find(self._log_search, self.cursor_line, step)
        if found is None:
            self.post_message(self.SearchMissed(self, self._log_search.text))
        else:
            self.move_to(found)

    # The entry under the cursor ------------------------------------------------------------------

    def action_open(self) -> None:
        self._post_about_cursor(self.EntryOpened)

    def action_run_again(self) -> None:
        self._post_about_cursor(self.RunAgainRequested)

    def action_edit(self) -> None:
        self._post_about_cursor(self.EditRequested)

    def action_copy(self) -> None:
        self._post_about_cursor(self.CopyRequested)

    def _post_about_cursor(self, message: type[EntryMessage]) -> None:
        if (entry := self.cursor_entry) is not None:
            self.post_message(message(self, entry))

    def action_mark(self) -> None:
        if (entry := self.cursor_entry) is not None:
            top = self._top_position()
            entry.mark = not entry.mark
            self._log_store.recheck(entry)
            self._settle(top)

    def action_select(self) -> None:
        if (entry := self.cursor_entry) is not None:
            self._log_store.selected ^= {entry.seq}
            self.refresh_lines(self.cursor_line)
            self._tell_selection()

    # Mouse ---------------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or offset.y != self.view_height - 1:
            return
        start, text = self._pill()
        if start <= offset.x < start + len(text):
            event.prevent_default()
            self.action_move_last()

    def line_clicked(self, line: int, event: events.Click) -> None:
        if event.chain == 2:
            self.action_open()

    # Drawing -------------------------------------------------------------------------------------

    def count_lines(self) -> int:
        return self._log_store.rows

    def strip_key(self, line: int) -> Hashable | None:
        entry = self._log_store.at(line)
        if entry.pending:
            return None
        at_cursor, selected = line == self.cursor_line, entry.seq in self._log_store.selected
        return entry.seq, entry.version, at_cursor, selected, entry.mark, entry.recorded

    def draw_line(self, line: int) -> Strip:
        entry, at_cursor = self._log_store.at(line), line == self.cursor_line
        ground = ("log--cursor",) if at_cursor else ()
        parts = _joined([*self._gutter(entry, at_cursor), *self._cells(entry)])
        segments = [
            Segment(text, self.ink(name, *ground) if name else self.ink(*ground))
            for text, name in parts
        ]
        if self._log_search and self._log_search.matches(entry):
            text = "".join(segment.text for segment in segments)
            for word in self._log_search.words:
                for start, end in occurrences(text, word):
                    segments = overlay(segments, start, end, self.ink("log--match"))
        return Strip(segments).adjust_cell_length(self.view_width, self.ink(*ground))

    def _gutter(self, entry: LogEntry, at_cursor: bool) -> list[tuple[str, str]]:
        is_selected = entry.seq in self._log_store.selected
        bar = "▌" if is_selected else ">" if at_cursor else " "
        if entry.pending:
            sign = ("◐", "log--running")
        elif entry.is_event and entry.ok:
            sign = ("⚠", "log--slow")
        else:
            sign = ("✗", "log--error") if entry.failed else ("✓", "log--ok")
        return [(bar, "log--selected"), sign, ("◆ " if entry.mark else "  ", "log--mark")]

    def _cells(self, entry: LogEntry) -> list[tuple[str, str]]:
        columns = columns_for(self.view_width)
        if entry.pending:
            took = milliseconds(max(0.0, self._log_clock() - entry.time) * 1000)
            outcome, took_ink = "log--running", "log--running"
        else:
            took = "" if entry.duration_ms is None else milliseconds(entry.duration_ms)
            outcome = "log--error" if entry.failed else "log--muted"
            took_ink = "log--slow" if entry.slow else "log--faint"
        told = entry.outcome
        if entry.failed and columns.outcome < len(entry.code) + _MESSAGE:
            told = entry.code  # a word of the message would only cost the end of the code
        return [
            (_cell(clock_time(entry.time, fine=columns.time > 8), columns.time), "log--faint"),
            (_cell(entry.client, columns.client), "log--faint"),
            (_cell(entry.profile, columns.profile), "log--muted"),
            (_cell(entry.op, columns.op), "log--op"),
            (_cell(entry.target, columns.target), ""),
            (_cell(told, columns.outcome), outcome),
            (f"{took:>{columns.took}} ", took_ink),
            ("●" if entry.recorded else " ", "log--recorded"),
        ]

    def draw_below(self, y: int) -> Strip:
        if y or self._log_store.rows:
            return super().draw_below(y)
        if len(self._log_store):
            text = "  Nothing passes the filter."
        else:
            text = "  No requests yet. Whatever any client sends is shown here."
        return Strip([Segment(cut(text, self.view_width), self.ink("log--faint"))])

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
        """Where the pill that leads back to the end begins, and its text."""
        text = f" +{self.new_count:,} new ↓ " if self.new_count else ""
        return max(0, (self.view_width - len(text)) // 2), text[: self.view_width]


class Columns(NamedTuple):
    time: int
    client: int
    profile: int
    op: int
    target: int
    outcome: int
    took: int


@lru_cache(maxsize=64)
def columns_for(cells: int) -> Columns:
    """How many cells each column of a line gets; a column of none is left out."""
    if cells < 60:
        time, client, profile, op = 8, 0, 0, 10
    elif cells < 100:
        time, client, profile, op = 8, 7, 7, 10
    elif cells < 140:
        time, client, profile, op = 8, 10, 12, 14
    else:
        time, client, profile, op = 12, 14, 16, 16
    took = 7
    fixed = sum(column + 1 for column in (time, client, profile, op) if column)
    left = max(0, cells - _GUTTER - fixed - took - 4)
    outcome = min(left, max(_OUTCOME, left * 11 // 20))
    return Columns(time, client, profile, op, max(0, left - outcome), outcome, took)


def _joined(parts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The parts with their neighbours of the same ink: each one costs as much as a long one."""
    result: list[tuple[str, str]] = []
    for text, name in parts:
        if result and (name == result[-1][1] or not text.strip()):
            result[-1] = (result[-1][0] + text, result[-1][1])
        elif text:
            result.append((text, name))
    return result


def _cell(text: str, cells: int) -> str:
    return f"{fit(plain(text), cells)} " if cells else ""
