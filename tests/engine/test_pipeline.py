"""The steps of a request: the order of the checks, and a response for every outcome."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pwtui.engine.executor import MAX_QUEUES, Executor
from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import _declared, operations
from pwtui.operations.framework.fields import Data, Input, NoInput
from pwtui.protocol.envelope import Response, decode_request
from pwtui.protocol.errors import IoError, SelectorNotFound
from pwtui.runtime.caller import Caller
from pwtui.state.workspace import Workspace
from tests.client import Client
from tests.waiting import within

OLD_ALIASES = """
    nav ss page.coords_all auth-login auth-cookies auth-show auth-listen session-status
    session-clear session-start session-stop daemon-start daemon-stop daemon-status tabs-list
    tabs-switch tabs-close tabs-new protect-add protect-remove protect-list har-set har-show
    har-clear con els snap run relay test
""".split()


SUCCESS_MEMBERS = """
    schemaVersion requestId op ok inputs data durationMs artifacts diagnostics contextDelta
    effectiveRuntime
""".split()


def wire(response: Response) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(response.to_json())
    return value


@pytest.fixture
def declare(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Adds an operation for one test: `run` is what it does, the rest replaces its declaration."""

    def add(id: str, run: Callable[[Any, Any], Any], **declared: Any) -> None:
        added = operations()["ops.list"]._replace(id=id, function=run, **declared)
        monkeypatch.setitem(_declared, id, added)

    return add


# What is not an operation ------------------------------------------------------------------------


@pytest.mark.parametrize("version", [0, 4, 6, -1, 2**40])
async def test_another_schema_version_is_refused_and_both_are_named(
    fresh_client: Callable[[], Client], version: int
) -> None:
    request = {"schemaVersion": version, "op": "ops.list", "requestId": "r1"}

    response = wire(await fresh_client().send_raw(request))

    assert response["error"]["code"] == "INVALID_INPUT"
    assert response["error"]["message"].startswith(f"schemaVersion: {version} ")
    assert response["error"]["details"] == {"given": version, "supported": 5}
    assert (response["op"], response["requestId"]) == ("ops.list", "r1")
    assert "effectiveRuntime" not in response


@pytest.mark.parametrize(
    "op", [*OLD_ALIASES, "", " ", "navigat", "Navigate", "navigate ", "ping", "quit", "exit", "ü"]
)
async def test_only_canonical_ids_are_operations(
    fresh_client: Callable[[], Client], op: str
) -> None:
    response = wire(await fresh_client().send(op))

    assert response["op"] == op
    assert response["error"]["code"] == "INVALID_INPUT"
    assert response["error"]["message"] == f"unknown operation: {op}"
    assert response["error"]["details"]["op"] == op
    assert set(response["error"]["details"]["nearMisses"]) <= set(operations())
    assert response["effectiveRuntime"] == {"profile": "default", "browser": "chromium"}


@pytest.mark.parametrize(
    ("op", "meant"),
    [
        ("Navigate", "navigate"),
        ("navigat", "navigate"),
        ("page.txt", "page.text"),
        ("page.coords_all", "page.coords-all"),
        ("har-set", "har.set"),
    ],
)
async def test_an_unknown_operation_is_an_error_with_a_suggestion(
    fresh_client: Callable[[], Client], op: str, meant: str
) -> None:
    error = await fresh_client().error(op)

    assert error.details is not None
    assert error.details["nearMisses"][0] == meant


async def test_an_operation_of_megabytes_is_refused_at_once(
    fresh_client: Callable[[], Client],
) -> None:
    async with asyncio.timeout(20):
        error = await fresh_client().error("page.text" * 100_000)

    assert error.code == "INVALID_INPUT"


# The order of the checks -------------------------------------------------------------------------


async def test_the_version_is_checked_before_the_profile_and_the_operation(
    fresh_client: Callable[[], Client],
) -> None:
    request = {"schemaVersion": 4, "op": "nonsense", "runtime": {"profile": ".."}}

    response = await fresh_client().send_raw(request)

    assert response.error is not None
    assert "schemaVersion" in response.error.message
    assert response.effective_runtime is None


async def test_the_profile_is_checked_before_the_operation(
    fresh_client: Callable[[], Client],
) -> None:
    response = await fresh_client().send("nonsense", profile="..")

    assert response.error is not None
    assert "profile name" in response.error.message
    assert response.effective_runtime is None


async def test_the_error_of_an_unknown_operation_has_the_runtime(
    fresh_client: Callable[[], Client],
) -> None:
    response = await fresh_client().send("nonsense", profile="dev", overrides={"timeoutMs": 5})

    assert response.effective_runtime is not None
    assert response.effective_runtime.to_wire() == {
        "profile": "dev",
        "browser": "chromium",
        "timeoutMs": 5,
    }


