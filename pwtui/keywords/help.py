"""Help for people, written from the table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from pwtui.keywords.parser import unknown
from pwtui.keywords.table import GROUPS, UNSUPPORTED_KEYWORDS, aliases, by_name
from pwtui.protocol.keyword import KeywordInfo

_INTRODUCTION = Path(__file__).with_name("introduction.md")


def overview() -> str:
    """All keywords, a line for each group."""
    width = max(map(len, GROUPS)) + 2
    lines = [
        f"{title:{width}}{' '.join(keyword.name for keyword in keywords)}"
        for title, keywords in GROUPS.items()
    ]
    return "\n".join(lines)


def help_for(name: str) -> str:
    """How one keyword is written, or KeywordError."""
    keyword = by_name().get(name.lower())
    if keyword is None:
        raise unknown(name)
    lines = [keyword.summary, f"  {keyword.usage}"]
    lines += [f"  --{each.name}: {each.help}" for each in keyword.options if each.help]
    if keyword.aliases:
        lines.append(f"  also: {', '.join(keyword.aliases)}")
    lines.append(f"  operation: {keyword.op}")
    return "\n".join(lines)


def alias_list() -> str:
    return "\n".join(f"{alias:20}{name}" for alias, name in sorted(aliases().items()))


def page() -> str:
    parts = [_INTRODUCTION.read_text(encoding="utf-8")]
    for title, keywords in GROUPS.items():
        parts.append(f"## {title}\n")
        parts.append("| keyword | also | | operation |\n|---|---|---|---|")
        parts += [*map(_row, keywords), ""]
    parts.append("## Elsewhere\n")
    parts.append("Keywords of Playwright's own CLI that are done otherwise here:\n")
    parts += [*_elsewhere(), ""]
    return "\n".join(parts)


def _row(keyword: KeywordInfo) -> str:
    usage = keyword.usage.replace("|", "\\|")
    also = ", ".join(f"`{alias}`" for alias in keyword.aliases)
    anchor = keyword.op.replace(".", "")
    return f"| `{usage}` | {also} | {keyword.summary} | [`{keyword.op}`](operations.md#{anchor}) |"


def _elsewhere() -> Iterator[str]:
    for name, instead in sorted(UNSUPPORTED_KEYWORDS.items()):
        yield f"- `{name}`: {instead}"


def main() -> int:
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
