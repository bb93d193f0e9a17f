"""docs/browsers.md: what works in which browser, from the declarations and the last sweep."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docs.generators.operations import link
from pwtui.protocol.catalog import OperationInfo, catalog

FILE = Path("docs/browsers.md")
HEADER = Path(__file__).with_suffix(".md")
RESULTS = Path(__file__).with_suffix(".json")

Outcome = dict[str, Any]


def page() -> str:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    found: Mapping[str, Outcome] = results["operations"]
    rows, works = [], []
    for info in catalog().values():
        if not info.needs_session:
            continue
        shown = _shown(info, found.get(info.id, {"outcome": "not tried"}))
        if shown is None:
            works.append(f"`{info.id}`")
        else:
            rows.append(f"| {link(info)} | {shown} |")
    only = [
        f"| {link(each)} | {', '.join(each.engines.only)} | {each.engines.why} |"
        for each in catalog().values()
        if each.engines.only
    ]
    text = HEADER.read_text(encoding="utf-8")
    for name, value in {
        "VERSION": results["firefox"],
        "COUNT": str(len(found)),
        "WORKS": ", ".join(works),
        "SAME": str(len(works)),
        "ROWS": "\n".join(rows),
        "ONLY": "\n".join(only),
    }.items():
        text = text.replace(f"@{name}@", value)
    return text


def _shown(info: OperationInfo, outcome: Outcome) -> str | None:
    """What is different in Firefox; None if nothing is."""
    match outcome["outcome"]:
        case "works":
            return info.engines.differs.get("firefox")
        case "refused":
            return f"refused: {outcome['why']}"
        case "differs":
            known = info.engines.differs.get("firefox")
            return known or f"differs in {', '.join(f'`{each}`' for each in outcome.get('in', ()))}"
        case other:
            return f"{other}: it needs ffmpeg, as in Chromium" if "video" in info.id else str(other)
