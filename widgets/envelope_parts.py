"""The parts of the detail of a log entry."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pwtui.widgets.json_lines import json_lines, json_text, json_tokens
from pwtui.widgets.log_entry import LogEntry, clock_time, milliseconds, relative_url, short_url
from pwtui.widgets.text import cut, plain, wrapped
from pwtui.widgets.units import memory

INDENT = "  "
_LARGE = 5000  # values; a larger part is rendered after a delay
_LEAST = 20  # the narrowest width to which JSON is wrapped
_BRIEF = 300

Styled = tuple[tuple[str, str], ...]
DetailRow = str | Styled  # JSON, or pieces that each have component classes

_BAD_TITLE = "list--bad list--strong"


@dataclass(slots=True)
class DetailPart:
    """A title and its rows, which can be folded. The rows of a JSON value are made on demand."""

    name: str
    rows: Sequence[DetailRow] | None
    copy: Callable[[], str]
    note: str = ""
    has_title: bool = True
    value: Any = None
    paths: tuple[str, ...] = ()
    columns: int = 0
    cells: int = 0
    """The width to which the rows are wrapped."""
    lines: list[str] | None = None
    longest: int = 0
    brief: str = ""
    """Shown in the title while it is folded."""

    @property
    def is_json(self) -> bool:
        return self.value is not None

    @property
    def is_large(self) -> bool:
        return self.rows is None and _is_large(self.value)

    def build(self, cells: int) -> None:
        """Make the rows for a width."""
        if self.is_json and (self.rows is None or cells != self.cells):
            if self.lines is None:
                self.lines = json_lines(self.value)
                self.longest = max(map(len, self.lines), default=0)
            self.rows, self.columns = self.lines, self.longest + len(INDENT)
            if _LEAST < cells < self.longest and len(self.lines) < _LARGE:
                self.rows = [row for line in self.lines for row in _wrapped_json(line, cells)]
                self.columns = cells + len(INDENT)
        elif not self.columns:
            self.columns = max(map(_columns, self.rows or ()), default=0) + len(INDENT)
        self.cells = cells

    def title(self, cells: int, *, is_folded: bool) -> Styled:
        """The title and what fits of its note."""
        is_error = self.name == "error"
        note = self.brief if is_folded and self.brief else self.note
        if self.rows is not None and len(self.rows) > 100:
            lines = f"{len(self.rows):,} lines"
            note = f"{note} · {lines}" if note else lines
        name = "✗ error" if is_error else self.name
        return (
            ("▸ " if is_folded else "▾ ", "list--faint"),
            (name, _BAD_TITLE if is_error else "detail--title"),
            (
                cut(f"  {note}", cells - len(name)) if note else "",
                _BAD_TITLE if is_error else "list--faint",
            ),
        )


def parts_of(
    entry: LogEntry, request: dict[str, Any], response: dict[str, Any], now: float, cells: int
) -> Iterator[DetailPart]:
    """The parts of an entry, the most important first."""
    yield _summary(entry, now, cells)
    if entry.failed and not entry.is_rule:
        yield _error(entry, response.get("error"), cells)
    if response.get("data") is not None:
        yield _json("data", response["data"])
    if delta := _mapping(response.get("contextDelta")):
        if isinstance(url := delta.get("url"), str) and entry.place and url != entry.place:
            delta = {**delta, "url": f"{short_url(entry.place)} → {relative_url(url, entry.place)}"}
        yield _fields("contextDelta", delta, cells)
    if runtime := _mapping(response.get("effectiveRuntime")):
        yield _runtime(runtime)
    if artifacts := _dicts(response.get("artifacts")):
        yield _artifacts(artifacts)
    if diagnostics := _dicts(response.get("diagnostics")):
        yield _diagnostics(diagnostics, cells)
    if request:
        yield _json("request", request)
    inputs = response.get("inputs")
    if inputs and inputs != request.get("input"):
        yield _json("inputs", inputs)


def _summary(entry: LogEntry, now: float, cells: int) -> DetailPart:
    if entry.pending:
        sign, ink = "◐", "list--busy list--strong"
    else:
        sign, ink = ("✗", _BAD_TITLE) if entry.failed else ("✓", "list--good list--strong")
    came = f"→ {entry.result}" if entry.result else ""
    named = entry.op + ("  " + entry.target if entry.target else "")
    head = wrapped(f"{named} {came}".rstrip(), cells - 2) or [""]
    rows: list[DetailRow] = [((f"{sign} ", ink), (head[0], ink))]
    rows += [((INDENT, ""), (line, ink)) for line in head[1:]]
    day = time.strftime("%Y-%m-%d", time.localtime(entry.time))
    at = f"{day} {clock_time(entry.time, fine=True)}"
    about = " · ".join(filter(None, (_took(entry, now), at, entry.client, entry.profile)))
    rows += [((INDENT, ""), (line, "list--faint")) for line in wrapped(about, cells - 2)]
    return DetailPart("summary", rows, lambda: entry.summary, has_title=False)


def _error(entry: LogEntry, error: object, cells: int) -> DetailPart:
    details = error.get("details") if isinstance(error, dict) else None
    rows: list[DetailRow] = [((line, "list--bad"),) for line in wrapped(entry.message, cells)]
    for index, line in enumerate(wrapped(entry.hint, cells - 2)):
        rows.append((("  " if index else "→ ", "list--strong"), (line, "list--strong")))
    if isinstance(details, dict) and not any(isinstance(v, dict | list) for v in details.values()):
        rows.extend(_field_rows(details, cells))
    elif details:
        rows.append((("details", "list--muted"),))
        rows.extend(json_lines(details))

    def copy() -> str:
        said = [f"{entry.code}: {entry.message}", entry.hint, details and json_text(details)]
        return "\n".join(filter(None, said))

    return DetailPart("error", rows, copy, note=entry.code)


def _json(name: str, value: Any) -> DetailPart:
    note = ""
    if isinstance(value, dict | list):
        unit = "field" if isinstance(value, dict) else "item"
        note = f"{len(value):,} {unit}{'' if len(value) == 1 else 's'}" if value else "empty"
    brief = json.dumps(value, ensure_ascii=False, default=str)[:_BRIEF]
    return DetailPart(name, None, lambda: json_text(value), note=note, value=value, brief=brief)


def _runtime(values: Mapping[str, Any]) -> DetailPart:
    """What the request ran with, in one line."""
    known = [
        f"{name[:-2]} {value} ms" if name.endswith("Ms") else str(value)
        for name, value in values.items()
    ]
    line = (" · ".join(known), "")
    return DetailPart("effectiveRuntime", [(line,)], lambda: json_text(values))


def _fields(name: str, values: Mapping[str, Any], cells: int) -> DetailPart:
    return DetailPart(name, _field_rows(values, cells), lambda: json_text(values))


def _field_rows(values: Mapping[str, Any], cells: int) -> list[DetailRow]:
    widest = max(map(len, values), default=0)
    rows: list[DetailRow] = []
    for key, value in values.items():
        text = value if isinstance(value, str) else json.dumps(value, default=str)
        for index, line in enumerate(wrapped(text, cells - widest - 2) or [""]):
            name = "" if index else key
            rows.append(((f"{name:{widest}}  ", "list--muted"), (line, "")))
    return rows


def _wrapped_json(line: str, cells: int) -> Iterator[DetailRow]:
    """A line of JSON in pieces of this width; all but the first are indented like it."""
    if len(line) <= cells:
        yield line
        return
    indent = " " * min(len(line) - len(line.lstrip()) + 2, cells // 2)
    row: list[tuple[str, str]] = []
    room = cells
    for text, name in json_tokens(plain(line)):
        while text:
            if not room:
                yield tuple(row)
                row, room = [(indent, "")], cells - len(indent)
            row.append((text[:room], name))
            text, room = text[room:], max(0, room - len(text))
    yield tuple(row)


def _artifacts(artifacts: list[dict[str, Any]]) -> DetailPart:
    paths = tuple(str(each.get("path") or "") for each in artifacts)
    rows: list[DetailRow] = []
    for each, path in zip(artifacts, paths, strict=True):
        size = each.get("sizeBytes")
        rows.append(
            (
                (f"{each.get('type') or 'file'!s:10}  ", "list--muted"),
                (f"{memory(size) if isinstance(size, int) else '':>7}  ", "list--faint"),
                (path, "detail--artifact"),
            )
        )
    return DetailPart(
        "artifacts", rows, lambda: "\n".join(paths), note=f"{len(rows):,}", paths=paths
    )


def _diagnostics(diagnostics: list[dict[str, Any]], cells: int) -> DetailPart:
    inks = {"warning": "list--busy", "error": "list--bad"}
    rows: list[DetailRow] = []
    for each in diagnostics:
        level, where = str(each.get("level") or "info"), each.get("source")
        text = str(each.get("message") or "") + (f"  ({where})" if where else "")
        for index, line in enumerate(wrapped(text, cells - 9)):
            shown = "" if index else level
            rows.append(((f"{shown:7}  ", inks.get(level, "list--muted")), (line, "")))
    note = f"{len(diagnostics):,}"
    return DetailPart("diagnostics", rows, lambda: json_text(diagnostics), note=note)


def _took(entry: LogEntry, now: float) -> str:
    if entry.pending:
        return f"running for {milliseconds(max(0.0, now - entry.time) * 1000)}"
    return "" if entry.duration_ms is None else milliseconds(entry.duration_ms)


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _columns(row: DetailRow) -> int:
    return len(row) if isinstance(row, str) else sum(len(text) for text, _ in row)


def _is_large(value: Any) -> bool:
    """Whether it has too many values, or too much text, to render at once."""
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
