"""The page of the daemon's socket."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from pwtui.protocol.events import (
    ObservedEvent,
    SessionEventBase,
    SessionState,
    Sizes,
    SourceLine,
)
from pwtui.protocol.model import WireModel
from pwtui.protocol.models import DialogInfo, TabData
from pwtui.protocol.schema import properties, type_name

FILE = Path("docs/wire.md")
_INTRODUCTION = Path(__file__).with_name("wire.md")


def page() -> str:
    shared = SessionEventBase.model_fields.keys()
    sections = [f"{SessionEventBase.__doc__}\n", *_table(SessionEventBase)]
    for model in ObservedEvent.__args__:
        sections.append(f"### `{model.model_fields['event'].default}`\n\n{_about(model)}\n")
        sections += _table(model, without={*shared, "event"})
    sections += [f"### The state\n\n{_about(SessionState)}\n", *_table(SessionState)]
    for part in (Sizes, DialogInfo, SourceLine, TabData):
        sections += [f"### {part.__name__}\n", *_table(part)]
    return "\n".join([_INTRODUCTION.read_text(encoding="utf-8"), *sections])


def _about(model: type[WireModel]) -> str:
    return " ".join((model.__doc__ or "").split())


def _table(model: type[WireModel], without: Collection[str] = ()) -> Iterator[str]:
    hidden = {model.model_fields[name].alias or name for name in without}
    yield "| field | type | |\n|---|---|---|"
    for name, field in properties(model.model_json_schema()).items():
        if name not in hidden:
            text = field.get("description", "").replace("|", "\\|")
            kind = type_name(field).replace("|", "\\|")
            yield f"| `{name}` | {kind} | {text} |"
    yield ""
