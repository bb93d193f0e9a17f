"""The user's own actions: keys of a pane for a request, a keyword line or a shell command.

What a page says is hostile. A command gets it in environment variables only; a request gets it as
values of its input, and a keyword line as quoted words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pwtui.keywords.errors import KeywordError
from pwtui.keywords.parser import parse
from pwtui.keywords.tokenizer import double_quoted, quote
from pwtui.protocol.envelope import Request
from pwtui.state.paths import user_config_dir

NAMES = ("url", "title", "ref", "selector", "session", "profile", "workspace", "pid")
"""The values of the place where the key was pressed."""
PREFIX = "PWTUI_"

_VALUE = re.compile(r"\{(" + "|".join(NAMES) + r")\}")
_VARIABLE = re.compile(rf"{PREFIX}({'|'.join(NAMES).upper()})\b")
_REF = re.compile(r"(f\d+)?e\d+")

Values = Mapping[str, str | None]


class MissingValue(ValueError):
    """The action needs a value that this place does not have."""


@dataclass(frozen=True)
class CustomAction:
    """One `[[action]]` of the file; exactly one of the last three is set."""

    key: str
    title: str
    pane: str = ""
    """Empty: all panes."""
    output: Literal["none", "window"] = "none"
    shell: str = ""
    keyword: str = ""
    request: Mapping[str, Any] = field(default_factory=dict)

    @property
    def needs(self) -> frozenset[str]:
        """The names of the values that it uses."""
        text = f"{self.keyword} {self.request}"
        in_shell = (found.lower() for found in _VARIABLE.findall(self.shell))
        return frozenset((*_VALUE.findall(text), *in_shell))

    def to_request(self, values: Values) -> Request:
        """The request, unless it is a command; raises MissingValue or KeywordError."""
        if self.keyword:
            return parse(_VALUE.sub(lambda found: _as_word(found[1], values), self.keyword))
        return Request.model_validate(_filled(dict(self.request), values))

    def environment(self, values: Values) -> dict[str, str]:
        """The variables of a command."""
        for name in self.needs:
            _value(name, values)
        known = {name: value for name, value in values.items() if value is not None}
        return {f"{PREFIX}{name.upper()}": value.replace("\0", "") for name, value in known.items()}


def actions_file() -> Path:
    return user_config_dir() / "actions.toml"


def load_actions(panes: frozenset[str]) -> tuple[list[CustomAction], list[str]]:
    """The actions of the user's file, and what is wrong with it."""
    path = actions_file()
    try:
        known = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return [], []
    except (OSError, ValueError, RecursionError) as error:
        return [], [f"{path}: ignored, {error}"]
    entries = known.get("action", [])
    if not isinstance(entries, list):
        return [], [f"{path}: ignored, it must have [[action]] tables"]
    actions, problems = [], []
    for number, entry in enumerate(entries, 1):
        try:
            actions.append(_action(entry, panes))
        except ValueError as error:
            problems.append(f"{path}: action {number}: {error}")
    return actions, problems


def _action(entry: object, panes: frozenset[str]) -> CustomAction:
    if not isinstance(entry, dict):
        raise ValueError("must be a table")
    if unknown := entry.keys() - CustomAction.__dataclass_fields__.keys():
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}")
    for name in ("key", "title"):
        if not (isinstance(entry.get(name), str) and entry[name].strip()):
            raise ValueError(f"{name} is missing")
    kinds = [name for name in ("shell", "keyword", "request") if entry.get(name)]
    if len(kinds) != 1:
        raise ValueError("it must have one of shell, keyword and request")
    for name in entry.keys() - {"request"}:
        if not isinstance(entry[name], str):
            raise ValueError(f"{name} must be a text")
    if entry.get("pane", "") not in panes | {""}:
        raise ValueError(f"there is no pane {entry['pane']!r}")
    if entry.get("output", "none") not in ("none", "window"):
        raise ValueError("output must be none or window")
    action = CustomAction(**entry)
    if found := _VALUE.search(action.shell):
        variable = f'"${PREFIX}{found[1].upper()}"'
        raise ValueError(f"{found[0]} in a command is not safe: use {variable}")
    _check(action)
    return action


def _check(action: CustomAction) -> None:
    """Raise ValueError if no value makes it valid."""
    if action.shell:
        return
    sample = dict.fromkeys(NAMES, "x") | {"ref": "e1", "pid": "1"}
    try:
        action.to_request(sample)
    except (KeywordError, ValueError) as error:
        raise ValueError(str(error).splitlines()[0]) from None


def _value(name: str, values: Values) -> str:
    value = values.get(name)
    if not value:
        raise MissingValue(f"there is no {name} here")
    return value


def _as_word(name: str, values: Values) -> str:
    value = _value(name, values)
    if name == "ref" and _REF.fullmatch(value):
        return value
    if name == "selector":
        if quote(value) != value:
            raise MissingValue("this selector has to be in a request, not in a keyword line")
        return value
    return double_quoted(value)


def _filled(value: Any, values: Values) -> Any:
    if isinstance(value, str):
        return _VALUE.sub(lambda found: _value(found[1], values), value)
    if isinstance(value, dict):
        return {key: _filled(item, values) for key, item in value.items()}
    return [_filled(item, values) for item in value] if isinstance(value, list) else value