@pytest.mark.parametrize("op", ["auth.login", "auth.listen"])
async def test_the_mode_is_checked_before_the_input(
    fresh_client: Callable[[], Client], op: str
) -> None:
    error = await fresh_client().error(op, {"nonsense": 1}, mode="batch")

    assert error.code == "UNSUPPORTED_MODE"
    assert error.details == {"op": op, "mode": "batch"}


async def test_the_input_is_checked_before_a_browser_is_started(
    fresh_client: Callable[[], Client],
) -> None:
    client = fresh_client()

    error = await client.error("click", {"selektor": "h1"})

    assert error.code == "INVALID_INPUT"
    assert error.message == "input.selektor: unknown field"
    assert error.hint is not None
    assert error.hint.startswith("did you mean selector")
    assert (await client.data("session.status"))["active"] is False


async def test_the_target_is_checked_before_a_browser_is_started(
    fresh_client: Callable[[], Client],
) -> None:
    client = fresh_client()

    error = await client.error("navigate", {"url": "/relative"})

    assert error.code == "INVALID_INPUT"
    assert (await client.data("session.status"))["active"] is False


@pytest.mark.parametrize(
    ("input", "field"),
    [
        ({}, "input.name: is required"),
        ({"name": 5}, "input.name: must be a string"),
        ({"name": None}, "input.name: must be a string"),
        ({"name": "a", "nme": 1}, "input.nme: unknown field"),
    ],
)
async def test_a_wrong_input_names_its_field(
    fresh_client: Callable[[], Client], input: dict[str, Any], field: str
) -> None:
    error = await fresh_client().error("profile.delete", input)

    assert error.code == "INVALID_INPUT"
    assert error.message.startswith(field)


async def test_two_spellings_of_one_field_are_refused(fresh_client: Callable[[], Client]) -> None:
    input = {"file": "a.har", "urlFilter": "a", "url_filter": "b"}

    error = await fresh_client().error("har.set", input)

    assert error.code == "INVALID_INPUT"
    assert "urlFilter is set twice" in error.message


# Answers -----------------------------------------------------------------------------------------


async def test_a_success_has_every_member_in_the_order_of_the_wire(
    fresh_client: Callable[[], Client],
) -> None:
    request = {"op": "profile.show", "requestId": "", "input": {"name": "default"}}

    response = wire(await fresh_client().send_raw(request))

    assert list(response) == SUCCESS_MEMBERS
    assert response["requestId"] == ""
    assert response["ok"] is True
    assert response["inputs"] == {"name": "default"}
    assert response["data"]["schema"] == 4
    assert response["durationMs"] >= 0
    assert (response["artifacts"], response["diagnostics"]) == ([], [])
    assert response["contextDelta"] == {}
    assert response["effectiveRuntime"] == {"profile": "default", "browser": "chromium"}


async def test_a_failure_has_error_duration_and_runtime_alone(
    fresh_client: Callable[[], Client],
) -> None:
    response = wire(await fresh_client().send("auth.show", {"file": "none.json"}))

    members = ["schemaVersion", "op", "ok", "error", "durationMs", "effectiveRuntime"]
    assert list(response) == members
    assert list(response["error"]) == ["code", "message", "hint", "details"]
    assert response["ok"] is False


async def test_the_details_of_an_error_are_never_absent(
    fresh_client: Callable[[], Client], declare: Callable[..., None]
) -> None:
    async def fail(call: Call, input: Input) -> Data:
        raise SelectorNotFound("nothing there")

    declare("test.fail", fail)

    response = wire(await fresh_client().send("test.fail"))

    assert response["error"] == {
        "code": "SELECTOR_NOT_FOUND",
        "message": "nothing there",
        "details": None,
    }


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
harmless = [
    each.id
    for each in operations().values()
    if not each.needs_session
    and each.info.family != "session"
    and each.id not in ("connect", "init", "daemon.start", "auth.listen")
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    op=st.sampled_from(harmless) | st.text(max_size=10),
    input=st.dictionaries(
        st.sampled_from("name file op pattern config url content mode foreground".split()),
        json_values,
        max_size=3,
    ),
    profile=st.none() | st.text(max_size=10),
)
async def test_every_request_gets_a_response(
    workspace: Workspace, op: str, input: dict[str, Any], profile: str | None
) -> None:
    executor = Executor()
    caller = Caller(workspace=workspace, cwd=workspace.root, mode="batch")
    request = {"op": op, "input": input, "runtime": {"profile": profile}}

    response = wire(await executor.execute(decode_request(json.dumps(request)), caller))

    assert response["schemaVersion"] == 5
    assert response["op"] == op
    assert response["ok"] is ("error" not in response)
    assert response["ok"] or response["error"]["code"] != "INTERNAL_ERROR"


