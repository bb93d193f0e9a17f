"""How responses look on stdout."""

from __future__ import annotations

import json
import sys
from typing import Literal

from pwtui.protocol.envelope import Response

Format = Literal["json", "ndjson", "text"]
FORMATS: tuple[Format, ...] = ("json", "ndjson", "text")


def default_format() -> Format:
    """Pretty for a person, one line for a program."""
    return "json" if sys.stdout.isatty() else "ndjson"


def show(response: Response, format: Format) -> None:
    """Write one response and flush, so that a program on the other end of a pipe sees it now."""
    text = render(response, format)
    # Lone surrogates are legal in JSON strings, and no reason to lose an answer.
    sys.stdout.buffer.write((text + "\n").encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


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


def complain(text: str) -> None:
    """Say something to the person, away from the data on stdout."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
