"""One request and its response, in foldable parts."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.timer import Timer

from pwtui.widgets.envelope_parts import INDENT, DetailPart, DetailRow, parts_of
from pwtui.widgets.json_lines import json_tokens
from pwtui.widgets.log_entry import LogEntry
from pwtui.widgets.text import plain
from pwtui.widgets.text_view import TextView, Tokens
from pwtui.widgets.virtual_list import VirtualList

TICK_SECONDS = 0.2
LARGE_SECONDS = 0.1


class EnvelopeDetail(TextView):
    """Shows one entry as a flat list of lines; each part is a range of them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "fold or open", id="list.choose"),
        Binding("space", "fold", "fold", show=False, id="detail.fold"),
        Binding("o", "open_artifact", "open file", id="detail.open-artifact"),
        Binding("y", "copy", "copy part", id="list.copy"),
        Binding(
            "left_parenthesis",
            "move_part(-1)",
            "previous part",
            show=False,
            key_display="(",
            id="detail.part-previous",
        ),
        Binding(
            "right_parenthesis",
            "move_part(1)",
            "next part",
            show=False,
            key_display=")",
            id="detail.part-next",
        ),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {"detail--title", "detail--artifact"}

    DEFAULT_CSS = """
    EnvelopeDetail {
        & > .detail--title { text-style: bold; color: $text-primary; }
        & > .detail--artifact { color: $text-accent; text-style: underline; }
    }
    """

    @dataclass
    class ArtifactOpened(VirtualList.ListMessage):
        """The user wants to open a file that the operation wrote."""

        path: str

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._detail_clock = clock
        self.entry: LogEntry | None = None
        self._detail_texts: tuple[bytes, bytes | None] | None = None
        self._detail_wire: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
        self._detail_parts: list[DetailPart] = []
        self._detail_starts: list[int] = []
        self._detail_count = 0
        self._detail_folded: set[str] = {"request", "inputs"}
        self._detail_tick: Timer | None = None
        self._detail_large: Timer | None = None

    def show(self, entry: LogEntry | None) -> None:
        """Show an entry. Showing the same entry again updates it and keeps the scroll position."""
        is_other = entry is not self.entry
        self.entry = entry
        if is_other:
            self._detail_parts = []
            self._list_cursor = 0
        self._rebuild()
        if is_other:
            self.scroll_to(x=0, y=0)

    def on_mount(self) -> None:
        self._detail_tick = self.set_interval(TICK_SECONDS, self._rebuild, pause=True)
        self._rebuild()

    def refit(self) -> None:
        self._rebuild()

    def _rebuild(self) -> None:
        """Make the parts again, reusing unchanged JSON, and keep the cursor at its place."""
        place = self._place()
        known = {part.name: part for part in self._detail_parts}
        entry = self.entry
        self._detail_parts = []
        if entry is not None:
            if entry.texts != self._detail_texts:
                self._detail_texts = entry.texts
                self._detail_wire = entry.request, entry.response or {}
            now = self._detail_clock()
            for part in parts_of(entry, *self._detail_wire, now, self._cells):
                old = known.get(part.name)
                is_same = old is not None and part.is_json and old.value is part.value
                self._detail_parts.append(old if old is not None and is_same else part)
        self._lay_out(place)
        if self._detail_tick is not None:
            is_pending = entry is not None and entry.pending
            (self._detail_tick.resume if is_pending else self._detail_tick.pause)()

    @property
    def _cells(self) -> int:
        """The width of the rows of a part."""
        return self.view_width - len(INDENT) - 1

    def _lay_out(self, place: tuple[str, int] | None) -> None:
        starts, at, columns, waits = [], 0, 0, False
        cells = self._cells
        for part in self._detail_parts:
            starts.append(at)
            at += part.has_title
            if part.name not in self._detail_folded:
                if part.is_large:
                    waits = True
                else:
                    part.build(cells)
                columns = max(columns, part.columns)
                at += (1 if part.rows is None else len(part.rows)) + 1
        self._detail_starts, self._detail_count, self._text_columns = starts, at, columns
        self.rows_changed(self._row_at_place(*place) if place is not None else self.cursor)
        if waits and self.is_mounted:
            if self._detail_large is not None:
                self._detail_large.stop()
            self._detail_large = self.set_timer(LARGE_SECONDS, self._build_large)

    def _build_large(self) -> None:
        place = self._place()
        for part in self._detail_parts:
            if part.name not in self._detail_folded:
                part.build(self._cells)
        self._lay_out(place)

    def _locate(self, row: int) -> tuple[DetailPart, int]:
        """The part of a row, and the line in it; the title is line -1."""
        index = bisect_right(self._detail_starts, row) - 1
        part = self._detail_parts[index]
        return part, row - self._detail_starts[index] - part.has_title

    def _place(self) -> tuple[str, int] | None:
        if not self._detail_parts:
            return None
        part, line = self._locate(self.cursor)
        return part.name, line

    def _row_at_place(self, name: str, line: int) -> int:
        for part, start in zip(self._detail_parts, self._detail_starts, strict=True):
            if part.name == name:
                length = 0 if name in self._detail_folded else len(part.rows or ())
                return start + part.has_title + max(-int(part.has_title), min(line, length - 1))
        return self.cursor

    def action_choose(self) -> None:
        """Open the file under the cursor, or fold the part."""
        if not self._open(self._path_at(self.cursor)):
            self.action_fold()

    def action_fold(self) -> None:
        """Fold or unfold the part under the cursor."""
        if not self._detail_parts:
            return
        part, _ = self._locate(self.cursor)
        if part.has_title:
            self._detail_folded ^= {part.name}
            self._lay_out((part.name, -1))
            self.reveal(self.cursor)

    def action_move_part(self, step: int) -> None:
        if not self._detail_parts:
            return
        index = bisect_right(self._detail_starts, self.cursor) - 1
        if step < 0 and self.cursor > self._detail_starts[index]:
            step = 0
        self.move_to(self._detail_starts[max(0, min(index + step, len(self._detail_starts) - 1))])

    def action_open_artifact(self) -> None:
        """Open the file under the cursor, or the first one."""
        first = next((path for part in self._detail_parts for path in part.paths), None)
        self._open(self._path_at(self.cursor) or first)

    def copied_text(self) -> str:
        """The selection, or the part under the cursor."""
        if self.text_selection is not None:
            return super().copied_text()
        return self._locate(self.cursor)[0].copy()

    def row_clicked(self, row: int, event: events.Click, *, again: bool) -> None:
        if self._locate(row)[1] < 0:
            self.action_fold()
        else:
            self._open(self._path_at(row))

    def _open(self, path: str | None) -> bool:
        if path is not None:
            self.post_message(self.ArtifactOpened(self, path))
        return path is not None

    def _path_at(self, row: int) -> str | None:
        if not self._detail_parts:
            return None
        part, line = self._locate(row)
        return part.paths[line] if 0 <= line < len(part.paths) else None

    @property
    def row_count(self) -> int:
        return self._detail_count

    def line_text(self, row: int) -> str:
        line = self._line(row)
        return line if isinstance(line, str) else "".join(text for text, _ in line)

    def tokens(self, row: int, text: str) -> Tokens:
        line = self._line(row)
        if isinstance(line, str):
            return json_tokens(plain(line))
        return [(plain(piece), names) for piece, names in line]

    def _line(self, row: int) -> DetailRow:
        part, index = self._locate(row)
        if index < 0:
            return part.title(self._cells, is_folded=part.name in self._detail_folded)
        if part.rows is None:
            return ((f"{INDENT}preparing …", "list--faint"),) if index == 0 else ""
        if index >= len(part.rows):
            return ""
        line = part.rows[index]
        if not part.has_title:
            return line
        return INDENT + line if isinstance(line, str) else ((INDENT, ""), *line)

    def nothing_shown(self) -> str:
        return "Select a request to see its details."
