"""Asking the engine for the inputs of all operations."""

from __future__ import annotations

from typing import Any

from pwtui.cli.context import Context
from pwtui.keywords.schemas import REQUEST, read_schemas


async def ask_schemas(context: Context) -> dict[str, dict[str, Any]]:
    return read_schemas(await context.perform(REQUEST, context.caller()))
