"""Responses as text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from pwtui.keywords.table import KEYWORDS
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Response
from pwtui.protocol.outcome import Table, outline, result
from pwtui.protocol.printable import one_line

SLOW_MS = 500
_QUOTED = re.compile(r"`([a-z.-]+)`")


def render(response: Response) -> str:
    """The result or error, with keywords instead of operations, and the diagnostics."""
    said = [error_text(response, as_keywords), *notes(response, as_keywords)]
    return "\n".join(filter(None, [outcome(response), *said]))


def outcome(response: Response, width: int | None = None) -> str:
    """The result and the saved files; tables are cut to the width of the terminal."""
    lines = [] if response.error else [_result(response, width)]
    lines += [f"saved {each.type}: {each.path}" for each in response.artifacts or ()]
    return "\n".join(filter(None, lines))


def notes(response: Response, advice: Callable[[str], str]) -> list[str]:
    """The diagnostics; `advice` translates hints for the reader."""
    return [
        f"{'note' if note.level == 'info' else note.level}: {advice(note.message)}"
        for note in response.diagnostics or ()
    ]


def as_keywords(hint: str) -> str:
    """A hint with keywords instead of the operations that it quotes."""
    return _QUOTED.sub(lambda quoted: f"`{_keyword_names().get(quoted[1], quoted[1])}`", hint)


@cache
def _keyword_names() -> dict[str, str]:
    names: dict[str, str] = {}
    for keyword in KEYWORDS:
        names.setdefault(keyword.op, keyword.name)
    return names


def error_text(response: Response, advice: Callable[[str], str]) -> str:
    """The error with its code, hint and details; empty without one."""
    error = response.error
    if error is None:
        return ""
    lines = [f"{error.code}: {error.message}"]
    if error.hint:
        lines.append(f"  {advice(error.hint)}")
    details = error.details or {}
    for candidate in details.get("candidates") or ():
        lines.append(f"  {candidate.get('selector', '')}  {candidate.get('text', '')}".rstrip())
    if error.code == "ASSERTION_FAILED" and "expected" in details:
        lines.append(f"  expected: {_json(details['expected'])}")
        lines.append(f"  actual:   {_json(details.get('actual'))}")
    return "\n".join(lines)


def _result(response: Response, width: int | None) -> str:
    info = catalog().get(response.op)
    if info is None:
        return "\n".join(outline(response.data or {}))
    shown = result(info, response)
    return shown if isinstance(shown, str) else aligned(shown, width)


def aligned(table: Table, width: int | None) -> str:
    """The table as lines; those that are wider are cut."""
    from rich.cells import cell_len, set_cell_size

    rows = [[one_line(cell) for cell in row] for row in (table.header, *table.rows) if row]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    section = ""
    for number, row in enumerate(rows):
        line = "  ".join(map(set_cell_size, row, widths)).rstrip()
        if table.sections:
            if table.sections[number] != section:
                section = table.sections[number]
                lines += [*([""] if lines else ()), one_line(section)]
            line = f"  {line}"
        if width is not None and cell_len(line) > width:
            line = set_cell_size(line, width - 1).rstrip() + "…"
        lines.append(line)
    return "\n".join(lines)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def page_change(response: Response, known: str | None) -> str | None:
    """The new URL of the page, if it changed."""
    url = response.context_delta.url if response.context_delta else None
    info = catalog().get(response.op)
    if url is None or (info is not None and info.outcome.shows_url):
        return None  # nothing new, or shown already
    navigated = bool((response.data or {}).get("navigated"))
    return url if navigated or known not in (None, url) else None
