"""A text that does not change, in lines."""

from __future__ import annotations

from pwtui.widgets.text import plain, width
from pwtui.widgets.text_view import TextView


class TextLines(TextView):
    def __init__(self, text: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text_lines = text.split("\n")
        self._text_columns = max(width(plain(line[:4000])) for line in self._text_lines)

    @property
    def row_count(self) -> int:
        return len(self._text_lines)

    def line_text(self, row: int) -> str:
        return self._text_lines[row]
