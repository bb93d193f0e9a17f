"""One request and its response, in parts that fold."""

from __future__ import annotations

import json
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from pwtui.widgets.line_view import LineView, Tokens, json_lines, json_text, json_tokens
from pwtui.widgets.log_entries import LogEntry, clock_time, milliseconds
from pwtui.widgets.text import cut, plain, wrapped
from pwtui.widgets.units import memory

TICK_SECONDS = 0.2
LARGE_SECONDS = 0.1
_LARGE = 5000  # values; more are made into text only when the reader stays
_INDENT = "  "

Styled = tuple[tuple[str, str], ...]
Row = str | Styled  # JSON, or pieces that each have a component class


@dataclass(slots=True)
class Part:
    """Something to tell about an entry, below a title that folds it."""

    name: str
    source: Any  # what it tells, to know it again
    make: Callable[[], Sequence[Row]]
    copy: Callable[[], str]
    note: str = ""
    has_title: bool = True
    is_json: bool = False
    is_volatile: bool = False  # depends on time or width, and is cheap to make again
    paths: tuple[str, ...] = ()
    rows: Sequence[Row] | None = field(default=None, init=False)
    columns: int = field(default=0, init=False)

    @property
    def is_large(self) -> bool:
        return self.rows is None and not self.is_volatile and _is_large(self.source)

    def build(self) -> None:
        if self.rows is None:
            self.rows = self.make()
            measure: Callable[[Any], int] = len if self.is_json else _columns
            self.columns = max(map(measure, self.rows), default=0) + len(_INDENT)


