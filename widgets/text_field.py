"""Multi-line text that handles all keys in the order in which they were typed."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.widgets import TextArea

from pwtui.widgets.json_lines import json_tokens
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


class JsonField(TextField):
    """JSON in colours, which need no parser: a line at a time."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "json--key",
        "json--string",
        "json--number",
        "json--literal",
        "json--punctuation",
    }
    DEFAULT_CSS = """
    JsonField {
        & > .json--key { color: $text-primary; }
        & > .json--string { color: $foreground; }
        & > .json--number { color: $text-warning; }
        & > .json--literal { color: $text-accent; text-style: italic; }
        & > .json--punctuation { color: $foreground-muted; }
    }
    """

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        at = 0
        for token, name in json_tokens(line.plain):
            if name:
                style = self.get_component_rich_style(name, partial=True)
                line.stylize(style, at, at + len(token))
            at += len(token)
        return line
