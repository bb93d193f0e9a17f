"""How responses look."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pwtui.protocol.envelope import Response


def as_text(response: Response, width: int | None) -> str:
    """The result as a person reads it, and where an action has led."""
    from pwtui.repl.render import outcome, page_change

    lines = [outcome(response, width)]
    if (url := page_change(response, None)) is not None:
        lines.append(f"→ {url}")
    return "\n".join(filter(None, lines))
