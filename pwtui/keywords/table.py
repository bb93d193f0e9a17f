"""All keywords, as the operations declare them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from pwtui.protocol.catalog import Catalog, catalog
from pwtui.protocol.keyword import Group, KeywordInfo

# Keywords of Playwright's own CLI that are done otherwise here.
UNSUPPORTED_KEYWORDS: Final[Mapping[str, str]] = {
    "close-all": "`pw daemon stop`, or `pw session stop --profile NAME` for one",
    "exit": "`.exit`",
    "help": "`.help`",
    "quit": "`.exit`",
    "delete-data": "`pw profile delete NAME`",
    "install": "nothing: there is nothing to install",
    "install-browser": "`pw install`",
    "kill-all": "`pw daemon stop`",
    "pause-at": "`pw replay --step`",
    "recording-start": "`.record`",
    "recording-stop": "`.save`",
    "resume": "`pw replay --step`",
    "show": "`pwtui`",
    "start-recording": "`.record`",
    "step-over": "`pw replay --step`",
    "stop-recording": "`.save`",
}


def keyword_groups(operations: Catalog) -> dict[Group, tuple[KeywordInfo, ...]]:
    """The keywords by section, those of one operation together."""
    every = [keyword for info in operations.values() for keyword in info.keywords]
    return {group: tuple(each for each in every if each.group is group) for group in Group}


GROUPS: Final = keyword_groups(catalog())
KEYWORDS: Final = tuple(keyword for group in GROUPS.values() for keyword in group)


@cache
def by_name() -> Mapping[str, KeywordInfo]:
    """Keywords by every name that they have, in lower case."""
    names: dict[str, KeywordInfo] = {}
    for keyword in KEYWORDS:
        for name in (keyword.name, *keyword.aliases):
            if names.setdefault(name.lower(), keyword) is not keyword:
                raise ValueError(f"{name} is the name of two keywords")
    return names


def aliases() -> dict[str, str]:
    """What each alias stands for."""
    return {alias: keyword.name for keyword in KEYWORDS for alias in keyword.aliases}
