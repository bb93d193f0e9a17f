"""What keys and clicks do. Each module is loaded for the first of its actions."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from pwtui.app.actions import (
        controls,
        custom,
        daemon,
        export,
        inspect,
        node_menu,
        output,
        page,
        profiles,
        sessions,
        storage,
    )

__all__ = [
    "controls",
    "custom",
    "daemon",
    "export",
    "inspect",
    "node_menu",
    "output",
    "page",
    "profiles",
    "sessions",
    "storage",
]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
