"""The inputs of all operations, as the engine describes them."""

from __future__ import annotations

from typing import Any

from pwtui.cli.context import Context
from pwtui.protocol.envelope import Request, Response

REQUEST = Request(op="ops.list", input={"schemas": True})


async def ask_schemas(context: Context) -> dict[str, dict[str, Any]]:
    return read_schemas(await context.perform(REQUEST, context.caller()))


def read_schemas(response: Response) -> dict[str, dict[str, Any]]:
    """By operation; none when the engine is too old to tell."""
    listed = (response.data or {}).get("operations", ())
    return {each["op"]: each["input"] for each in listed if "input" in each}