class EnvelopeDetail(LineView):
    """Shows one entry. One flat list of lines, of which the parts are ranges."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "activate", "Fold or open", id="detail.activate"),
        Binding("space", "fold", "Fold", show=False, id="detail.fold"),
        Binding("o", "open_artifact", "Open file", id="detail.open-artifact"),
        Binding("y", "copy", "Copy part", id="detail.copy"),
        Binding(
            "left_square_bracket",
            "move_part(-1)",
            "Previous part",
            show=False,
            key_display="[",
            id="detail.part-previous",
        ),
        Binding(
            "right_square_bracket",
            "move_part(1)",
            "Next part",
            show=False,
            key_display="]",
            id="detail.part-next",
        ),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "detail--title",
        "detail--note",
        "detail--name",
        "detail--ok",
        "detail--running",
        "detail--error",
        "detail--error-title",
        "detail--hint",
        "detail--warning",
        "detail--artifact",
    }

    DEFAULT_CSS = """
    EnvelopeDetail {
        & > .detail--title { text-style: bold; color: $text-primary; }
        & > .detail--note { color: $foreground 50%; }
        & > .detail--name { color: $foreground 70%; }
        & > .detail--ok { color: $text-success; text-style: bold; }
        & > .detail--running { color: $text-warning; text-style: bold; }
        & > .detail--error { color: $text-error; }
        & > .detail--error-title { color: $text-error; text-style: bold; }
        & > .detail--hint { text-style: bold; }
        & > .detail--warning { color: $text-warning; }
        & > .detail--artifact { color: $text-accent; text-style: underline; }
        &:nocolor > .detail--error { color: $foreground; }
        &:nocolor > .detail--error-title { color: $foreground; }
    }
    """

    class ArtifactOpened(Message):
        """A file that the operation made was asked for."""

        def __init__(self, envelope_detail: EnvelopeDetail, path: str) -> None:
            super().__init__()
            self.envelope_detail = envelope_detail
            self.path = path

        @property
        def control(self) -> EnvelopeDetail:
            return self.envelope_detail

    class CopyRequested(LineView.CopyRequested):
        """A part was asked to be copied; `what` is its name."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._detail_clock = clock
        self._detail_entry: LogEntry | None = None
        self._detail_texts: tuple[bytes, bytes | None] | None = None
        self._detail_wire: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
        self._detail_parts: list[Part] = []
        self._detail_starts: list[int] = []
        self._detail_folded: set[str] = set()
        self._detail_tick: Timer | None = None
        self._detail_large: Timer | None = None

    # What the owner says -------------------------------------------------------------------------

    def show(self, entry: LogEntry | None) -> None:
        """Show an entry; the same one again is brought up to date where the reader is."""
        is_other = entry is not self._detail_entry
        self._detail_entry = entry
        if is_other:
            self._detail_parts = []
            self._line_cursor = 0
        self._rebuild()
        if is_other:
            self.scroll_to(x=0, y=0)

    @property
    def shown_entry(self) -> LogEntry | None:
        return self._detail_entry

    @property
    def folded_parts(self) -> frozenset[str]:
        return frozenset(self._detail_folded)

    @property
    def part_names(self) -> tuple[str, ...]:
        return tuple(part.name for part in self._detail_parts)

    # Parts ---------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self._detail_tick = self.set_interval(TICK_SECONDS, self._tick, pause=True)
        self._rebuild()

    def refit(self) -> None:
        self._rebuild()

    def _tick(self) -> None:
        self._rebuild()

    def _rebuild(self) -> None:
        """Make the parts anew, but nothing twice that takes long, and keep the reader's place."""
        place = self._place()
        known = {part.name: part for part in self._detail_parts}
        entry = self._detail_entry
        parts = []
        if entry is not None:
            if entry.texts != self._detail_texts:
                self._detail_texts = entry.texts
                self._detail_wire = entry.request, entry.response or {}
            cells = self.view_width - len(_INDENT)
            for part in parts_of(entry, *self._detail_wire, self._detail_clock(), cells):
                old = known.get(part.name)
                is_same = old is not None and old.source is part.source and not part.is_volatile
                parts.append(old if old is not None and is_same else part)
        self._detail_parts = parts
        self._lay_out(place)
        if self._detail_tick is not None:
            is_pending = entry is not None and entry.pending
            (self._detail_tick.resume if is_pending else self._detail_tick.pause)()

    def _lay_out(self, place: tuple[str, int] | None) -> None:
        starts, at, columns, waits = [], 0, 0, False
        for part in self._detail_parts:
            starts.append(at)
            at += part.has_title
            if part.name not in self._detail_folded:
                if part.is_large:
                    waits = True
                else:
                    part.build()
                columns = max(columns, part.columns)
                at += (1 if part.rows is None else len(part.rows)) + 1
        self._detail_starts = starts
        self._view_count = at
        self._view_columns = columns
        self.forget_strips()
        self.fit(columns + 1)
        if place is not None:
            self._line_cursor = self._line_at(*place)
        self._line_cursor = max(0, min(self._line_cursor, at - 1))
        self.refresh()
        if waits and self.is_mounted:
            if self._detail_large is not None:
                self._detail_large.stop()
            self._detail_large = self.set_timer(LARGE_SECONDS, self._build_large)

    def _build_large(self) -> None:
        place = self._place()
        for part in self._detail_parts:
            if part.name not in self._detail_folded:
                part.build()
        self._lay_out(place)

    def _locate(self, line: int) -> tuple[Part, int]:
        """The part that a line belongs to, and the row in it; the title is row -1."""
        index = bisect_right(self._detail_starts, line) - 1
        part = self._detail_parts[index]
        return part, line - self._detail_starts[index] - part.has_title

    def _place(self) -> tuple[str, int] | None:
        if not self._detail_parts:
            return None
        part, row = self._locate(self._line_cursor)
        return part.name, row

    def _line_at(self, name: str, row: int) -> int:
        for part, start in zip(self._detail_parts, self._detail_starts, strict=True):
            if part.name == name:
                length = 0 if name in self._detail_folded else len(part.rows or ())
                return start + part.has_title + max(-int(part.has_title), min(row, length - 1))
        return self._line_cursor

    # Actions -------------------------------------------------------------------------------------

    def action_activate(self) -> None:
        """Open the file under the cursor, or else fold."""
        path = self._path_at(self.cursor_line)
        if path is None:
            self.action_fold()
        else:
            self.post_message(self.ArtifactOpened(self, path))

    def action_fold(self) -> None:
        """Fold or unfold the part under the cursor."""
        if not self._detail_parts:
            return
        part, _ = self._locate(self.cursor_line)
        if part.has_title:
            self._detail_folded ^= {part.name}
            self._lay_out((part.name, -1))
            self.reveal(self.cursor_line)

    def action_move_part(self, step: int) -> None:
        if not self._detail_parts:
            return
        index = bisect_right(self._detail_starts, self.cursor_line) - 1
        if step < 0 and self.cursor_line > self._detail_starts[index]:
            step = 0
        self.move_to(self._detail_starts[max(0, min(index + step, len(self._detail_starts) - 1))])

    def action_open_artifact(self) -> None:
        """Open the file under the cursor, or else the first one."""
        path = self._path_at(self.cursor_line)
        if path is None:
            path = next((path for part in self._detail_parts for path in part.paths), None)
        if path is not None:
            self.post_message(self.ArtifactOpened(self, path))

    def action_copy(self) -> None:
        if self.text_selection is not None:
            super().action_copy()
        elif self._detail_parts:
            part, _ = self._locate(self.cursor_line)
            self.post_message(self.CopyRequested(self, part.copy(), part.name))

    def line_clicked(self, line: int, event: events.Click) -> None:
        _, row = self._locate(line)
        if row < 0:
            self.action_fold()
        elif (path := self._path_at(line)) is not None:
            self.post_message(self.ArtifactOpened(self, path))

    def _path_at(self, line: int) -> str | None:
        if not self._detail_parts:
            return None
        part, row = self._locate(line)
        return part.paths[row] if 0 <= row < len(part.paths) else None

    # Drawing -------------------------------------------------------------------------------------

    def line_text(self, line: int) -> str:
        row = self._row(line)
        return row if isinstance(row, str) else "".join(text for text, _ in row)

    def tokens(self, line: int, text: str) -> Tokens:
        row = self._row(line)
        if isinstance(row, str):
            return json_tokens(plain(row))
        return [(plain(piece), name) for piece, name in row]

    def _row(self, line: int) -> Row:
        part, index = self._locate(line)
        if index < 0:
            return self._title(part)
        if part.rows is None:
            return ((f"{_INDENT}preparing …", "detail--note"),) if index == 0 else ""
        if index >= len(part.rows):
            return ""
        row = part.rows[index]
        if not part.has_title:
            return row
        return _INDENT + row if isinstance(row, str) else ((_INDENT, ""), *row)

    def _title(self, part: Part) -> Styled:
        arrow = "▸ " if part.name in self._detail_folded else "▾ "
        ink = "detail--error-title" if part.name == "error" else "detail--title"
        name = "✗ error" if part.name == "error" else part.name
        note = part.note
        if part.rows is not None and len(part.rows) > 100:
            note = f"{note} · {len(part.rows):,} lines" if note else f"{len(part.rows):,} lines"
        note_ink = ink if part.name == "error" else "detail--note"
        return ((arrow, "detail--note"), (name, ink), (f"  {note}" if note else "", note_ink))

    def draw_below(self, y: int) -> Strip:
        if y or self._detail_parts:
            return super().draw_below(y)
        text = cut("  No entry is chosen.", self.view_width)
        return Strip([Segment(text, self.ink("detail--note"))])


