"""The inputs of all operations, as the engine describes them."""

from __future__ import annotations

from typing import Any

from pwtui.protocol.envelope import Request, Response

REQUEST = Request(op="ops.list", input={"schemas": True})


def read_schemas(response: Response) -> dict[str, dict[str, Any]]:
    """By operation; none when the engine is too old to tell."""
    listed = (response.data or {}).get("operations", ())
    return {each["op"]: each["input"] for each in listed if "input" in each}
