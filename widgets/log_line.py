"""The columns of a line of the log, and what is in them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from pwtui.widgets.log_entry import LogEntry, clock_time, milliseconds
from pwtui.widgets.log_store import Group
from pwtui.widgets.text import cut_middle, fit, plain, width

_GUTTER = 4  # selection or cursor, sign, mark, space
_OUTCOME = 18  # the longest error code
_TARGET = 14  # the shortest useful part of what was acted on
_MESSAGE = 10  # the shortest useful part of an error message


class Columns(NamedTuple):
    time: int
    client: int
    profile: int
    op: int
    target: int
    outcome: int
    took: int


@lru_cache(maxsize=64)
def columns_for(cells: int, clients: bool = True, profiles: bool = True) -> Columns:
    """The width of each column; a column without cells is not shown.

    Clients and profiles are only shown if there are several.
    """
    if cells < 50:
        time, client, profile, op = 5, 0, 0, 8
    elif cells < 60:
        time, client, profile, op = 8, 0, 0, 10
    elif cells < 100:
        time, client, profile, op = 8, 7, 7, 10 if profiles else 12 if clients else 14
    elif cells < 140:
        time, client, profile, op = 8, 10, 12, 14
    else:
        time, client, profile, op = 12, 14, 16, 16
    client, profile = client if clients else 0, profile if profiles else 0
    took = 7
    fixed = sum(column + 1 for column in (time, client, profile, op) if column)
    left = max(0, cells - _GUTTER - fixed - took - 4)
    outcome = max(min(_OUTCOME, left - _TARGET), left * 11 // 20) if cells >= 50 else 0
    return Columns(time, client, profile, op, max(0, left - outcome), outcome, took)


def joined(parts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The parts, with neighbours of the same style merged: each segment has a fixed cost."""
    result: list[tuple[str, str]] = []
    for text, name in parts:
        if result and (name == result[-1][1] or not text.strip()):
            result[-1] = (result[-1][0] + text, result[-1][1])
        elif text:
            result.append((text, name))
    return result


def _cell(text: str, cells: int) -> str:
    return f"{fit(plain(text), cells)} " if cells else ""


def line_cells(
    entry: LogEntry, group: Group | None, columns: Columns, now: float
) -> list[tuple[str, str]]:
    """The text of each column, and its component class."""
    if entry.pending:
        took = milliseconds(max(0.0, now - entry.time) * 1000)
        outcome_ink = took_ink = "list--busy"
    else:
        took = "" if entry.duration_ms is None else milliseconds(entry.duration_ms)
        outcome_ink = "list--bad" if entry.failed else "list--muted"
        took_ink = "list--busy" if entry.slow else "list--faint"
    outcome, target = entry.outcome, plain(entry.target)
    if entry.failed and columns.outcome < len(entry.code) + _MESSAGE:
        outcome = entry.code  # too narrow for the message
    outcome = plain(outcome)
    if group is not None:
        target = f"×{group.size:,}  {target}".rstrip()
        if group.least_ms < group.most_ms and not entry.pending:
            took = f"{group.least_ms:.0f}–{milliseconds(group.most_ms)}"
    target_cells, outcome_cells = columns.target, columns.outcome
    outcome_cells -= min(outcome_cells, max(0, len(took) - columns.took))
    if target_cells:  # a long target uses the free space of a short outcome
        unused = max(0, outcome_cells - width(outcome))
        more = min(unused, max(0, width(target) - target_cells))
        target_cells, outcome_cells = target_cells + more, outcome_cells - more
        if columns.outcome and not outcome_cells:
            target_cells += 1  # the space between them
    where = f"{entry.workspace}:{entry.profile}" if entry.workspace else entry.profile
    return [
        (
            _cell(clock_time(entry.time, fine=columns.time > 8)[: columns.time], columns.time),
            "list--faint",
        ),
        (_cell(entry.client, columns.client), "list--faint"),
        (_cell(where, columns.profile), "list--muted"),
        (_cell(entry.op, columns.op), "list--strong"),
        (_cell(cut_middle(target, target_cells), target_cells), ""),
        (_cell(cut_middle(outcome, outcome_cells), outcome_cells), outcome_ink),
        (f"{took:>{columns.took}} ", took_ink),
        ("●" if entry.recorded else " ", "list--bad"),
    ]