# What there is to tell ---------------------------------------------------------------------------


def parts_of(
    entry: LogEntry, request: dict[str, Any], response: dict[str, Any], now: float, cells: int
) -> Iterator[Part]:
    """The parts of an entry, the most important first."""
    yield _summary(entry, now)
    if entry.failed:
        yield _error(entry, response.get("error"), cells)
    yield _json("request", request)
    inputs = response.get("inputs")
    if inputs and inputs != request.get("input"):
        yield _json("inputs", inputs)
    if response.get("data") is not None:
        yield _json("data", response["data"])
    for name in ("contextDelta", "effectiveRuntime"):
        if isinstance(response.get(name), dict) and response[name]:
            yield _fields(name, response[name], response[name])
    if artifacts := _dicts(response.get("artifacts")):
        yield _artifacts(response["artifacts"], artifacts)
    if diagnostics := _dicts(response.get("diagnostics")):
        yield _diagnostics(response["diagnostics"], diagnostics, cells)
    yield _timing(entry, now)


def _summary(entry: LogEntry, now: float) -> Part:
    if entry.pending:
        sign, ink = "◐", "detail--running"
    else:
        sign, ink = ("✗", "detail--error-title") if entry.failed else ("✓", "detail--ok")
    about = (clock_time(entry.time), entry.client, entry.profile, _took(entry, now))
    rows: list[Row] = [
        ((f"{sign} ", ink), (entry.op, ink), (f"  {entry.target}", "")),
        ((_INDENT, ""), (" · ".join(filter(None, about)), "detail--note")),
    ]
    return Part(
        "summary", None, lambda: rows, lambda: entry.summary, has_title=False, is_volatile=True
    )


