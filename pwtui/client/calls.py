"""`call`, whose overloads `make docs` writes to the stub beside this module."""

from __future__ import annotations

from typing import Any


class Calls:
    def call(self, op: str, /, **input: Any) -> Any:
        """Run an operation and return its data, or raise the exception of its error code."""
        return self._call(op, input)

    def _call(self, op: str, input: dict[str, Any]) -> Any:
        raise NotImplementedError


class AsyncCalls:
    async def call(self, op: str, /, **input: Any) -> Any:
        """Run an operation and return its data, or raise the exception of its error code."""
        return await self._call(op, input)

    async def _call(self, op: str, input: dict[str, Any]) -> Any:
        raise NotImplementedError
