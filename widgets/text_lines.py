"""A text in lines."""

from __future__ import annotations

from typing import ClassVar

from pwtui.widgets.text import plain, width
from pwtui.widgets.text_view import TextView, Tokens


class TextLines(TextView):
    def __init__(self, text: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text_lines: list[str] = []
        self._set_lines(text)

    def _set_lines(self, text: str) -> None:
        self._text_lines = text.split("\n")
        self._text_columns = max(width(plain(line[:4000])) for line in self._text_lines)

    def show(self, text: str) -> None:
        """Show another text."""
        self._set_lines(text)
        self.rows_changed(0)

    @property
    def row_count(self) -> int:
        return len(self._text_lines)

    def line_text(self, row: int) -> str:
        return self._text_lines[row]


class DiffLines(TextLines):
    """Lines that begin with `+`, `-` or, for a heading, with `▾`."""

    INKS: ClassVar = {"+": "list--good", "-": "list--bad", "▾": "list--strong"}

    def tokens(self, row: int, text: str) -> Tokens:
        return ((text, self.INKS.get(text[:1], "list--muted")),)
