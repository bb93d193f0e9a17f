"""Requests are validated and always answered; responses have the documented form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtui.protocol.envelope import (
    Artifact,
    ContextDelta,
    Diagnostic,
    EffectiveRuntime,
    Overrides,
    Request,
    Response,
    RuntimeBlock,
    UndecodableRequest,
    decode_request,
    decode_request_object,
)
from pwtui.protocol.errors import InvalidInput

WIRE_ORDER = (
    "schemaVersion requestId op ok inputs data error durationMs artifacts diagnostics contextDelta "
    "effectiveRuntime"
).split()

RUNTIME = EffectiveRuntime(profile="default", browser="chromium")

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def refusal(request: object) -> dict[str, Any]:
    """The response to text that is not a request."""
    with pytest.raises(UndecodableRequest) as refused:
        decode_request_object(request)
    response: dict[str, Any] = json.loads(refused.value.response().to_json())
    return response


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {"end": "here"}
    for _ in range(depth):
        value = {"in": value}
    return value


# Requests ----------------------------------------------------------------------------------------


def test_an_operation_id_alone_is_a_request() -> None:
    request = decode_request('{"op": "page.text"}')

    assert request == Request(schema_version=5, op="page.text", input={})
    assert (request.request_id, request.runtime, request.profile) == (None, None, None)
    assert request.overrides is None


def test_all_members_of_a_request_are_read() -> None:
    overrides = {
        "browser": "firefox",
        "executablePath": "/opt/firefox",
        "channel": "moz-firefox",
        "baseUrl": "https://example.com",
        "cdpEndpoint": "http://127.0.0.1:9222",
        "isolated": True,
        "authFile": "me.json",
        "timeoutMs": 0,
        "useDaemon": False,
        "launchServer": True,
        "blockPatterns": [],
        "downloadsDir": "files",
    }
    wire = {
        "schemaVersion": 5,
        "requestId": "r1",
        "op": "page.text",
        "input": {"selector": "h1", "deep": [None, 1.5, {"ö": "ü"}]},
        "runtime": {"profile": "dev", "overrides": overrides},
    }

    request = decode_request(json.dumps(wire))

    assert request.profile == "dev"
    assert request.overrides is not None
    assert request.overrides.block_patterns == []
    assert request.to_wire() == wire


def test_unknown_members_are_ignored() -> None:
    assert decode_request_object({"op": "wait", "comment": "x", "trace": {}}) == Request(op="wait")


@pytest.mark.parametrize("optional", ["requestId", "runtime"])
def test_null_is_the_same_as_an_absent_member(optional: str) -> None:
    assert decode_request_object({"op": "wait", optional: None}) == Request(op="wait")


def test_a_null_profile_or_override_is_the_same_as_an_absent_one() -> None:
    request = decode_request_object({"op": "wait", "runtime": {"profile": None, "overrides": None}})
    assert request.overrides is None

    nulls: dict[str, None] = {field.alias or "": None for field in Overrides.model_fields.values()}
    request = decode_request_object({"op": "wait", "runtime": {"overrides": nulls}})
    assert request.overrides == Overrides()


WRONG_MEMBERS: list[tuple[str, object]] = [
    ("op", None),
    ("op", 5),
    ("op", ["navigate"]),
    ("schemaVersion", None),
    ("schemaVersion", "5"),
    ("schemaVersion", 5.0),
    ("schemaVersion", 5.5),
    ("schemaVersion", True),
    ("requestId", 5),
    ("requestId", True),
    ("requestId", {"id": "x"}),
    ("input", None),
    ("input", []),
    ("input", "h1"),
    ("input", 0),
    ("runtime", "default"),
    ("runtime", []),
    ("runtime", False),
]


@pytest.mark.parametrize(("member", "value"), WRONG_MEMBERS)
def test_a_wrong_type_is_refused_with_the_name_of_the_member(member: str, value: object) -> None:
    response = refusal({"op": "page.text", member: value})

    assert response["error"]["code"] == "INVALID_INPUT"
    assert response["error"]["message"].startswith(f"{member}: must be")
    assert [each["field"] for each in response["error"]["details"]["fields"]] == [member]


WRONG_OVERRIDES: list[tuple[str, object]] = [
    ("browser", "Chromium"),
    ("browser", "safari"),
    ("browser", 1),
    ("executablePath", 1),
    ("channel", ["chrome"]),
    ("baseUrl", 5),
    ("cdpEndpoint", 9222),
    ("isolated", "yes"),
    ("authFile", []),
    ("timeoutMs", -1),
    ("timeoutMs", "30000"),
    ("timeoutMs", 1.5),
    ("timeoutMs", True),
    ("useDaemon", "no"),
    ("useDaemon", 0),
    ("launchServer", 1),
    ("blockPatterns", "*.png"),
    ("blockPatterns", {}),
    ("downloadsDir", True),
]


@pytest.mark.parametrize(("override", "value"), WRONG_OVERRIDES)
def test_a_wrong_override_is_refused_with_its_name(override: str, value: object) -> None:
    response = refusal({"op": "wait", "runtime": {"overrides": {override: value}}})

    assert response["error"]["code"] == "INVALID_INPUT"
    assert response["error"]["message"].startswith(f"runtime.overrides.{override}: ")


def test_all_overrides_are_tested_with_wrong_values() -> None:
    known = {field.alias for field in Overrides.model_fields.values()}

    assert {override for override, _ in WRONG_OVERRIDES} == known
    assert len(known) == 12


def test_a_wrong_pattern_in_the_list_is_refused() -> None:
    response = refusal({"op": "wait", "runtime": {"overrides": {"blockPatterns": ["*.png", 5]}}})

    assert response["error"]["message"] == "runtime.overrides.blockPatterns.1: must be a string"


@pytest.mark.parametrize(
    ("runtime", "message"),
    [
        ({"overrides": {"timeoutms": 1}}, "runtime.overrides.timeoutms: unknown field"),
        ({"overrides": {"headless": True}}, "runtime.overrides.headless: unknown field"),
        ({"profil": "dev"}, "runtime.profil: unknown field"),
        ({"profile": 5}, "runtime.profile: must be a string"),
        ({"overrides": []}, "runtime.overrides: must be an object"),
    ],
)
def test_a_runtime_block_has_no_other_members(runtime: object, message: str) -> None:
    assert refusal({"op": "wait", "runtime": runtime})["error"]["message"].startswith(message)


def test_the_error_of_a_misspelt_override_suggests_its_name() -> None:
    response = refusal({"op": "wait", "runtime": {"overrides": {"timeoutms": 1}}})

    assert response["error"]["hint"] == "did you mean timeoutMs?"


def test_all_wrong_fields_are_in_the_details() -> None:
    response = refusal({"op": "wait", "input": None, "requestId": 5, "runtime": 0})

    fields = [each["field"] for each in response["error"]["details"]["fields"]]
    assert sorted(fields) == ["input", "requestId", "runtime"]
    assert "(and 2 more)" in response["error"]["message"]


def test_op_and_request_id_are_kept_when_something_else_is_wrong() -> None:
    response = refusal({"op": "page.text", "requestId": "r7", "input": None})

    assert (response["op"], response["requestId"]) == ("page.text", "r7")


def test_a_wrong_op_or_request_id_is_not_echoed() -> None:
    response = refusal({"op": 5, "requestId": 6})

    assert response["op"] == "unknown"
    assert "requestId" not in response


def test_a_request_without_an_operation_is_refused() -> None:
    response = refusal({"requestId": "r8"})

    assert (response["op"], response["requestId"]) == ("unknown", "r8")
    assert response["error"]["message"] == "op: is required"


@pytest.mark.parametrize("value", [None, True, 5, 1.5, "navigate", [], [{"op": "navigate"}]])
def test_a_request_must_be_an_object(value: object) -> None:
    response = refusal(value)

    assert response["op"] == "unknown"
    assert response["error"]["code"] == "INVALID_INPUT"
    assert response["error"]["message"].startswith("Invalid request JSON: ")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"{'op': 'wait'}",
        b'{"op": "wait"} trailing',
        b'{"op": "wait"}{"op": "wait"}',
        b'{"op": "wait", "input": {"ms": NaN}}',
        b'{"op": "wait", "input": {"ms": Infinity}}',
        b'{"op": "wait"} // comment',
        b'{"op": "\xff\xfe"}',
        b'{"op": "\\ud800"}',
        b'{"op": "wait", "input": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_text_that_is_not_json_is_refused(text: bytes) -> None:
    with pytest.raises(UndecodableRequest) as refused:
        decode_request(text)

    response = json.loads(refused.value.response().to_json())
    assert response["op"] == "unknown"
    assert response["error"]["code"] == "INVALID_INPUT"
    assert response["error"]["message"].startswith("Invalid request JSON: ")
    assert "effectiveRuntime" not in response


@given(json_values)
def test_any_json_value_is_decoded_or_refused(value: object) -> None:
    try:
        decode_request(json.dumps(value))
    except UndecodableRequest as refused:
        response = json.loads(refused.response().to_json())
        assert response["schemaVersion"] == 5
        assert isinstance(response["op"], str)
        assert response["ok"] is False
        assert response["error"]["code"] == "INVALID_INPUT"


wrong_envelopes = st.fixed_dictionaries(
    {"op": st.text() | json_values},
    optional={
        "schemaVersion": json_values,
        "requestId": json_values,
        "input": json_values,
        "runtime": json_values
        | st.fixed_dictionaries(
            {},
            optional={
                "profile": json_values,
                "overrides": st.dictionaries(
                    st.sampled_from([f.alias or "" for f in Overrides.model_fields.values()]),
                    json_values,
                ),
            },
        ),
    },
)


@given(wrong_envelopes)
def test_any_object_is_decoded_or_refused(envelope: dict[str, Any]) -> None:
    try:
        request = decode_request_object(envelope)
    except UndecodableRequest as refused:
        response = json.loads(refused.response().to_json())
        assert response["ok"] is False
        assert response["error"]["details"]["fields"]
    else:
        assert request.op == envelope["op"]


overrides = st.builds(
    Overrides,
    browser=st.sampled_from([None, "chromium", "firefox", "webkit"]),
    executable_path=st.none() | st.text(),
    channel=st.none() | st.text(),
    base_url=st.none() | st.text(),
    cdp_endpoint=st.none() | st.text(),
    isolated=st.none() | st.booleans(),
    auth_file=st.none() | st.text(),
    timeout_ms=st.none() | st.integers(min_value=0, max_value=2**63),
    use_daemon=st.none() | st.booleans(),
    launch_server=st.none() | st.booleans(),
    block_patterns=st.none() | st.lists(st.text()),
    downloads_dir=st.none() | st.text(),
)
requests = st.builds(
    Request,
    request_id=st.none() | st.text(),
    op=st.text(),
    input=st.dictionaries(st.text(), json_values, max_size=4),
    runtime=st.none()
    | st.builds(RuntimeBlock, profile=st.none() | st.text(), overrides=st.none() | overrides),
)


@given(requests)
def test_a_request_is_the_same_after_a_round_trip(request: Request) -> None:
    assert decode_request(request.model_dump_json()) == request


# Responses ---------------------------------------------------------------------------------------


def success(**members: Any) -> Response:
    common: dict[str, Any] = {
        "op": "page.text",
        "ok": True,
        "inputs": {},
        "data": {"text": "Hello"},
        "duration_ms": 1.5,
        "artifacts": [],
        "diagnostics": [],
        "context_delta": ContextDelta(),
        "effective_runtime": RUNTIME,
    }
    return Response(**(common | members))


def test_a_success_has_all_members_but_the_error() -> None:
    wire = json.loads(success(request_id="r1").to_json())

    assert list(wire) == [name for name in WIRE_ORDER if name != "error"]
    assert wire["contextDelta"] == {}
    assert wire["artifacts"] == wire["diagnostics"] == []
    assert wire["effectiveRuntime"] == {"profile": "default", "browser": "chromium"}


def test_a_failure_has_the_error_and_neither_data_nor_inputs() -> None:
    response = Response.failure("page.text", InvalidInput("no"), effective_runtime=RUNTIME)

    wire = json.loads(response.to_json())

    assert list(wire) == ["schemaVersion", "op", "ok", "error", "effectiveRuntime"]
    assert wire["error"] == {"code": "INVALID_INPUT", "message": "no", "details": None}


def test_the_members_are_in_the_documented_order() -> None:
    failed = Response.failure(
        "click",
        InvalidInput("no", details={"b": 1, "a": 2}),
        request_id="r1",
        duration_ms=2.0,
        artifacts=[Artifact(type="screenshot", path="/x.png", size_bytes=3)],
        diagnostics=[Diagnostic(level="warning", message="m", source="s")],
        effective_runtime=RUNTIME,
    )

    wire = json.loads(failed.to_json())

    assert list(wire) == [name for name in WIRE_ORDER if name in wire]
    assert wire["artifacts"] == [{"type": "screenshot", "path": "/x.png", "sizeBytes": 3}]
    assert wire["diagnostics"] == [{"level": "warning", "message": "m", "source": "s"}]


@pytest.mark.parametrize("request_id", ["", "r1", "ü/\n", " "])
def test_a_request_id_is_echoed_as_it_is(request_id: str) -> None:
    assert json.loads(success(request_id=request_id).to_json())["requestId"] == request_id


def test_an_absent_request_id_is_left_out() -> None:
    assert "requestId" not in json.loads(success().to_json())


def test_unset_values_are_left_out_of_the_effective_runtime() -> None:
    runtime = EffectiveRuntime(
        profile="dev", browser="webkit", cdp_endpoint="http://127.0.0.1:1", timeout_ms=0
    )

    assert json.loads(success(effective_runtime=runtime).to_json())["effectiveRuntime"] == {
        "profile": "dev",
        "browser": "webkit",
        "cdpEndpoint": "http://127.0.0.1:1",
        "timeoutMs": 0,
    }


def test_null_in_the_data_is_kept() -> None:
    assert json.loads(success(data={"har": None}).to_json())["data"] == {"har": None}


def test_json_is_one_line_for_any_text() -> None:
    text = "a\nb\r\nc\u2028d\x85e\x00"

    line = success(data={"text": text}).to_json()

    assert "\n" not in line
    assert "\r" not in line
    assert json.loads(line)["data"]["text"] == text


@pytest.mark.parametrize("indent", [None, 2])
def test_a_lone_surrogate_does_not_break_a_response(indent: int | None) -> None:
    data = {"text": "a\ud800b", "list": ["\udc00"], "\ud83d": 1, "whole": "😀"}

    line = success(data=data).to_json(indent=indent)

    line.encode()
    read = json.loads(line)["data"]
    assert read["text"].startswith("a")
    assert read["text"].endswith("b")
    assert read["whole"] == "😀"


def test_a_lone_surrogate_does_not_break_an_error() -> None:
    error = InvalidInput("bad \ud800", details={"path": "\udcff"})
    diagnostic = Diagnostic(level="info", message="\udcff")

    line = Response.failure(
        "\ud800", error, request_id="\udc00", diagnostics=[diagnostic]
    ).to_json()

    line.encode()
    assert json.loads(line)["error"]["message"].startswith("bad ")


@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_can_be_written(text: str) -> None:
    line = success(data={"text": text}).to_json()

    line.encode()
    assert isinstance(json.loads(line)["data"]["text"], str)


@pytest.mark.parametrize("depth", [100, 300, 5000])
@pytest.mark.parametrize("text", ["plain", "\ud800"])
def test_deep_nesting_does_not_break_a_response(depth: int, text: str) -> None:
    line = success(data={"text": text, "value": nested(depth)}).to_json()

    assert line.startswith('{"schemaVersion":5,"op":"page.text",')
    assert line.endswith("}")


def test_infinity_and_nan_are_written_as_null() -> None:
    data = {"nan": float("nan"), "inf": float("inf")}

    assert json.loads(success(data=data).to_json())["data"] == {"nan": None, "inf": None}


def test_a_refused_request_with_a_lone_surrogate_keeps_its_op_and_id() -> None:
    line = b'{"op": "fill", "requestId": "r1", "input": {"text": "\\ud800"}}'
    with pytest.raises(UndecodableRequest) as refused:
        decode_request(line)
    assert (refused.value.op, refused.value.request_id) == ("fill", "r1")
