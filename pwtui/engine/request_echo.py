"""Requests and responses for display: resolved, with secrets masked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic.alias_generators import to_camel

from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import Operation, find_operation
from pwtui.operations.framework.fields import EchoAs, Input
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import is_second_spelling
from pwtui.protocol.secrets import (
    MASK,
    has_mask,
    has_masked_value,
    mask_input,
    masked,
)


def echo(input: Input, call: Call) -> dict[str, Any]:
    """The resolved input without unset fields, with secrets masked."""
    target = call.resolved_target()
    shown: dict[str, Any] = {name: value for name, value in target.items() if value is not None}
    given = input.model_fields_set
    for name, (shown_as, mark) in _fields(type(input)).items():
        if name in target or (name not in given and mark.name is None):
            continue
        value = getattr(input, name)
        if value is None:
            continue
        if name in call.hidden_inputs:
            value = MASK
        elif mark.limit is not None and len(value) > mark.limit:
            value = value[: mark.limit] + "..."
        shown[shown_as] = value
    echoed: dict[str, Any] = masked(shown | call.resolved_inputs)
    return echoed


@cache
def _fields(model: type[Input]) -> Mapping[str, tuple[str, EchoAs]]:
    """The name of each field in `inputs`, and how it is shown."""
    fields = {}
    for name, info in model.model_fields.items():
        if not is_second_spelling(info):
            mark = next((m for m in info.metadata if isinstance(m, EchoAs)), EchoAs())
            fields[name] = (mark.name or info.alias or name, mark)
    return fields


def masked_request(request: Request, hidden: set[str] | None) -> Request:
    """The request with secrets masked, and with possible secrets masked if that is not known."""
    known = catalog().get(request.op)
    if known is None and (operation := find_operation(request.op)) is not None:
        known = operation.info
    schema = known.input if known is not None else None
    hidden = {to_camel(name) for name in hidden} if hidden is not None else None
    input = mask_input(request.input, schema, hidden)
    if request.overrides is None and input == request.input:
        return request
    runtime = request.runtime and request.runtime.masked()
    return request.model_copy(update={"input": input, "runtime": runtime})


def masked_response(response: Response) -> Response:
    """The response for subscribers, with secrets masked; the caller gets the unmasked data."""
    return response.model_copy(update={"data": masked(response.data)})


def refuse_masks(operation: Operation, request: Request) -> None:
    """Reject a mask in a field for a secret: it would be used as the value."""
    secret = (catalog().get(operation.id) or operation.info).secrets
    overrides = request.overrides.to_wire() if request.overrides else {}
    wrong = [f"runtime.overrides.{name}" for name in overrides if has_masked_value(overrides[name])]
    wrong += [
        f"input.{name}"
        for name, value in request.input.items()
        if has_mask(value) and (to_camel(name) in secret or has_masked_value(value))
    ]
    if wrong:
        raise InvalidInput(
            f"{wrong[0]}: contains a mask ({MASK}), not the value",
            hint="set the value, or a variable in a file for `pw batch --var` or `pw replay --var`",
            details={"fields": [{"field": each, "problem": "contains a mask"} for each in wrong]},
        )
