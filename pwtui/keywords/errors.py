"""Errors of keyword lines."""

from __future__ import annotations

from pwtui.protocol.errors import InvalidInput


class KeywordError(InvalidInput):
    """The line is not a valid command; `usage` shows how to write it."""

    def __init__(self, message: str, *, hint: str | None = None, usage: str | None = None) -> None:
        super().__init__(message, hint=hint, details={"usage": usage} if usage else None)
        self.usage = usage
