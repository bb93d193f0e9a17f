"""The requests of a page."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, ClassVar
from urllib.parse import urlsplit

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip

from pwtui.protocol.query import Test
from pwtui.widgets.event_list import KEPT, TRIMMED, EventList
from pwtui.widgets.log_entry import milliseconds
from pwtui.widgets.row_list import Ink
from pwtui.widgets.text import cut, fit, path_on, plain, width
from pwtui.widgets.units import memory

_METHOD, _STATUS, _TYPE, _SIZE, _TIME = 7, 8, 10, 8, 9
_WATERFALLS = ((110, 16), (80, 8))
"""The cells of the waterfall, from a width on."""
_ROOM_FOR_CAUSE = 30
_IDLE_SECONDS = 1.0
"""What runs after nothing did for so long has its own place in the waterfall."""


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

    def __len__(self) -> int:
        return len(self._rows)

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
            row = replace(row, started=before.started or row.started)
        self.new_failures += row.has_failed and not (before is not None and before.has_failed)
        self._rows[row.key] = row
        if len(self._rows) >= KEPT + TRIMMED:
            self._rows = dict(islice(self._rows.items(), TRIMMED, None))

    def replace(self, rows: Iterable[NetworkRow]) -> None:
        """Show another page, whose failures were not looked at yet."""
        self._rows = {row.key: row for row in rows}
        self.new_failures = sum(row.has_failed for row in self._rows.values())

    def clear(self) -> None:
        self.replace(())


class NetworkList(EventList[NetworkRow]):
    """One line per request: method, status, type, size, time, and where it lies in time."""

    EMPTY_TEXT = "The page has sent no requests."
    NOUN = "request"
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
        self._bars: dict[int, str] = {}
        """The waterfall of the visible rows, by their key."""

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

    def show_again(self) -> None:
        """More bodies are known."""
        self.forget_matches()
        self.show(self._all_rows)
        self.report_filter()

    def render_lines(self, crop: Region) -> list[Strip]:
        shown = self.visible_rows()
        self._bars = waterfall(self._rows[shown.start : shown.stop], self._waterfall_cells)
        return super().render_lines(crop)

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
        took = milliseconds(row.milliseconds) if row.milliseconds is not None else ""
        drawn = [
            Segment(fit(f" {plain(row.method)}", _METHOD), ink("list--strong")),
            Segment(fit(state, _STATUS), mark),
            Segment(fit(plain(row.type), _TYPE), muted),
            Segment(f"{size:>{_SIZE}}", muted),
            Segment(f"{took:>{_TIME}}  ", muted),
        ]
        room = cells - _METHOD - _STATUS - _TYPE - _SIZE - _TIME - 2
        if bar_cells := self._waterfall_cells:
            bar = self._bars.get(row.key, "")
            drawn.append(Segment(f"{bar:{bar_cells}}  ", ink("list--accent")))
            room -= bar_cells + 2
        url, cause = plain(path_on(self.page_url, row.url)), ""
        if row.cause and room >= _ROOM_FOR_CAUSE:
            site = urlsplit(self.page_url).netloc
            cause = cut(f"  ← {plain(row.cause.replace(f' {site}/', ' /'))}", room - 16)
        drawn.append(Segment(fit(url, max(room - width(cause), 1)), ink()))
        drawn.append(Segment(cause, ink("list--faint")))
        return drawn

    @property
    def _waterfall_cells(self) -> int:
        return next((cells for least, cells in _WATERFALLS if self.view_width >= least), 0)


def waterfall(rows: Sequence[NetworkRow], cells: int) -> dict[int, str]:
    """When each request ran, between the first and the last of those that ran together."""
    bars: dict[int, str] = {}
    together: list[NetworkRow] = []
    end = 0.0
    for row in sorted((each for each in rows if each.started), key=lambda each: each.started):
        if together and row.started > end + _IDLE_SECONDS:
            bars.update(_bars(together, end, cells))
            together = []
        end = max(end, _end(row))
        together.append(row)
    bars.update(_bars(together, end, cells))
    return bars


def _bars(rows: Sequence[NetworkRow], end: float, cells: int) -> Iterator[tuple[int, str]]:
    for row in rows:
        scale = cells / max(end - rows[0].started, 0.001)
        start = min(round((row.started - rows[0].started) * scale), cells - 1)
        yield row.key, " " * start + "━" * max(1, round((_end(row) - row.started) * scale))


def _end(row: NetworkRow) -> float:
    return row.started + (row.milliseconds or 0) / 1000
