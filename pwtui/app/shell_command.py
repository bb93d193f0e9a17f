"""Envelopes as command lines to copy."""

from __future__ import annotations

import json
import shlex
from typing import Any


def as_command(request: dict[str, Any]) -> str:
    """The `pw exec` command that sends this envelope."""
    runtime = request.get("runtime") or {}
    input = request.get("input") or {}
    if runtime.get("overrides"):
        envelope = json.dumps(request, ensure_ascii=False)
        return f"pw exec --file - <<< {shlex.quote(envelope)}"
    words = ["pw", "exec", str(request["op"])]
    if input:
        words += ["--input", json.dumps(input, ensure_ascii=False)]
    if runtime.get("profile"):
        words += ["--profile", str(runtime["profile"])]
    return " ".join(shlex.quote(word) for word in words)
