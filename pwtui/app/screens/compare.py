"""Two moments of the log beside each other: what differs."""

from __future__ import annotations

import asyncio
import difflib
import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pwtui.app.screens.text import TextWindow
from pwtui.app.store import PastView
from pwtui.widgets.log_entry import LogEntry, milliseconds
from pwtui.widgets.text_lines import DiffLines

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp

REF = re.compile(r" \[(?:ref=[^\[\]]+|cursor=pointer)\]")
"""A page that was loaded again has other refs on all of its elements."""
NOT_COMPARED = frozenset(("requestId", "durationMs", "eventSeq"))


async def compare(app: PanelApp) -> None:
    """Show what differs between the two marked entries."""
    marked = app.store.log.marked()
    if len(marked) != 2:
        app.notify(f"Mark two requests with m to compare them; {len(marked)} are marked.")
        return
    from pwtui.app.past_reader import read_moment

    workspace = app.store.workspace
    with app.opening():
        one, other = [await asyncio.to_thread(read_moment, entry, workspace) for entry in marked]
        text = "\n".join(differences(one, other))
        app.push_screen(TextWindow("Compare", text, lines=DiffLines))


def differences(one: PastView, other: PastView) -> Iterator[str]:
    """The differences as lines; those of the first begin with `-`, of the second with `+`."""
    for sign, moment in (("-", one), ("+", other)):
        yield f"{sign} {moment.entry.summary}"
    seconds = abs(other.entry.time - one.entry.time)
    yield f"  {milliseconds(seconds * 1000)} between them, {_times(one.entry, other.entry)}"
    parts = (
        ("page", [one.snapshot.url], [other.snapshot.url]),
        ("tree", _tree(one), _tree(other)),
        ("console", _console(one), _console(other)),
        ("network", _network(one), _network(other)),
        ("request", _json(one.entry.request), _json(other.entry.request)),
        ("response", _json(one.entry.response), _json(other.entry.response)),
    )
    for name, before, after in parts:
        changed = list(_changes(before, after))
        added, removed = (sum(line.startswith(sign) for line in changed) for sign in "+-")
        yield ""
        yield f"▾ {name}  {f'+{added} -{removed}' if changed else 'the same'}"
        yield from changed


def _times(one: LogEntry, other: LogEntry) -> str:
    taken = [milliseconds(each.duration_ms or 0.0) for each in (one, other)]
    return f"{taken[0]} → {taken[1]}"


def _changes(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    for line in difflib.unified_diff(before, after, n=1, lineterm=""):
        if not line.startswith(("---", "+++")):
            yield "  ⋯" if line.startswith("@@") else f"{line[0]} {line[1:]}"


def _tree(moment: PastView) -> list[str]:
    tree = moment.snapshot.tree
    if tree is None:
        return [moment.snapshot.problem]
    return REF.sub("", tree.render()).splitlines()


def _console(moment: PastView) -> list[str]:
    return [f"{row.type}: {row.text}" for row in moment.console]


def _network(moment: PastView) -> list[str]:
    return [f"{row.method} {row.url} {row.failure or row.status or ''}" for row in moment.network]


def _json(envelope: dict[str, Any] | None) -> list[str]:
    known = {key: value for key, value in (envelope or {}).items() if key not in NOT_COMPARED}
    return json.dumps(known, indent=2, ensure_ascii=False).splitlines()
