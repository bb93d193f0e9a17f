"""Fields to type into, which take every key in the order it was typed."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.widget import Widget
from textual.widgets import Input, TextArea


async def _run_binding(field: Widget, event: events.Key) -> None:
    """Run the binding of a key in the message queue of the field, where letters are inserted.

    Textual runs it when the key has bubbled up to the app. Until then, letters that were typed
    later are already in the field.
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
    """Text of several lines. Function keys and escape are left to the screen."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for key in ("f6", "f7"):
            self._bindings.key_to_bindings.pop(key)

    async def _on_key(self, event: events.Key) -> None:
        inserts_tab = event.key == "tab" and self.tab_behavior == "indent"
        if event.is_printable or event.key == "enter" or inserts_tab:
            return
        await _run_binding(self, event)
        # TextArea would take escape to move the focus.
        event.prevent_default()
