"""The page of keywords."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docs.generators.operations import link
from pwtui.keywords.table import GROUPS, UNSUPPORTED_KEYWORDS
from pwtui.protocol.catalog import catalog
from pwtui.protocol.keyword import KeywordInfo

_INTRODUCTION = Path(__file__).with_name("keywords.md")


def page() -> str:
    parts = [_INTRODUCTION.read_text(encoding="utf-8")]
    for title, keywords in GROUPS.items():
        parts.append(f"## {title}\n")
        parts.append("| keyword | also | | operation |\n|---|---|---|---|")
        parts += [*map(_row, keywords), ""]
    parts.append("## Not supported\n")
    parts.append("Keywords of Playwright's own CLI, and what to use instead:\n")
    parts += [*_elsewhere(), ""]
    return "\n".join(parts)


def _row(keyword: KeywordInfo) -> str:
    usage = keyword.usage.replace("|", "\\|")
    also = ", ".join(f"`{alias}`" for alias in keyword.aliases)
    return f"| `{usage}` | {also} | {keyword.summary} | {link(catalog()[keyword.op])} |"


def _elsewhere() -> Iterator[str]:
    for name, instead in sorted(UNSUPPORTED_KEYWORDS.items()):
        yield f"- `{name}`: {instead}"
