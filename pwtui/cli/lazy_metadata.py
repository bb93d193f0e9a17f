"""Starting without `importlib.metadata`, which takes a tenth of the start.

pydantic imports it to look for plugins among all that is installed, even if they are disabled.
"""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType
from typing import Any

NAME = "importlib.metadata"


class _LazyMetadata(ModuleType):
    """Stands in for the module, which is loaded when it is used."""

    def entry_points(self, **which: Any) -> Any:
        return _load().entry_points(**which)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_load(), name)


def _load() -> Any:
    if isinstance(sys.modules.get(NAME), _LazyMetadata):
        del sys.modules[NAME]
    return importlib.import_module(NAME)


def use_no_plugins_of_pydantic() -> None:
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if NAME not in sys.modules:
        sys.modules[NAME] = importlib.metadata = _LazyMetadata(NAME)
