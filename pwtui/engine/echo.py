"""Requests as they are told again: resolved, and without their secrets."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from pwtui.operations.call import Call, PageCall
from pwtui.operations.declare import operations
from pwtui.operations.fields import EchoAs, Input, MayBeSecret
from pwtui.protocol.envelope import MASK, Request
from pwtui.protocol.model import is_second_spelling


def echo(input: Input, call: Call) -> dict[str, Any]:
    """The input as it was carried out: resolved, without what was not given, secrets masked."""
    shown: dict[str, Any] = {}
    if isinstance(call, PageCall):
        if call.target.url is not None:
            shown["url"] = call.target.url
        if call.found is not None:
            shown["selector"] = call.found.selector
        resolved = {"url", "selector"}
    else:
        resolved = set()
    for name, field in _fields(type(input)).items():
        if name in resolved or not (field.always or name in input.model_fields_set):
            continue
        value = getattr(input, name)
        if value is None:
            continue
        if name in call.hidden_inputs:
            value = MASK
        elif field.limit is not None and len(value) > field.limit:
            value = value[: field.limit] + "..."
        shown[field.shown_as] = value
    return shown | call.resolved_inputs


class _Echoed(NamedTuple):
    """How one input field is told again."""

    shown_as: str
    always: bool
    limit: int | None


@cache
def _fields(model: type[Input]) -> Mapping[str, _Echoed]:
    fields = {}
    for name, info in model.model_fields.items():
        if is_second_spelling(info):
            continue
        mark = next((m for m in info.metadata if isinstance(m, EchoAs)), EchoAs())
        shown_as = mark.name or info.alias or name
        fields[name] = _Echoed(shown_as, always=mark.name is not None, limit=mark.limit)
    return fields


def masked_request(request: Request, hidden: set[str] | None) -> Request:
    """The request without its secrets; without what may be one while that is not known."""
    operation = operations().get(request.op)
    is_open = hidden is not None and not hidden
    if operation is None or is_open:
        return request
    fields = operation.input.model_fields
    if hidden is None:
        hidden = {name for name in fields if MayBeSecret in fields[name].metadata}
    keys = {key for name in hidden if name in fields for key in (name, fields[name].alias)}
    if not keys & request.input.keys():
        return request
    shown = {key: MASK if key in keys else value for key, value in request.input.items()}
    return request.model_copy(update={"input": shown})
