"""Help for keywords."""

from __future__ import annotations

from pwtui.keywords.parser import unknown
from pwtui.keywords.table import GROUPS, aliases, by_name


def overview() -> str:
    """All keywords, one line per group."""
    width = max(map(len, GROUPS)) + 2
    lines = [
        f"{title:{width}}{' '.join(keyword.name for keyword in keywords)}"
        for title, keywords in GROUPS.items()
    ]
    return "\n".join(lines)


def help_for(name: str) -> str:
    """The help of a keyword; KeywordError if it is unknown."""
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
