"""`pw history`: what happened, also before the daemon was started."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from threading import Lock
from typing import Any

from pwtui.cli.context import FAILED, OK, Context
from pwtui.cli.output import print_json
from pwtui.history.database import NotOurs, history_file
from pwtui.history.filters import conditions, range_of
from pwtui.history.housekeeping import Housekeeper
from pwtui.history.reader import Entry, HistoryReader
from pwtui.history.report import to_html
from pwtui.history.search import search
from pwtui.history.stats import Group, statistics
from pwtui.history.steps import WORDS, Step, read_step, read_steps
from pwtui.history.tables import State
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.outcome import Table
from pwtui.protocol.printable import counted
from pwtui.recordings.formats import SUFFIXES, format_of
from pwtui.recordings.from_history import har_of, recording_of, replay_text
from pwtui.recordings.model import Problem
from pwtui.repl.render import aligned
from pwtui.state.files import write_text
from pwtui.state.paths import user_path


async def list_command(
    context: Context, *, filter: list[str], lines: int, all_workspaces: bool
) -> int:
    with _history() as history:
        wanted = _conditions(context, history, filter, all_workspaces=all_workspaces)
        found = list(history.entries(wanted, newest_first=True, limit=lines))[::-1]
        steps = [read_step(history, entry) for entry in found]
    if not print_json(context, [_wire(step) for step in steps]):
        _print_table(context, [_row(step) for step in steps], _HEADS)
    return OK


async def show_command(context: Context, *, id: int) -> int:
    with _history() as history:
        step = read_step(history, _entry(history, id))
        tree = (history.content(step.entry.tree) or b"").decode("utf-8", "replace")
    if print_json(context, _wire(step) | ({"tree": tree} if tree else {})):
        return OK
    lines = ["  ".join(_row(step)).strip(), f"workspace: {step.entry.workspace}"]
    for name, value in (("request", step.request), ("response", step.response)):
        if value is not None:
            lines.append(f"{name}: {json.dumps(value, indent=2, ensure_ascii=False)}")
    if tree:
        lines.append(f"tree:\n{tree}")
    context.terminal.page("\n".join(lines))
    return OK


async def search_command(context: Context, *, text: list[str], lines: int) -> int:
    with _history() as history:
        hits = search(history, " ".join(text), lines)
    if not print_json(context, [hit._asdict() for hit in hits]):
        rows = [(str(hit.id or ""), _clock(hit.time), hit.what, hit.text) for hit in hits]
        _print_table(context, rows, ("ID", "TIME", "WHERE", "TEXT"))
    return OK if hits else FAILED


async def stats_command(
    context: Context, *, filter: list[str], by: Group, all_workspaces: bool
) -> int:
    with _history() as history:
        wanted = _conditions(context, history, filter, all_workspaces=all_workspaces)
        rows = statistics(history, wanted, by)
    if not print_json(context, [row._asdict() for row in rows]):
        shown = [
            (
                row.name,
                f"{row.requests}",
                f"{row.errors}",
                f"{row.p50:.0f}",
                f"{row.p95:.0f}",
                row.plot,
            )
            for row in rows
        ]
        heads = (by.upper(), "COUNT", "ERRORS", "P50 MS", "P95 MS", "10 MS … 1 S")
        _print_table(context, shown, heads)
    return OK


async def export_command(context: Context, *, span: list[str], output: str) -> int:
    path = user_path(context.terminal.cwd, output)
    format = format_of(path)
    if format is None and path.suffix.lower() != ".har":
        return context.refuse(f"-o must end in {', '.join((*SUFFIXES, '.har'))}")
    names: list[str] = []
    warnings: list[Problem] = []
    with _history() as history:
        entries = _span(context, history, span)
        if format is None:
            text = har_of(history, entries)
        else:
            steps = (read_step(history, entry) for entry in entries)
            text, names, warnings = replay_text(recording_of(path, steps), format)
    write_text(path, text, private=True)
    report = {"path": str(path), "variables": names, "warnings": [each[1] for each in warnings]}
    if print_json(context, report):
        return OK
    for number, warning in warnings:
        context.terminal.err(f"{number}: {warning}")
    if names:
        given = " ".join(f"--var {name}=…" for name in names)
        context.terminal.err(f"secrets are variables; use it with {given}")
    context.terminal.out(f"saved {path}")
    return OK


async def report_command(context: Context, *, span: list[str], output: str) -> int:
    path = user_path(context.terminal.cwd, output)
    with _history() as history:
        text = to_html(list(read_steps(history, _span(context, history, span))))
    write_text(path, text, private=True)
    if not print_json(context, {"path": str(path)}):
        context.terminal.out(f"saved {path}")
    return OK


async def prune_command(context: Context) -> int:
    """Delete what is older or larger than the history may be; a daemon may be running."""
    path = history_file()
    with _history() as history:
        before = _count(history)
    house = Housekeeper(path, Lock())
    try:
        while house.prune():
            pass
        used = house.used_bytes()
    finally:
        house.close()
    with _history() as history:
        deleted = before - _count(history)
    if not print_json(context, {"deleted": deleted, "usedBytes": used}):
        context.terminal.out(
            f"deleted {counted(deleted, 'request')}; {used / 2**20:.1f} MiB are used"
        )
    return OK


async def path_command(context: Context) -> int:
    path = str(history_file())
    if not print_json(context, {"path": path}):
        context.terminal.out(path)
    return OK


# -- entries ---------------------------------------------------------------------------------------

_HEADS = ("ID", "TIME", "CLIENT", "PROFILE", "OPERATION", "MS", "WHAT")


@contextmanager
def _history() -> Iterator[HistoryReader]:
    path = history_file()
    if not path.exists():
        raise InvalidInput(f"there is no history yet: {path} does not exist")
    try:
        with HistoryReader(path) as history:
            yield history
    except (NotOurs, sqlite3.DatabaseError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from error


def _conditions(
    context: Context, history: HistoryReader, filter: Sequence[str], *, all_workspaces: bool
) -> list[Any]:
    root = None if all_workspaces else str(context.terminal.workspace.root)
    return conditions(" ".join(filter), history, workspace=root)


def _span(context: Context, history: HistoryReader, span: Sequence[str]) -> list[Entry]:
    """The entries of numbers, ranges or a recording, of any workspace, or of a filter."""
    terms = [f"id:{each}" if range_of(each) else each for each in span]
    has_numbers = any(each.startswith(("id:", "recording:")) for each in terms)
    wanted = _conditions(context, history, terms, all_workspaces=has_numbers)
    if not (found := list(history.entries(wanted))):
        raise InvalidInput(f"no request matches {' '.join(span)}", hint="see `pw history list`")
    return found


def _entry(history: HistoryReader, id: int) -> Entry:
    if (entry := history.entry(id)) is None:
        raise InvalidInput(f"there is no request {id}", hint="see `pw history list`")
    return entry


def _count(history: HistoryReader) -> int:
    return int(history.rows("select count(*) from requests").fetchone()[0])


# -- output ----------------------------------------------------------------------------------------


def _print_table(context: Context, rows: Sequence[Sequence[str]], header: Sequence[str]) -> None:
    if rows:
        context.terminal.page(aligned(Table(rows, header), context.terminal.columns or None))


def _row(step: Step) -> tuple[str, ...]:
    entry = step.entry
    mark = {State.OK: "→"}.get(entry.state, "✗")
    what = " ".join(filter(None, (step.subject, mark if step.outcome else "", step.outcome)))
    ms = "" if entry.ms is None else f"{entry.ms:.0f}"
    return (str(entry.id), _clock(entry.time), entry.client, entry.profile, entry.op, ms, what)


def _wire(step: Step) -> dict[str, Any]:
    entry = step.entry
    known = {
        "id": entry.id,
        "time": entry.time,
        "state": WORDS[entry.state],
        "op": entry.op,
        "client": entry.client,
        "pid": entry.pid,
        "workspace": entry.workspace,
        "profile": entry.profile,
        "sessionKey": entry.session,
        "durationMs": entry.ms,
        "code": entry.code,
        "url": entry.url,
        "request": step.request,
        "response": step.response,
    }
    return {name: value for name, value in known.items() if value is not None}


def _clock(time: float) -> str:
    return datetime.fromtimestamp(time).isoformat(" ", "seconds")
