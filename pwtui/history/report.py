"""A span of the history as one HTML file that needs nothing else."""

from __future__ import annotations

import html
import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pwtui.history.steps import WORDS, Step
from pwtui.history.tables import State
from pwtui.protocol.printable import printable

# Page text is hostile: it is escaped, and a mistake would still run no script and load nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def to_html(steps: Sequence[Step]) -> str:
    """The timeline, and each step with what belongs to it."""
    style = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    failed = sum(step.entry.state is not State.OK for step in steps)
    title = f"{len(steps)} requests, {failed} failed"
    parts = [
        "<!doctype html>\n<html lang='en'><meta charset='utf-8'>",
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        "<meta name='viewport' content='width=device-width'>",
        f"<title>{title}</title><style>{style}</style>",
        f"<nav><h1>{title}</h1><ol>{''.join(map(_timeline, steps))}</ol></nav><main>",
    ]
    for step in steps:
        parts += _step(step)
    return "\n".join(parts) + "\n</main>\n"


def _timeline(step: Step) -> str:
    entry = step.entry
    return (
        f"<li class='{WORDS[entry.state]}'><a href='#{entry.id}'>"
        f"<time title='{_clock(entry.time)}'>{_clock(entry.time)[11:]}</time> "
        f"<b>{_text(entry.op)}</b> {_text(step.subject)}</a></li>"
    )


def _step(step: Step) -> Iterator[str]:
    entry = step.entry
    took = f"{entry.ms:.0f} ms" if entry.ms is not None else ""
    yield f"<section id='{entry.id}' class='{WORDS[entry.state]}'>"
    yield f"<h2>{_text(entry.op)} {_text(step.subject)}</h2>"
    who = f"{entry.client} · {entry.profile} · {_clock(entry.time)} · {took}"
    yield f"<p class='who'>{_text(who)}</p>"
    if step.outcome:
        yield f"<p class='outcome'>{_text(step.outcome)}</p>"
    pictures = [
        _picture(name, each) for name, each in (("before", step.before), ("after", step.after))
    ]
    yield f"<div class='pictures'>{''.join(pictures)}</div>"
    yield _lines("tree", step.tree_changes)
    messages = [
        json.loads(each.data) for each in step.events if each.kind in ("console", "pageError")
    ]
    yield _lines("console", [f"{each.get('type', 'error')}: {each['text']}" for each in messages])
    requests = [json.loads(each.data) for each in step.events if each.kind == "network"]
    yield _lines("network", [_request(each) for each in requests])
    others = [each for each in step.events if each.kind not in ("console", "pageError", "network")]
    yield _lines("events", [_event(each.kind, json.loads(each.data)) for each in others])
    for name, envelope in (("request", step.request), ("response", step.response)):
        if envelope is not None:
            yield _lines(name, [json.dumps(envelope, indent=2, ensure_ascii=False)])
    yield "</section>"


def _picture(name: str, picture: bytes | None) -> str:
    if picture is None:
        return ""
    source = f"data:image/jpeg;base64,{b64encode(picture).decode()}"
    return f"<figure><img alt='{name}' src='{source}'><figcaption>{name}</figcaption></figure>"


def _lines(name: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    count = f" ({len(lines)})" if len(lines) > 1 else ""
    shown = "\n".join(f"<span class='{_change(line)}'>{_text(line)}</span>" for line in lines)
    return f"<details><summary>{name}{count}</summary><pre>{shown}</pre></details>"


def _change(line: str) -> str:
    return {"+": "added", "-": "removed"}.get(line[:1], "")


def _request(data: dict[str, Any]) -> str:
    ended = data.get("status") or data.get("failure") or "pending"
    return f"{data['method']} {data['url']} → {ended}"


def _event(kind: str, data: dict[str, Any]) -> str:
    values = [data.get(name) for name in ("change", "title", "url", "dialog", "suggestedFilename")]
    return " ".join([kind, *(str(value) for value in values if value)])


def _clock(time: float) -> str:
    return datetime.fromtimestamp(time).isoformat(" ", "seconds")


def _text(text: str) -> str:
    return html.escape(printable(text))
