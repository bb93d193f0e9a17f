"""The README for the package index, where links into the repository must be absolute."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(?P<image>!?)(?P<text>\[[^\]]*\]\()(?!https?:|#)(?P<path>[^)\s]+)\)")


class PackagePage(MetadataHookInterface):
    """Called by hatchling: see `tool.hatch.metadata.hooks.custom` in pyproject.toml."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_absolute_links(text, metadata["urls"]["Source"]),
        }


def with_absolute_links(text: str, source: str) -> str:
    """Links and pictures of a page at the top of the repository, as URLs of its main branch."""

    def absolute(found: re.Match[str]) -> str:
        view = "raw" if found["image"] else "blob"
        return f"{found['image']}{found['text']}{source}/{view}/main/{found['path']})"

    return _LINK.sub(absolute, text)
