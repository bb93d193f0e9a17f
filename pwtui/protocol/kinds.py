"""The kinds of events of sessions; `events` has their models."""

from __future__ import annotations

from typing import Literal, get_args

Kind = Literal[
    "console",
    "pageError",
    "network",
    "websocket",
    "dialog",
    "fileChooser",
    "download",
    "navigation",
    "tab",
    "browser",
]
"""The kinds that a client can subscribe to. A `flood` of a kind comes with that kind."""
KINDS: tuple[str, ...] = get_args(Kind)