# Faults ------------------------------------------------------------------------------------------


async def test_an_internal_error_has_an_id_that_is_in_the_log(
    fresh_client: Callable[[], Client],
    declare: Callable[..., None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def break_down(call: Call, input: Input) -> Data:
        raise ZeroDivisionError("a secret in the message")

    declare("test.broken", break_down)

    with caplog.at_level(logging.ERROR, logger="pwtui"):
        response = await fresh_client().send("test.broken")

    assert response.error is not None
    assert response.error.code == "INTERNAL_ERROR"
    assert "ZeroDivisionError" in response.error.message
    assert "a secret" not in response.error.message
    assert response.error.details is not None
    fault = response.error.details["fault"]
    assert fault in str(response.error.hint)
    assert fault in caplog.text
    assert "a secret" in caplog.text
    assert response.effective_runtime is not None


async def test_the_executor_works_after_an_internal_error(
    fresh_client: Callable[[], Client], declare: Callable[..., None]
) -> None:
    async def break_down(call: Call, input: Input) -> Data:
        raise RecursionError

    declare("test.broken", break_down)
    client = fresh_client()

    assert not (await client.send("test.broken")).ok
    assert (await client.send("profile.list")).ok


async def test_an_operation_that_returns_invalid_data_is_an_internal_error(
    fresh_client: Callable[[], Client], declare: Callable[..., None]
) -> None:
    async def answer_nothing(call: Call, input: Input) -> None:
        return None

    declare("test.nothing", answer_nothing)

    error = await fresh_client().error("test.nothing")

    assert error.code == "INTERNAL_ERROR"


async def test_an_error_of_the_file_system_names_the_path(
    fresh_client: Callable[[], Client], declare: Callable[..., None]
) -> None:
    async def read(call: Call, input: Input) -> Data:
        (call.caller.cwd / "none" / "file").read_bytes()
        return Data()

    declare("test.read", read)
    client = fresh_client()

    error = await client.error("test.read")

    assert error.code == IoError.code
    assert error.details == {"path": str(client.root / "none" / "file")}


async def test_diagnostics_before_an_error_are_in_the_response(
    fresh_client: Callable[[], Client], declare: Callable[..., None]
) -> None:
    async def note_and_fail(call: Call, input: Input) -> Data:
        call.note("warning", "this happened before")
        raise SelectorNotFound("and then this")

    declare("test.noted", note_and_fail)

    response = await fresh_client().send("test.noted")

    assert [(note.message, note.source) for note in response.diagnostics or ()] == [
        ("this happened before", "test.noted")
    ]


async def test_an_operation_that_takes_too_long_times_out(
    fresh_client: Callable[[], Client], declare: Callable[..., None]
) -> None:
    async def sleep(call: Call, input: NoInput) -> Data:
        await asyncio.sleep(60)
        return Data()

    declare("test.sleep", sleep)

    error = await fresh_client().error("test.sleep", overrides={"timeoutMs": 50})

    assert error.code == "TIMEOUT"
    assert error.message == "test.sleep took longer than 50 ms"
    assert error.details == {"timeoutMs": 50}


async def test_a_timeout_of_zero_is_no_deadline(
    fresh_client: Callable[[], Client], declare: Callable[..., None]
) -> None:
    async def look(call: Call, input: NoInput) -> Data:
        assert call.deadline.seconds is None
        return Data()

    declare("test.look", look)

    assert (await fresh_client().send("test.look", overrides={"timeoutMs": 0})).ok


async def test_a_cancelled_request_is_cancelled(
    fresh_client: Callable[[], Client], declare: Callable[..., None]
) -> None:
    began = asyncio.Event()

    async def sleep(call: Call, input: NoInput) -> Data:
        began.set()
        await asyncio.sleep(60)
        return Data()

    declare("test.sleep", sleep)
    task = asyncio.create_task(fresh_client().send("test.sleep"))
    await within(began.wait())
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_unused_profiles_are_dropped_from_memory(
    fresh_client: Callable[[], Client],
) -> None:
    client = fresh_client()
    for number in range(MAX_QUEUES + 20):
        request = decode_request(f'{{"op": "ops", "runtime": {{"profile": "p{number}"}}}}')
        client.executor._queue(request, client.caller)

    assert len(client.executor._queues) == MAX_QUEUES
