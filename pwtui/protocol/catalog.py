"""The metadata of operations, without importing the operations.

The declarations in `pwtui.operations` use these types. `make docs` writes them to `operations.json`
in this folder, and clients read that file with the standard library alone: neither pydantic nor
Playwright is imported.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pwtui.protocol.keyword import NOTHING, Argument, Group, KeywordInfo, Option
from pwtui.protocol.outcome import Outcome
from pwtui.protocol.schema import TAB_MARK, Schema, secret_fields

FILE = Path(__file__).with_name("operations.json")


AREAS = {
    "page": "Pages: navigate, read, wait, verify",
    "input": "Input: click, fill, press, drag, answer dialogs",
    "session": "Sessions, tabs, traces and videos",
    "network": "Network, console and emulation",
    "storage": "Cookies, storage and logins",
    "admin": "Profiles, daemon and tools",
}
"""The packages of `pwtui.operations` with their titles, in the order of the documentation."""


class Effect(StrEnum):
    """What an operation changes."""

    READS = "reads"
    """Nothing."""
    ACTS = "acts"
    """The page or the site."""
    CONFIGURES = "configures"
    """A profile, a session or the daemon."""


Search = Literal["point", "fill", "focus", "select", "check", "list"]
"""How an element is found by its text."""
RunsIn = Literal["client", "daemon", "session", "open session"]


class TargetRules(NamedTuple):
    """How an operation finds the page and the element that a request names."""

    search: Search = "point"
    optional: bool = False
    """Works without an element; otherwise the last one is used, or the request is refused."""
    fallback: str | None = None
    """The selector to use if the request has none and the cache has none."""
    url_may_be_selector: bool = False
    """A `url` with the syntax of a selector is used as the selector."""
    may_be_absent: bool = False
    """The operation waits for the element itself, or reports that it is missing."""
    opens_url: bool = False
    """The operation navigates to `url` itself; otherwise the page is opened before it runs."""


class Run(NamedTuple):
    """Where and how an operation runs."""

    where: RunsIn | None = None
    """In the client, the daemon or a session (default: session if its call needs one).

    `open session` is the daemon if no session is open.
    """
    queued: bool = True
    """Waits for the profile's earlier requests."""
    interactive: bool = False
    """Needs a person at the terminal; refused in a batch."""
    window: bool = False
    """Needs a visible browser, also if the profile is headless."""
    may_open_tab: bool = False
    needs_trust: bool | None = None
    """Recordings need the user's trust for it (default: if it changes more than a session)."""
    starts_browser: bool | None = None
    """Starts a browser if none is open (default: if its call needs one)."""


class NodeMenu(NamedTuple):
    """Offers an operation in the menu of a node of the accessibility tree."""

    key: str
    title: str
    roles: tuple[str, ...] = ()
    """The roles for which it is the default. Without `roles` and `also`, for all nodes."""
    also: tuple[str, ...] = ()
    """Other roles that offer it."""
    checked: bool | None = None
    """Only for nodes in this state."""
    asks: Literal["text", "key", "option", "number"] | None = None
    """What the user enters first: text, a key, an option of the control, or its number."""
    input: Mapping[str, str] = NOTHING
    """Additional input; `{ref}` is replaced by the node's ref."""


class Engines(NamedTuple):
    """How an operation depends on the browser."""

    only: tuple[str, ...] = ()
    """The engines that it works in; others are refused (default: all)."""
    why: str = ""
    """Why the others are refused."""
    differs: Mapping[str, str] = NOTHING
    """The difference from Chromium, by engine."""

    def refuses(self, browser: str) -> bool:
        return bool(self.only) and browser not in self.only


class _Declared(NamedTuple):
    id: str
    help: str
    effect: Effect
    input: Schema
    data: Schema
    needs_session: bool = False
    needs_page: bool = False
    takes_element: bool = False
    takes_url: bool = False
    example: Mapping[str, Any] = NOTHING
    target: TargetRules = TargetRules()
    run: Run = Run()
    engines: Engines = Engines()
    menu: tuple[NodeMenu, ...] = ()
    keywords: tuple[KeywordInfo, ...] = ()
    outcome: Outcome = Outcome()
    python: str = ""
    """The Python code in a generated test: a template, see `pwtui.recordings.python_template`."""
    module: str = ""
    """The module with the declaration."""


