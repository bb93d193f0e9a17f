"""The list of operations."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import (
    Effect,
    Outcome,
    Run,
    operation_infos,
    reads,
    unknown_operation,
)
from pwtui.operations.framework.fields import Data, Input
from pwtui.protocol.catalog import AREAS, OperationInfo
from pwtui.protocol.model import Maybe


class OpSummary(Data):
    op: str
    area: str = Field(description="Topic: page, input, session, network, storage or admin.")
    summary: str
    effect: Effect
    interactive: bool
    needs_browser: bool


class OpsListInput(Input):
    schemas: bool = Field(False, description="Include the JSON Schema of each input.")


class ListedOp(OpSummary):
    input: Maybe[dict[str, Any]] = Field(None, description="JSON Schema of the input.")


class OpsData(Data):
    operations: list[ListedOp]
    count: int


class DescribeInput(Input):
    op: str = Field(description="Operation id.")


class DescribeData(OpSummary):
    help: str
    input: dict[str, Any] = Field(description="JSON Schema of the input.")
    data: dict[str, Any] = Field(description="JSON Schema of the data.")
    example: dict[str, Any] = Field(description="An example request.")


@reads(
    "ops.list",
    run=Run(queued=False),
    outcome=Outcome(
        rows="operations",
        columns={"OPERATION": "{op}", "SUMMARY": "{summary}"},
        header=False,
        section="{area}",
    ),
)
async def ops_list(call: Call, input: OpsListInput) -> OpsData:
    """List all operations, by topic."""
    areas = list(AREAS)
    known = [
        ListedOp(**_summary(each), input=dict(each.input) if input.schemas else None)
        for each in sorted(operation_infos().values(), key=lambda each: areas.index(each.area))
    ]
    return OpsData(operations=known, count=len(known))


@reads(
    "ops.describe",
    example={"op": "click"},
    run=Run(queued=False),
    outcome=Outcome(
        (
            "{op}: {help}",
            "\n\nInput:\n{input:fields}",
            "\n\nData:\n{data:results}",
            "\n\nExample:\n  pw exec {op}{example.input:arguments}",
        )
    ),
)
async def ops_describe(call: Call, input: DescribeInput) -> DescribeData:
    """Describe an operation: help, example, JSON Schema of its input and data."""
    found = operation_infos().get(input.op)
    if found is None:
        raise unknown_operation(input.op)
    return DescribeData(
        **_summary(found),
        help=found.help,
        input=dict(found.input),
        data=dict(found.data),
        example={"op": found.id, "input": dict(found.example)},
    )


def _summary(found: OperationInfo) -> dict[str, Any]:
    return {
        "op": found.id,
        "area": found.area,
        "summary": found.summary,
        "effect": found.effect,
        "interactive": found.interactive,
        "needs_browser": found.needs_session,
    }
