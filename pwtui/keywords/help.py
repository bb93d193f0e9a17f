"""Help for keywords."""

from __future__ import annotations

from textwrap import wrap

from pwtui.keywords.parser import unknown
from pwtui.keywords.table import GROUPS, aliases, by_name


def overview(width: int = 0) -> str:
    """All keywords by group: a line for each group, or lines of at most `width` characters."""
    column = max(map(len, GROUPS)) + 2
    lines = []
    for title, keywords in GROUPS.items():
        names = " ".join(keyword.name for keyword in keywords)
        wrapped = wrap(names, width - column, break_on_hyphens=False) if width else [names]
        lines += [f"{'' if i else title:{column}}{part}" for i, part in enumerate(wrapped)]
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
