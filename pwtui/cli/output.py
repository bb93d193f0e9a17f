"""Responses as text, as JSON, and single values of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pwtui.protocol.errors import did_you_mean, near_misses, with_hint

if TYPE_CHECKING:
    from pwtui.cli.context import Context
    from pwtui.protocol.envelope import Response


class PathNotFound(Exception):
    """The response has no value at this path."""


def print_json(context: Context, value: Any) -> bool:
    """Print a value if the format is json or ndjson; returns whether it is."""
    if context.format not in ("json", "ndjson"):
        return False
    indent = None if context.format == "ndjson" else 2
    context.terminal.data(json.dumps(value, indent=indent, ensure_ascii=False))
    return True


def value_at(value: Any, path: str) -> str:
    """The value at a dotted path: text unchanged, everything else as JSON."""
    so_far = ""
    for name in path.split("."):
        where = f"in {so_far}" if so_far else "in the response"
        match value:
            case dict() if name in value:
                value = value[name]
            case list() if name.isdecimal() and int(name) < len(value):
                value = value[int(name)]
            case dict():
                names = list(value)
                near = did_you_mean(near_misses(name, names))
                known = f"it has {', '.join(names)}" if names else "it is empty"
                raise PathNotFound(with_hint(f"no {name!r} {where}", near or known))
            case list():
                known = f"it is a list of {len(value)}; use an index from 0"
                raise PathNotFound(with_hint(f"no {name!r} {where}", known))
            case _:
                raise PathNotFound(f"no {name!r} {where}, which is {json.dumps(value)[:60]}")
        so_far = f"{so_far}.{name}".lstrip(".")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def as_text(response: Response, width: int | None) -> str:
    """The result as text, with the new URL after an action that navigated."""
    from pwtui.repl.render import outcome, page_change

    lines = [outcome(response, width)]
    if (url := page_change(response, None)) is not None:
        lines.append(f"→ {url}")
    if response.events:
        from pwtui.cli.event_lines import line_of
        from pwtui.protocol.events import read_event

        lines += [line_of(event) for event in map(read_event, response.events) if event]
    return "\n".join(filter(None, lines))