class OperationInfo(_Declared):
    """The metadata of one operation."""

    @property
    def summary(self) -> str:
        return self.help.partition("\n")[0]

    @property
    def area(self) -> str:
        """The package of its declaration, one of AREAS; `admin` for one that is elsewhere."""
        names = self.module.split(".")
        return names[2] if names[2:] and names[2] in AREAS else "admin"

    @property
    def family(self) -> str:
        return self.id.partition(".")[0]

    @property
    def runs_in(self) -> RunsIn:
        return self.run.where or ("session" if self.needs_session else "daemon")

    @property
    def interactive(self) -> bool:
        return self.run.interactive

    @property
    def needs_trust(self) -> bool:
        if self.run.needs_trust is not None:
            return self.run.needs_trust
        return self.effect is Effect.CONFIGURES and self.runs_in != "session"

    @cached_property
    def secrets(self) -> Mapping[str, str]:
        """The input fields that may hold a secret, with its kind."""
        return secret_fields(self.input)

    @cached_property
    def subject_fields(self) -> tuple[str, ...]:
        """The input fields that may be the subject of a request without an element."""
        arguments = [each.field for keyword in self.keywords[:1] for each in keyword.arguments]
        names = dict.fromkeys((*arguments, *self.example))
        return tuple(name for name in names if name != "url" and name not in self.secrets)

    @property
    def takes_tab(self) -> bool:
        """Whether the input names a tab."""
        return any(TAB_MARK in field for field in self.input.get("properties", {}).values())

    def effect_of(self, input: Mapping[str, Any]) -> Effect:
        """The effect of one request: reading from another URL navigates."""
        if self.effect is Effect.READS and self.takes_url and input.get("url") is not None:
            return Effect.ACTS
        return self.effect


Catalog = Mapping[str, OperationInfo]


@cache
def catalog() -> Catalog:
    """All operations by id."""
    return read_catalog(FILE)


def read_catalog(path: Path) -> Catalog:
    """A catalogue as `write_catalog` writes it."""
    text = path.read_text(encoding="utf-8").removeprefix("{\n").removesuffix("\n}\n}\n")
    return _CatalogFile({block.split('"', 2)[1]: block for block in text.split("\n},\n")})


class _WrittenSchema(Schema):
    """A schema that is decoded at first use: they are nine tenths of the file."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _decoded(self) -> dict[str, Any]:
        decoded: dict[str, Any] = json.loads(self._text)
        return decoded

    def __getitem__(self, name: str) -> Any:
        return self._decoded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._decoded)

    def __len__(self) -> int:
        return len(self._decoded)


class _CatalogFile(Catalog):
    """The file's operations, each decoded when it is asked for: most commands need one."""

    def __init__(self, written: Mapping[str, str]) -> None:
        self._written = written
        self._read: dict[str, OperationInfo] = {}

    def __getitem__(self, id: str) -> OperationInfo:
        if id not in self._read:
            written, _, schemas = self._written[id].partition(',\n "input": ')
            input, _, data = schemas.partition(',\n "data": ')
            properties = json.loads(f"{{{written}}}}}")[id]
            properties |= {"input": _WrittenSchema(input), "data": _WrittenSchema(data)}
            self._read[id] = _read(id, properties)
        return self._read[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._written)

    def __len__(self) -> int:
        return len(self._written)


def write_catalog(operations: Catalog) -> str:
    """The text of `operations.json`: a line for each property that is not the default."""
    blocks = []
    for id, info in operations.items():
        properties = _changed(info)
        del properties["id"]
        # At the end, as they are decoded separately.
        properties |= {name: properties.pop(name) for name in ("input", "data")}
        lines = [f" {_json(name)}: {_json(value)}" for name, value in properties.items()]
        blocks.append(f"{_json(id)}: {{\n" + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def _changed(value: Any) -> Any:
    """The fields of a named tuple that do not have their default."""
    if hasattr(value, "_asdict"):
        unchanged = value._field_defaults
        return {
            name: _changed(found)
            for name, found in value._asdict().items()
            if name not in unchanged or found != unchanged[name]
        }
    return [_changed(each) for each in value] if isinstance(value, tuple) else value


def _read(id: str, written: dict[str, Any]) -> OperationInfo:
    known: dict[str, Any] = written | {
        "effect": Effect(written["effect"]),
        "target": TargetRules(**written.get("target", {})),
        "run": Run(**written.get("run", {})),
        "engines": Engines(**_with_tuples(written.get("engines", {}))),
        "menu": tuple(NodeMenu(**_with_tuples(each)) for each in written.get("menu", ())),
        "keywords": tuple(map(_keyword, written.get("keywords", ()))),
        "outcome": Outcome(**_with_tuples(written.get("outcome", {}))),
    }
    return OperationInfo(id=id, **known)


def _keyword(written: dict[str, Any]) -> KeywordInfo:
    known = _with_tuples(written) | {
        "group": Group(written["group"]),
        "arguments": tuple(Argument(**_with_tuples(a)) for a in written.get("arguments", ())),
        "options": tuple(Option(**_with_tuples(o)) for o in written.get("options", ())),
    }
    return KeywordInfo(**known)


def _with_tuples(written: dict[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in written.items()}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
