"""All keywords. Help, completion and docs/keywords.md are written from this table alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final

from pwtui.keywords.acting import ACTIONS, DIALOGS, KEYBOARD_AND_MOUSE, NAVIGATION, TABS, WAITING
from pwtui.keywords.arguments import IN, Keyword
from pwtui.keywords.looking import ASSERTIONS, LOOKING
from pwtui.keywords.surroundings import CAPTURE, EMULATION, NETWORK, SESSION, STORAGE

_GROUPS: Final[Mapping[str, tuple[Keyword, ...]]] = {
    "Navigation": NAVIGATION,
    "Acting": ACTIONS,
    "Keyboard and mouse": KEYBOARD_AND_MOUSE,
    "Looking": LOOKING,
    "Assertions": ASSERTIONS,
    "Waiting": WAITING,
    "Dialogs": DIALOGS,
    "Tabs": TABS,
    "Storage": STORAGE,
    "Network": NETWORK,
    "Emulation": EMULATION,
    "Trace and video": CAPTURE,
    "Session": SESSION,
}


def _with_scope(keyword: Keyword) -> Keyword:
    takes_element = any(each.kind == "target" and not each.field for each in keyword.arguments)
    takes_code = any(each.raw for each in keyword.arguments)
    if takes_code or not takes_element:
        return keyword
    return replace(keyword, options=(*keyword.options, IN))


GROUPS: Final[Mapping[str, tuple[Keyword, ...]]] = {
    title: tuple(map(_with_scope, keywords)) for title, keywords in _GROUPS.items()
}

# Keywords of Playwright's own CLI that are done otherwise here.
ELSEWHERE: Final[Mapping[str, str]] = {
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

KEYWORDS: Final[tuple[Keyword, ...]] = tuple(
    keyword for group in GROUPS.values() for keyword in group
)


@cache
def by_name() -> Mapping[str, Keyword]:
    """Keywords by every name that they have, in lower case."""
    names: dict[str, Keyword] = {}
    for keyword in KEYWORDS:
        for name in (keyword.name, *keyword.aliases):
            if names.setdefault(name.lower(), keyword) is not keyword:
                raise ValueError(f"{name} is the name of two keywords")
    return names


def aliases() -> dict[str, str]:
    """What each alias stands for."""
    return {alias: keyword.name for keyword in KEYWORDS for alias in keyword.aliases}
