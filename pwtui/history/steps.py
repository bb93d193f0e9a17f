"""Entries with all that belongs to them: envelopes, what the page looked like, events."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pwtui.history.reader import Entry, EventRow, HistoryReader
from pwtui.history.tables import State
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Response
from pwtui.protocol.outcome import outcome_text, subject

WORDS = {
    State.RUNNING: "running",
    State.OK: "ok",
    State.FAILED: "failed",
    State.UNFINISHED: "unfinished",
}
BAD_MESSAGES = ("error", "warning")


@dataclass
class Step:
    """An entry in words."""

    entry: Entry
    request: dict[str, Any] | None
    response: dict[str, Any] | None
    before: bytes | None = None
    after: bytes | None = None
    tree_changes: list[str] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)

    @property
    def subject(self) -> str:
        """What it acts on: `button "Check out"`."""
        info = catalog().get(self.entry.op)
        if info is None or self.request is None:
            return ""
        inputs = {
            **(self.request.get("input") or {}),
            **((self.response or {}).get("inputs") or {}),
        }
        return subject(info, inputs) or str(inputs.get("url") or "")

    @property
    def outcome(self) -> str:
        """The error, or what it returned or changed."""
        info = catalog().get(self.entry.op)
        if self.entry.state in (State.RUNNING, State.UNFINISHED):
            return WORDS[self.entry.state]
        if self.response is None or info is None:
            return self.entry.code or ""
        return outcome_text(info, Response.model_validate(self.response))


def read_step(history: HistoryReader, entry: Entry) -> Step:
    request, response = history.envelopes(entry.id)
    return Step(entry, _parsed(request), _parsed(response))


def read_steps(history: HistoryReader, entries: Iterable[Entry]) -> Iterator[Step]:
    """The steps with pictures, changes of trees, and the events until the next step."""
    known: dict[str, tuple[bytes | None, bytes | None]] = {}
    ordered = list(entries)
    for number, entry in enumerate(ordered):
        step = read_step(history, entry)
        session = entry.session or ""
        tree, step.before = known.get(session, (None, None))
        step.after = history.content(entry.picture)
        now = history.content(entry.tree)
        if now is not None:
            step.tree_changes = _changes(tree, now)
        known[session] = (now or tree, step.after or step.before)
        if entry.session is not None:
            later = (e.time for e in ordered[number + 1 :] if e.session == entry.session)
            end = next(later, entry.time + (entry.ms or 0) / 1000 + LAST_SECONDS)
            step.events = list(history.events(entry.time, end, session=entry.session))
        yield step


LAST_SECONDS = 10.0
"""Events that follow the last step so soon belong to it."""


def _changes(before: bytes | None, after: bytes) -> list[str]:
    """The lines of the tree that were removed and added."""
    if before is None:
        return []
    old, new = (each.decode("utf-8", "replace").splitlines() for each in (before, after))
    found = difflib.unified_diff(old, new, n=0, lineterm="")
    return [line for line in found if not line.startswith(("---", "+++", "@@"))]


def _parsed(text: str | None) -> dict[str, Any] | None:
    value = json.loads(text) if text else None
    return value if isinstance(value, dict) else None
