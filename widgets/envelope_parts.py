"""The parts of the detail of a log entry."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pwtui.widgets.json_lines import json_lines, json_text
from pwtui.widgets.log_entry import LogEntry, clock_time, milliseconds
from pwtui.widgets.text import wrapped
from pwtui.widgets.units import memory

INDENT = "  "
_LARGE = 5000  # values; a larger part is rendered after a delay

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

    @property
    def is_json(self) -> bool:
        return self.value is not None

    @property
    def is_large(self) -> bool:
        return self.rows is None and _is_large(self.value)

    def build(self) -> None:
        if self.rows is None:
            self.rows = json_lines(self.value)
        if not self.columns:
            measure: Callable[[Any], int] = len if self.is_json else _columns
            self.columns = max(map(measure, self.rows), default=0) + len(INDENT)

    def title(self, *, is_folded: bool) -> Styled:
        is_error = self.name == "error"
        note = self.note
        if self.rows is not None and len(self.rows) > 100:
            lines = f"{len(self.rows):,} lines"
            note = f"{note} · {lines}" if note else lines
        return (
            ("▸ " if is_folded else "▾ ", "list--faint"),
            ("✗ error" if is_error else self.name, _BAD_TITLE if is_error else "detail--title"),
            (f"  {note}" if note else "", _BAD_TITLE if is_error else "list--faint"),
        )


def parts_of(
    entry: LogEntry, request: dict[str, Any], response: dict[str, Any], now: float, cells: int
) -> Iterator[DetailPart]:
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
            yield _fields(name, response[name])
    if artifacts := _dicts(response.get("artifacts")):
        yield _artifacts(artifacts)
    if diagnostics := _dicts(response.get("diagnostics")):
        yield _diagnostics(diagnostics, cells)
    yield _timing(entry, now)


def _summary(entry: LogEntry, now: float) -> DetailPart:
    if entry.pending:
        sign, ink = "◐", "list--busy list--strong"
    else:
        sign, ink = ("✗", _BAD_TITLE) if entry.failed else ("✓", "list--good list--strong")
    came = f" → {entry.result}" if entry.result else ""
    about = (clock_time(entry.time), entry.client, entry.profile, _took(entry, now))
    rows: list[DetailRow] = [
        ((f"{sign} ", ink), (entry.op, ink), (f"  {entry.target}", ""), (came, "list--muted")),
        ((INDENT, ""), (" · ".join(filter(None, about)), "list--faint")),
    ]
    return DetailPart("summary", rows, lambda: entry.summary, has_title=False)


def _error(entry: LogEntry, error: object, cells: int) -> DetailPart:
    details = error.get("details") if isinstance(error, dict) else None
    rows: list[DetailRow] = [((line, "list--bad"),) for line in wrapped(entry.message, cells)]
    for index, line in enumerate(wrapped(entry.hint, cells - 2)):
        rows.append((("  " if index else "→ ", "list--strong"), (line, "list--strong")))
    if isinstance(details, dict) and not any(isinstance(v, dict | list) for v in details.values()):
        rows.extend(_field_rows(details))
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
    return DetailPart(name, None, lambda: json_text(value), note=note, value=value)


def _fields(name: str, values: Mapping[str, Any]) -> DetailPart:
    return DetailPart(name, _field_rows(values), lambda: json_text(values))


def _field_rows(values: Mapping[str, Any]) -> list[DetailRow]:
    widest = max(map(len, values), default=0)
    return [
        (
            (f"{key:{widest}}  ", "list--muted"),
            (value if isinstance(value, str) else json.dumps(value, default=str), ""),
        )
        for key, value in values.items()
    ]


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


def _timing(entry: LogEntry, now: float) -> DetailPart:
    day = time.strftime("%Y-%m-%d", time.localtime(entry.time))
    started = f"{day} {clock_time(entry.time, fine=True)}"
    return _fields("timing", {"started": started, "took": _took(entry, now) or "not known"})


def _took(entry: LogEntry, now: float) -> str:
    if entry.pending:
        return f"running for {milliseconds(max(0.0, now - entry.time) * 1000)}"
    return "" if entry.duration_ms is None else milliseconds(entry.duration_ms)


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
