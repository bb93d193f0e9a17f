"""All keywords, from the declarations of operations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from pwtui.protocol.catalog import Catalog, catalog
from pwtui.protocol.keyword import Group, KeywordInfo

# What to use instead of other keywords of the Playwright CLI.
UNSUPPORTED_KEYWORDS: Final[Mapping[str, str]] = {
    "close-all": "use `pw daemon stop`, or `pw session stop --profile NAME` for one",
    "exit": "use `.exit`",
    "help": "use `.help`",
    "quit": "use `.exit`",
    "delete-data": "use `pw profile delete NAME`",
    "install": "there is nothing to install",
    "install-browser": "use `pw install`",
    "kill-all": "use `pw daemon stop`",
    "pause-at": "use `pw replay --step`",
    "recording-start": "use `.record`",
    "recording-stop": "use `.save`",
    "resume": "use `pw replay --step`",
    "show": "use `pwtui`",
    "start-recording": "use `.record`",
    "step-over": "use `pw replay --step`",
    "stop-recording": "use `.save`",
}


def keyword_groups(operations: Catalog) -> dict[Group, tuple[KeywordInfo, ...]]:
    """The keywords by group, those of one operation together."""
    every = [keyword for info in operations.values() for keyword in info.keywords]
    return {group: tuple(each for each in every if each.group is group) for group in Group}


GROUPS: Final = keyword_groups(catalog())
KEYWORDS: Final = tuple(keyword for group in GROUPS.values() for keyword in group)


@cache
def by_name() -> Mapping[str, KeywordInfo]:
    """Keywords by name and alias, in lower case."""
    names: dict[str, KeywordInfo] = {}
    for keyword in KEYWORDS:
        for name in (keyword.name, *keyword.aliases):
            if names.setdefault(name.lower(), keyword) is not keyword:
                raise ValueError(f"{name} is the name of two keywords")
    return names


def aliases() -> dict[str, str]:
    """The keyword of each alias."""
    return {alias: keyword.name for keyword in KEYWORDS for alias in keyword.aliases}
