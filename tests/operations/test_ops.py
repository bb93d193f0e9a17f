"""ops.list, ops.describe, and rules that all operations follow."""

from __future__ import annotations

from typing import Any

import pytest

from pwtui.operations.framework.declare import Operation, operations
from pwtui.protocol.catalog import AREAS
from pwtui.state.workspace import Workspace
from tests.client import Client
from tests.operations.support import delta

ALL = list(operations().values())
INTERACTIVE = [op for op in ALL if op.run.interactive]


@pytest.fixture
def client(workspace: Workspace) -> Client:
    return Client(workspace.root)


async def test_operations_are_listed(client: Client) -> None:
    response = await client.send("ops.list")
    assert response.data is not None
    listed = response.data["operations"]
    areas = list(AREAS)
    expected = [(areas.index(each.info.area), id) for id, each in operations().items()]
    assert [each["op"] for each in listed] == [id for _, id in sorted(expected)]
    assert response.data["count"] == len(listed)
    members = {"op", "area", "summary", "effect", "interactive", "needsBrowser"}
    assert all(each.keys() == members for each in listed)
    assert response.inputs == {}
    assert delta(response) == {}


@pytest.mark.parametrize("op", ALL, ids=lambda op: op.id)
async def test_operation_describes_itself(client: Client, op: Operation) -> None:
    response = await client.send("ops.describe", {"op": op.id})
    assert response.data is not None
    data = response.data
    assert data.keys() == {
        "op",
        "area",
        "summary",
        "effect",
        "interactive",
        "needsBrowser",
        "help",
        "input",
        "data",
        "example",
    }
    assert data["op"] == op.id
    assert data["interactive"] is op.run.interactive
    assert data["example"]["op"] == op.id
    assert data["input"]["type"] == "object"
    assert response.inputs == {"op": op.id}


@pytest.mark.parametrize("op", ALL, ids=lambda op: op.id)
def test_fields_are_camel_case_and_explained(op: Operation) -> None:
    for name, schema in op.input.model_json_schema()["properties"].items():
        assert "_" not in name, name
        assert schema.get("description"), name
    for name in op.data.model_json_schema(mode="serialization").get("properties", {}):
        assert "_" not in name, name


@pytest.mark.parametrize("op", ["clik", "page.txt", "", "Navigate", "tabs"])
async def test_unknown_operation_is_refused_with_near_misses(client: Client, op: str) -> None:
    sent = await client.error(op)
    described = await client.error("ops.describe", {"op": op})
    for error in (sent, described):
        assert error.code == "INVALID_INPUT"
        assert error.details is not None
        assert error.details["op"] == op
        assert isinstance(error.details["nearMisses"], list)


async def test_near_miss_is_the_operation_that_was_meant(client: Client) -> None:
    error = await client.error("page.txt")
    assert error.details is not None
    assert error.details["nearMisses"][0] == "page.text"


@pytest.mark.parametrize("op", INTERACTIVE, ids=lambda op: op.id)
@pytest.mark.parametrize("input", [{}, {"timeoutSecs": "soon", "nonsense": 1}])
async def test_interactive_operation_is_refused_in_a_batch_before_its_input_is_read(
    client: Client, op: Operation, input: dict[str, Any]
) -> None:
    error = await client.error(op.id, input, mode="batch")
    assert error.code == "UNSUPPORTED_MODE"
    assert error.details == {"op": op.id, "mode": "batch"}


def test_interactive_operations_are_those_that_need_a_person() -> None:
    assert [op.id for op in INTERACTIVE] == ["auth.listen", "auth.login"]


@pytest.mark.parametrize("op", ALL, ids=lambda op: op.id)
async def test_unknown_field_is_refused_by_every_operation(client: Client, op: Operation) -> None:
    error = await client.error(op.id, {**op.example, "noSuchField": 1}, mode="exec")
    assert error.code == "INVALID_INPUT"
    assert "noSuchField" in error.message
