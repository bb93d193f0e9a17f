"""Exports requests of the log, of a time span or of a recording to files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from pwtui.app.actions.files import ask_target
from pwtui.app.recording import pair
from pwtui.protocol.errors import PwError
from pwtui.state.files import write_text
from pwtui.widgets.dialogs import Choice, ChoiceDialog, PromptDialog
from pwtui.widgets.log_entry import LogEntry
from pwtui.widgets.text import plain

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp

Kind = Literal["requests", "pairs", "script", "test", "har", "report", "secrets"]
Again = Literal["span", "recording"]
SUFFIXES: dict[Kind, str] = {
    "requests": ".ndjson",
    "pairs": ".ndjson",
    "secrets": ".ndjson",
    "script": ".pw",
    "test": ".py",
    "har": ".har",
    "report": ".html",
}
LABELS: tuple[tuple[Kind, str, str], ...] = (
    ("requests", "requests, for pw batch", "r"),
    ("pairs", "requests with responses", "p"),
    ("script", "keywords", "k"),
    ("test", "Python test", "y"),
    ("har", "requests of the pages", "h"),
    ("report", "report with pictures", "w"),
    ("secrets", "requests with secrets", "s"),
)


class Scope(NamedTuple):
    """What is exported."""

    what: str
    entries: Callable[[], list[LogEntry]]
    """Read in a thread."""


class Exported(NamedTuple):
    requests: int
    variables: Sequence[str] = ()


async def export_log(app: PanelApp) -> None:
    """Ask for the content and the file, then write it."""
    scope: Scope | None = _shown(app)
    while scope is not None:
        choices: list[Choice[Kind | Again]] = [
            Choice(kind, label, key, SUFFIXES[kind], is_dangerous=kind == "secrets")
            for kind, label, key in LABELS
        ]
        choices += [
            Choice("span", "of a time span…", "t"),
            Choice("recording", "of a recording…", "o"),
        ]
        chosen = await app.push_screen_wait(ChoiceDialog(f"Export {scope.what}", choices))
        if chosen == "span":
            scope = await _span(app)
        elif chosen == "recording":
            scope = await _recording(app)
        else:
            if chosen is not None:
                await _write(app, scope, chosen)
            return


def _shown(app: PanelApp) -> Scope:
    """The selection, else what the filter shows, else all since the panel was opened."""
    log = app.store.log
    if selected := log.selection():
        return Scope(f"{len(selected):,} selected requests", lambda: selected)
    if log.filter:
        shown, text, everywhere = log.shown(), log.text, log.everywhere
        count = len(shown) + log.earlier.total
        return Scope(
            f"{count:,} requests shown", lambda: [*_earlier(app, text, everywhere), *shown]
        )
    entries = [entry for entry in log.shown() if not entry.is_event]
    return Scope(f"all {len(entries):,} requests since the start", lambda: entries)


def _earlier(app: PanelApp, text: str, everywhere: bool = False) -> list[LogEntry]:
    return app.store.earlier.all_matching(text, everywhere=everywhere)


async def _span(app: PanelApp) -> Scope | None:
    prompt = PromptDialog(
        "Time span", value="1h", placeholder="since, until: 2h, or 14:05 14:20, or 2026-11-18"
    )
    text = await app.push_screen_wait(prompt)
    if not text:
        return None
    terms = [f"{name}:{each}" for name, each in zip(("since", "until"), text.split(), strict=False)]
    return Scope(f"since {text}", lambda: _earlier(app, " ".join(terms)))


async def _recording(app: PanelApp) -> Scope | None:
    from pwtui.history.spans import spans

    here = [each for each in spans() if each.workspace == app.store.workspace]
    if not here:
        app.notify("There is no recording in this workspace.")
        return None
    choices = [Choice(each.path, each.name) for each in here[:50]]
    path = await app.push_screen_wait(ChoiceDialog("Recording", choices))
    if path is None:
        return None
    return Scope(f"recording {Path(path).stem}", lambda: _earlier(app, f'recording:"{path}"'))


async def _write(app: PanelApp, scope: Scope, kind: Kind) -> None:
    suffix = SUFFIXES[kind]
    path = await ask_target(app, "Export to", f"session{suffix}", suffixes=[suffix])
    if path is None:
        return
    try:
        done = await asyncio.to_thread(partial(_written, app, scope, kind, path))
    except PwError as error:
        app.notify(plain(str(error)), severity="error", markup=False)
    except OSError as error:
        app.notify(f"Cannot write {path}: {error.strerror}", severity="error", markup=False)
    else:
        secrets = f"; variables: {', '.join(done.variables)}" if done.variables else ""
        what = f"{done.requests} request{'' if done.requests == 1 else 's'}"
        app.notify(f"Exported {what} to {path}{secrets}", markup=False)


def _written(app: PanelApp, scope: Scope, kind: Kind, path: Path) -> Exported:
    entries = [
        each for each in scope.entries() if each.request and not (each.is_event or each.pending)
    ]
    if kind in ("har", "report"):
        return _of_history(app, entries, kind, path)
    if kind == "secrets":
        entries = [app.controller.history.unmasked(entry) for entry in entries]
    if kind in ("script", "test"):
        return _replayed(entries, "pw" if kind == "script" else "pytest", path)
    return write_ndjson(entries, path, with_responses=kind == "pairs")


def write_ndjson(entries: list[LogEntry], path: Path, *, with_responses: bool) -> Exported:
    """NDJSON, with responses or for `pw batch`."""
    from pwtui.recordings.model import replayable, with_variables

    lines = []
    for number, entry in enumerate(entries, 1):
        record = pair(entry)
        if not with_responses:
            record = replayable(entry.request, entry.response or {})
            record["input"] = with_variables(record["input"], number)
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    write_text(path, "".join(lines), private=True)
    return Exported(len(lines))


def _replayed(entries: list[LogEntry], format: Literal["pw", "pytest"], path: Path) -> Exported:
    from pwtui.protocol.envelope import Request, Response
    from pwtui.protocol.errors import InvalidInput
    from pwtui.recordings.from_history import is_replayed, replay_text
    from pwtui.recordings.model import RecordedStep, Recording

    steps = tuple(
        RecordedStep(
            number, Request.model_validate(entry.request), Response.model_validate(entry.response)
        )
        for number, entry in enumerate(entries, 1)
        if is_replayed(entry.op)
    )
    if not steps:
        raise InvalidInput("no request can be replayed")
    text, names, _ = replay_text(Recording(path, steps), format)
    write_text(path, text, private=True)
    return Exported(sum(not step.failed for step in steps), names)


def _of_history(app: PanelApp, entries: list[LogEntry], kind: Kind, path: Path) -> Exported:
    from pwtui.app.past_reader import find_entry
    from pwtui.history.reader import HistoryReader
    from pwtui.history.report import to_html
    from pwtui.history.steps import read_steps
    from pwtui.protocol.errors import InvalidInput
    from pwtui.recordings.from_history import har_of

    with HistoryReader() as history:
        workspace = app.store.workspace
        found = [find_entry(history, entry, workspace) for entry in entries]
        recorded = [entry for entry in found if entry is not None]
        if not recorded:
            raise InvalidInput("the history has none of these requests")
        if kind == "har":
            text = har_of(history, recorded)
        else:
            text = to_html(list(read_steps(history, recorded)))
    write_text(path, text, private=True)
    return Exported(len(recorded))
