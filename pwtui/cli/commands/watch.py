"""`pw watch`: what happens in sessions, as it happens."""

from __future__ import annotations

import json
from typing import Any

from pwtui.cli.context import FAILED, Context
from pwtui.cli.event_lines import line_of
from pwtui.client.subscription import Subscription
from pwtui.protocol.events import (
    CallEvent,
    DroppedEvent,
    FloodEvent,
    PageErrorEvent,
    read_event,
)


async def watch_command(
    context: Context, *, profile: str | None, session: str | None, kind: list[str]
) -> int:
    """Print events until it is interrupted, or the daemon exits."""
    caller = context.caller(profile=profile)
    subscription = await Subscription.open(
        "pw watch", caller, kinds=kind, session=session, profile=None if session else profile
    )
    is_text = context.format == "text" or (context.format is None and context.terminal.is_tty)
    try:
        if not context.arguments.quiet:
            names = [
                each.get("profile") or each["client"] for each in subscription.state["sessions"]
            ]
            context.terminal.err(f"watching; open sessions: {', '.join(names) or 'none'}")
        async for wire in subscription:
            _show(context, wire, is_text=is_text)
    finally:
        await subscription.close()
    context.terminal.err("pw: the daemon has exited")
    return FAILED


def _show(context: Context, wire: dict[str, Any], *, is_text: bool) -> None:
    if not is_text:
        context.terminal.data(json.dumps(wire, ensure_ascii=False))
    elif (event := read_event(wire)) is not None:
        if isinstance(event, CallEvent) and event.status == "running":
            return  # its result has a line
        is_bad = isinstance(event, PageErrorEvent | FloodEvent | DroppedEvent)
        context.terminal.out(line_of(event), style="red" if is_bad else None)
