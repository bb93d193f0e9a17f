"""How often what was done, with which success, and how long it took."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from pwtui.history.reader import Entry
from pwtui.history.writer import State

Group = Literal["op", "client", "site"]
BARS = "▁▂▃▄▅▆▇█"


class Row(NamedTuple):
    """The requests of one operation, client or site; times in milliseconds."""

    name: str
    requests: int
    errors: int
    p50: float
    p95: float
    plot: str


def statistics(entries: Iterable[Entry], group: Group) -> list[Row]:
    """The most frequent first."""
    found: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        found[_name(entry, group)].append(entry)
    rows = [_row(name, each) for name, each in found.items()]
    return sorted(rows, key=lambda row: (-row.requests, row.name))


def plot(values: list[int]) -> str:
    """One bar for each value."""
    top = max(values, default=0) or 1
    return "".join(BARS[round(value / top * (len(BARS) - 1))] for value in values)


def _name(entry: Entry, group: Group) -> str:
    if group == "site":
        return urlsplit(entry.url or "").netloc or "-"
    return entry.op if group == "op" else entry.client


def _row(name: str, entries: list[Entry]) -> Row:
    times = sorted(entry.ms for entry in entries if entry.ms is not None) or [0.0]
    errors = sum(entry.state is not State.OK for entry in entries)
    # How the times are distributed: each bar covers twice the range of the one before.
    counts = [0] * len(BARS)
    for ms in times:
        counts[min(int(ms / 10).bit_length(), len(BARS) - 1)] += 1
    return Row(name, len(entries), errors, _part(times, 0.5), _part(times, 0.95), plot(counts))


def _part(times: list[float], share: float) -> float:
    return times[min(int(len(times) * share), len(times) - 1)]
