"""Text fields that handle all keys in the order in which they were typed."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.widget import Widget
from textual.widgets import Input, TextArea


async def _run_binding(field: Widget, event: events.Key) -> None:
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
            await _run_binding(self, event)


class TextField(TextArea):
    """Multi-line text. The screen handles function keys and escape."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for key in ("f6", "f7"):
            self._bindings.key_to_bindings.pop(key)

    async def _on_key(self, event: events.Key) -> None:
        inserts_tab = event.key == "tab" and self.tab_behavior == "indent"
        if event.is_printable or event.key == "enter" or inserts_tab:
            return
        await _run_binding(self, event)
        # TextArea moves the focus on escape.
        event.prevent_default()
