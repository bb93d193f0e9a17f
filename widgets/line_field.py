"""A line of text that handles all keys in the order in which they were typed."""

from __future__ import annotations

from textual import events
from textual.widget import Widget
from textual.widgets import Input


async def run_binding(field: Widget, event: events.Key) -> None:
    """Run the binding of a key in the message queue of the field, which also inserts letters.

    Textual runs it only after the key has bubbled up to the app, when later letters are already
    inserted.
    """
    if await field.app._check_bindings(event.key):
        event.stop()
        event.prevent_default()


class LineField(Input):
    """One line of text."""

    async def _on_key(self, event: events.Key) -> None:
        if not event.is_printable:
            await run_binding(self, event)