def _error(entry: LogEntry, told: object, cells: int) -> Part:
    error = told if isinstance(told, dict) else {}
    rows: list[Row] = [((line, "detail--error"),) for line in wrapped(entry.message, cells)]
    for index, line in enumerate(wrapped(entry.hint, cells - 2)):
        rows.append((("  " if index else "→ ", "detail--hint"), (line, "detail--hint")))
    details = error.get("details")
    if isinstance(details, dict) and not any(isinstance(v, dict | list) for v in details.values()):
        rows.extend(_field_rows(details))
    elif details:
        rows.append((("details", "detail--name"),))
        rows.extend(json_lines(details))

    def copy() -> str:
        said = [f"{entry.code}: {entry.message}", entry.hint, details and json_text(details)]
        return "\n".join(filter(None, said))

    return Part("error", error, lambda: rows, copy, note=entry.code, is_volatile=True)


def _json(name: str, value: Any) -> Part:
    if isinstance(value, dict | list):
        unit = "field" if isinstance(value, dict) else "item"
        note = f"{len(value):,} {unit}{'' if len(value) == 1 else 's'}" if value else "empty"
    else:
        note = ""
    return Part(
        name, value, lambda: json_lines(value), lambda: json_text(value), note=note, is_json=True
    )


def _fields(name: str, source: Any, values: dict[str, Any]) -> Part:
    return Part(name, source, lambda: _field_rows(values), lambda: json_text(values))


def _field_rows(values: dict[str, Any]) -> list[Row]:
    widest = max(map(len, values), default=0)
    return [
        ((f"{key:{widest}}  ", "detail--name"), (_plain_value(value), ""))
        for key, value in values.items()
    ]


def _artifacts(source: Any, artifacts: list[dict[str, Any]]) -> Part:
    paths = tuple(str(each.get("path") or "") for each in artifacts)
    rows: list[Row] = []
    for each, path in zip(artifacts, paths, strict=True):
        size = each.get("sizeBytes")
        told = memory(size) if isinstance(size, int) else ""
        rows.append(
            (
                (f"{each.get('type') or 'file'!s:10}  ", "detail--name"),
                (f"{told:>7}  ", "detail--note"),
                (path, "detail--artifact"),
            )
        )
    return Part(
        "artifacts",
        source,
        lambda: rows,
        lambda: "\n".join(paths),
        note=f"{len(rows):,}",
        paths=paths,
    )


def _diagnostics(source: Any, diagnostics: list[dict[str, Any]], cells: int) -> Part:
    inks = {"warning": "detail--warning", "error": "detail--error"}
    rows: list[Row] = []
    for each in diagnostics:
        level, where = str(each.get("level") or "info"), each.get("source")
        text = str(each.get("message") or "") + (f"  ({where})" if where else "")
        for index, line in enumerate(wrapped(text, cells - 9)):
            told = "" if index else level
            rows.append(((f"{told:7}  ", inks.get(level, "detail--name")), (line, "")))
    return Part(
        "diagnostics",
        source,
        lambda: rows,
        lambda: json_text(diagnostics),
        note=f"{len(diagnostics):,}",
        is_volatile=True,
    )


def _timing(entry: LogEntry, now: float) -> Part:
    day = time.strftime("%Y-%m-%d", time.localtime(entry.time))
    values = {
        "started": f"{day} {clock_time(entry.time, fine=True)}",
        "took": _took(entry, now) or "not told",
    }
    part = _fields("timing", None, values)
    part.is_volatile = True
    return part


def _took(entry: LogEntry, now: float) -> str:
    if entry.pending:
        return f"running for {milliseconds(max(0.0, now - entry.time) * 1000)}"
    return "" if entry.duration_ms is None else milliseconds(entry.duration_ms)


def _plain_value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _columns(row: Row) -> int:
    return len(row) if isinstance(row, str) else sum(len(text) for text, _ in row)


def _is_large(value: Any) -> bool:
    """Whether it holds more values, or longer text, than can be made into lines at once."""
    left, waiting = _LARGE, [value]
    while waiting and left > 0:
        each = waiting.pop()
        left -= 1
        if isinstance(each, dict):
            left -= len(each)
            waiting.extend(each.values() if left > 0 else ())
        elif isinstance(each, list):
            left -= len(each)
            waiting.extend(each if left > 0 else ())
        elif isinstance(each, str):
            left -= len(each) // 100
    return left <= 0
