"""How often what was done, with which success, and how long it took."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from pwtui.history.reader import Condition, HistoryReader
from pwtui.history.tables import State

Group = Literal["op", "client", "site"]
BARS = "▁▂▃▄▅▆▇█"


@dataclass(slots=True)
class _Group:
    count: int = 0
    errors: int = 0
    times: array[float] = field(default_factory=lambda: array("d"))


class Row(NamedTuple):
    """The requests of one operation, client or site; times in milliseconds."""

    name: str
    requests: int
    errors: int
    p50: float
    p95: float
    plot: str


def statistics(history: HistoryReader, conditions: Sequence[Condition], group: Group) -> list[Row]:
    """The entries that meet all conditions, the most frequent group first."""
    where = " and ".join(f"({each.sql})" for each in conditions) or "1"
    name = "url" if group == "site" else f"(select text from names where id = requests.{group})"
    found: defaultdict[str, _Group] = defaultdict(_Group)
    sites: dict[str | None, str] = {}
    for text, ms, state in history.rows(
        f"select {name}, ms, state from requests where {where}",
        *(value for each in conditions for value in each.values),
    ):
        if group == "site":
            if (known := sites.get(text)) is None:
                known = sites[text] = urlsplit(text or "").netloc or "-"
            text = known
        each = found[text]
        each.count += 1
        each.errors += state != State.OK
        if ms is not None:
            each.times.append(ms)
    rows = [_row(name, each) for name, each in found.items()]
    return sorted(rows, key=lambda row: (-row.requests, row.name))


def plot(values: list[int]) -> str:
    """One bar for each value."""
    top = max(values, default=0) or 1
    return "".join(BARS[round(value / top * (len(BARS) - 1))] for value in values)


def _row(name: str, group: _Group) -> Row:
    times = sorted(group.times) or [0.0]
    # How the times are distributed: each bar covers twice the range of the one before.
    counts = [0] * len(BARS)
    for ms in times:
        counts[min(int(ms / 10).bit_length(), len(BARS) - 1)] += 1
    middle, late = _part(times, 0.5), _part(times, 0.95)
    return Row(name, group.count, group.errors, middle, late, plot(counts))


def _part(times: list[float], share: float) -> float:
    return times[min(int(len(times) * share), len(times) - 1)]
