"""Requests as they are told again: resolved, and without their secrets."""

from __future__ import annotations

from typing import Any

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
    for name, info in type(input).model_fields.items():
        mark = next((m for m in info.metadata if isinstance(m, EchoAs)), EchoAs())
        given = name in input.model_fields_set or mark.name is not None
        value = getattr(input, name)
        if not given or value is None or name in resolved or is_second_spelling(info):
            continue
        if name in call.hidden_inputs:
            value = MASK
        elif mark.limit is not None and len(value) > mark.limit:
            value = value[: mark.limit] + "..."
        shown[mark.name or info.alias or name] = value
    return shown | call.resolved_inputs


def masked_request(request: Request, hidden: set[str] | None) -> Request:
    """The request without its secrets; without what may be one while that is not known."""
    operation = operations().get(request.op)
    if operation is None:
        return request
    fields = operation.input.model_fields.items()
    if hidden is None:
        hidden = {name for name, info in fields if MayBeSecret in info.metadata}
    keys = {key for name, info in fields if name in hidden for key in (name, info.alias)}
    if not keys & request.input.keys():
        return request
    shown = {key: MASK if key in keys else value for key, value in request.input.items()}
    return request.model_copy(update={"input": shown})
