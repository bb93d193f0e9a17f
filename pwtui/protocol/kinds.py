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
    "user",
    "snapshot",
    "frame",
    "call",
    "hold",
]
"""The kinds that a client can subscribe to. `flood` and `unseen` come with the kind
that they are about."""
KINDS: tuple[str, ...] = get_args(Kind)
STATES: frozenset[str] = frozenset(("snapshot", "frame"))
"""Kinds that show all of what there is. A new subscriber gets the newest one."""
HAPPENINGS: tuple[str, ...] = tuple(kind for kind in KINDS if kind not in STATES)
"""What a client gets that does not choose."""
