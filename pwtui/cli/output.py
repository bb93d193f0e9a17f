"""How responses look."""

from __future__ import annotations

import json
from typing import Literal

from pwtui.protocol.envelope import Response

Format = Literal["json", "ndjson", "text"]
FORMATS: tuple[Format, ...] = ("json", "ndjson", "text")


def default_format(*, is_tty: bool) -> Format:
    """Pretty for a person, one line for a program."""
    return "json" if is_tty else "ndjson"


def render(response: Response, format: Format) -> str:
    if format == "ndjson":
        return response.to_json()
    if format == "json":
        return response.to_json(indent=2)
    if response.error is not None:
        text = f"Error [{response.error.code}]: {response.error.message}"
        if response.error.details:
            text += f"\nDetails: {json.dumps(response.error.details, ensure_ascii=False)}"
        return text
    return json.dumps(response.data, indent=2, ensure_ascii=False)
