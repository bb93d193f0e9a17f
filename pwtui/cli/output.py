"""How responses look."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pwtui.cli.context import Context
    from pwtui.protocol.envelope import Response


def print_json(context: Context, value: Any, *, always: bool = False) -> bool:
    """Print a value if JSON was asked for, indented unless as ndjson; returns whether it was."""
    if not always and context.format not in ("json", "ndjson"):
        return False
    indent = None if context.format == "ndjson" else 2
    context.terminal.data(json.dumps(value, indent=indent, ensure_ascii=False))
    return True


def as_text(response: Response, width: int | None) -> str:
    """The result as a person reads it, and where an action has led."""
    from pwtui.repl.render import outcome, page_change

    lines = [outcome(response, width)]
    if (url := page_change(response, None)) is not None:
        lines.append(f"→ {url}")
    return "\n".join(filter(None, lines))
