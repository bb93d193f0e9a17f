"""Multi-line text that handles all keys in the order in which they were typed."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.widgets import TextArea

from pwtui.widgets.line_field import run_binding


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
        await run_binding(self, event)
        # TextArea moves the focus on escape.
        event.prevent_default()
