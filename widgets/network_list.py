"""The requests of a page."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar
from urllib.parse import urlsplit

from rich.segment import Segment

from pwtui.protocol.query import Test
from pwtui.widgets.event_list import EventList
from pwtui.widgets.row_list import Ink
from pwtui.widgets.text import cut, fit, plain, width
from pwtui.widgets.units import memory

_KEPT = 2000
_METHOD, _STATUS, _TYPE, _SIZE, _TIME, _WATERFALL = 7, 7, 10, 8, 9, 16
_WIDE = 110


@dataclass(frozen=True, slots=True)
class NetworkRow:
    """A request. None is not known, or not known yet."""

    number: int
    """The number of the request among the events of its session; 0 for one before them."""
    index: int | None
    """The number of the request in its tab."""
    method: str
    url: str
    type: str
    status: int | None = None
    failure: str = ""
    is_pending: bool = True
    from_cache: bool = False
    size: int | None = None
    started: float = 0.0
    milliseconds: float | None = None
    cause: str = ""
    """The action that the request follows, if it failed."""

    @property
    def has_failed(self) -> bool:
        return bool(self.failure) or (self.status or 0) >= 400

    @property
    def key(self) -> int:
        return self.number or -(self.index or 0)


class NetworkLog:
    """The newest requests, and how many failed since they were last looked at."""

    def __init__(self) -> None:
        self._rows: dict[int, NetworkRow] = {}
        self.new_failures = 0

    @property
    def rows(self) -> list[NetworkRow]:
        return list(self._rows.values())

    def newest(self, type: str, url: str) -> NetworkRow | None:
        """The newest request of this type for a URL, without its fragment."""
        wanted = url.partition("#")[0]
        found = (row for row in reversed(self._rows.values()) if row.type == type)
        return next((row for row in found if row.url.partition("#")[0] == wanted), None)

    def put(self, row: NetworkRow) -> None:
        """Add a request, or what is known of it now."""
        if row.index is not None and (known := self._rows.get(-row.index)) is not None:
            row = replace(row, number=known.number)  # it was there before the events
        before = self._rows.get(row.key)
        if before is not None:
            row = replace(row, started=before.started)
        self.new_failures += row.has_failed and not (before is not None and before.has_failed)
        self._rows[row.key] = row
        if len(self._rows) > _KEPT:
            del self._rows[next(iter(self._rows))]

    def replace(self, rows: Iterable[NetworkRow]) -> None:
        """Show another page, whose failures were not looked at yet."""
        self._rows = {row.key: row for row in rows}
        self.new_failures = sum(row.has_failed for row in self._rows.values())

    def clear(self) -> None:
        self.replace(())


class NetworkList(EventList[NetworkRow]):
    """One line per request: method, status, type, size, time, and where it lies in time."""

    EMPTY_TEXT = "The page has sent no requests."
    FIELDS: ClassVar[Collection[str]] = ("is", "status", "type", "method", "host", "body")
    STATES: ClassVar[dict[str, Test[NetworkRow]]] = {
        "error": lambda row: row.has_failed,
        "pending": lambda row: row.is_pending,
        "cached": lambda row: row.from_cache,
    }
    ORDERS: ClassVar[dict[str, Callable[[NetworkRow], Any]]] = {
        "status": lambda row: row.status or 0,
        "type": lambda row: row.type,
        "size": lambda row: row.size or 0,
        "duration": lambda row: row.milliseconds or 0.0,
        "url": lambda row: row.url,
        "method": lambda row: row.method,
    }

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.page_url = ""
        """URLs of the same origin are shown without it."""
        self.bodies: dict[int, str] = {}
        """The texts of the responses that were read, by the key of their request."""
        self._span = (0.0, 0.001)

    def field(self, name: str, value: str) -> Test[NetworkRow]:
        if name == "status":
            digits = value.replace("x", "")
            return lambda row: row.status is not None and str(row.status).startswith(digits)
        if name == "body":
            return lambda row: value in self.bodies.get(row.key, "").lower()
        if name == "host":
            return lambda row: value in urlsplit(row.url).netloc.lower()
        if name == "type":
            return lambda row: value in row.type.lower()
        return lambda row: row.method.lower() == value

    @property
    def wants_bodies(self) -> bool:
        """Whether the filter searches bodies."""
        return "body:" in self.filter_text

    def show(self, rows: Sequence[NetworkRow], *, cursor: Hashable | None = None) -> None:
        starts = [row.started for row in rows if row.started]
        ends = (row.started + (row.milliseconds or 0) / 1000 for row in rows if row.started)
        first = min(starts, default=0.0)
        self._span = first, max(max(ends, default=0.0) - first, 0.001)
        super().show(rows, cursor=cursor)

    def show_again(self) -> None:
        """More bodies are known."""
        self.show(self._all_rows)
        self.report_filter()

    def row_key(self, row: NetworkRow) -> int:
        return row.key

    def row_text(self, row: NetworkRow) -> str:
        return " ".join([row.method, row.url, row.type, str(row.status or ""), row.failure])

    def copied_text(self) -> str:
        row = self.cursor_row
        return row.url if row is not None else ""

    def draw(self, row: NetworkRow, line: int, cells: int, ink: Ink) -> list[Segment]:
        muted = ink("list--muted")
        state = "failed" if row.failure else "…" if row.status is None else str(row.status)
        if row.has_failed:
            mark = ink("list--bad")
        elif row.is_pending:
            mark = ink("list--busy")
        else:
            mark = ink("list--good") if (row.status or 0) < 300 else muted
        size = "cached" if row.from_cache else memory(row.size) if row.size is not None else ""
        took = f"{row.milliseconds:.0f} ms" if row.milliseconds is not None else ""
        drawn = [
            Segment(fit(f" {plain(row.method)}", _METHOD), ink("list--strong")),
            Segment(fit(state, _STATUS), mark),
            Segment(fit(plain(row.type), _TYPE), muted),
            Segment(f"{size:>{_SIZE}}", muted),
            Segment(f"{took:>{_TIME}}  ", muted),
        ]
        room = cells - _METHOD - _STATUS - _TYPE - _SIZE - _TIME - 2
        if cells >= _WIDE:
            drawn.append(Segment(self._waterfall(row), ink("list--accent")))
            room -= _WATERFALL + 2
        url, cause = plain(self._shown_url(row.url)), ""
        if row.cause and room > 40:
            cause = cut(f"  ← {plain(row.cause)}", room - 20)
        drawn.append(Segment(fit(url, max(room - width(cause), 1)), ink()))
        drawn.append(Segment(cause, ink("list--faint")))
        if cells >= _WIDE:
            drawn.append(Segment("  ", ink()))
        return drawn

    def _waterfall(self, row: NetworkRow) -> str:
        """When the request ran, between the first and the last of all."""
        if not row.started:
            return " " * (_WATERFALL + 2)
        first, span = self._span
        start = min(round((row.started - first) / span * _WATERFALL), _WATERFALL - 1)
        end = round((row.started + (row.milliseconds or 0) / 1000 - first) / span * _WATERFALL)
        length = max(1, end - start)
        bar = " " * start + "━" * length
        return bar[:_WATERFALL].ljust(_WATERFALL) + "  "

    def _shown_url(self, url: str) -> str:
        page, split = urlsplit(self.page_url), urlsplit(url)
        if page.netloc and (page.scheme, page.netloc) == (split.scheme, split.netloc):
            return url.partition(split.netloc)[2] or "/"
        return url
