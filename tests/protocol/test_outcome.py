"""The data of a response as text, in the form that its operation declares."""

from __future__ import annotations

from typing import Any

import pytest

from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import ErrorBody, Response
from pwtui.protocol.outcome import Table, outcome_text, result


def answered(op: str, /, **data: Any) -> Response:
    return Response(op=op, ok=True, data=data)


def text(op: str, /, **data: Any) -> str | Table:
    return result(catalog()[op], answered(op, **data))


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(None, "none"), (0, "0 s"), (59, "59 s"), (119, "119 s"), (120, "2 min"), (7300, "2 h")],
)
def test_facts_are_a_table_with_readable_units(seconds: float | None, shown: str) -> None:
    table = text(
        "daemon.status",
        running=True,
        pid=7,
        version="1.2",
        idleTimeoutSeconds=seconds,
        memoryBytes=58_000_000,
        requestsServed=4,
        requestsRunning=[{"op": "click"}, {"op": "wait"}],
    )

    assert isinstance(table, Table)
    facts = {row[0]: row[1] for row in table.rows}
    assert facts["daemon"] == "running, pid 7, version 1.2"
    assert facts["idle timeout"] == shown
    assert facts["memory"] == "58 MB"
    assert facts["clients"] == "none"
    assert facts["requests"] == "4 served, click running, wait running"


def test_what_is_missing_is_said() -> None:
    assert text("daemon.status", running=False, message="no daemon is running") == (
        "no daemon is running"
    )
    assert text("page.eval", result=None, undefined=True) == "undefined"
    assert text("page.eval", result=None, undefined=False) == "null"


def test_a_returned_value_is_json_unless_it_is_a_text() -> None:
    assert text("page.eval", result="a b") == "a b"
    assert text("page.eval", result={"a": [1]}) == '{\n  "a": [\n    1\n  ]\n}'


def test_parts_without_a_value_are_left_out() -> None:
    headers = [{"name": "accept", "value": "text/html"}, {"name": "x", "value": "y"}]
    shown = text(
        "requests.show",
        index=3,
        method="GET",
        url="https://acme.test/",
        failure="net::ERR_FAILED",
        requestHeaders=headers,
        responseHeaders=[],
        timing={"requestStart": 1.5},
    )

    assert shown == (
        "3. [GET] https://acme.test/ => net::ERR_FAILED\n"
        "request headers:\n  accept: text/html\n  x: y\n"
        "timing:\n  request start: 1.5"
    )


def test_an_operation_is_described_with_its_fields_and_a_command() -> None:
    choices = ["screen-reader", "touch", "keyboard", "voice", "switch control"]
    fields = {
        "words": {"type": "string", "description": "What to search."},
        "with": {"enum": choices, "description": "How."},
    }
    shown = text(
        "ops.describe",
        op="find",
        help="Find it.",
        input={"type": "object", "properties": fields, "required": ["words"]},
        data={"type": "object", "properties": {}},
        example={"input": {"words": "two words", "times": [1, 2]}},
    )

    assert isinstance(shown, str)
    lines = shown.splitlines()
    assert lines[:3] == ["find: Find it.", "", "Input:"]
    assert lines[3].split() == ["words", "string,", "required", "What", "to", "search."]
    assert lines[4].split()[:3] == ["with", "choice", "How."]
    assert "screen-reader" in lines[4]
    assert lines[-1] == "  pw exec find words='two words' times:='[1, 2]'"
    assert "Data:" not in shown


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ({"fileChooser": {"multiple": True}}, "file chooser"),
        ({"downloads": [{"suggestedFilename": "a.pdf"}], "navigated": True}, "download a.pdf"),
        ({"navigated": False}, ""),
    ],
)
def test_what_an_action_has_caused_is_one_line(data: dict[str, Any], shown: str) -> None:
    assert outcome_text(catalog()["click"], answered("click", **data)) == shown


def test_an_error_is_its_code_and_message() -> None:
    error = ErrorBody(code="TIMEOUT", message="it took too long")
    failed = Response(op="click", ok=False, error=error)

    assert outcome_text(catalog()["click"], failed) == "TIMEOUT: it took too long"


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (
            {"browser": "firefox", "headless": True, "pid": 7},
            "firefox runs without a window (pid 7)",
        ),
        ({"headless": False}, "browser runs with a window (pid ?)"),
    ],
)
def test_a_missing_field_is_replaced_by_the_text_of_its_template(
    data: dict[str, Any], shown: str
) -> None:
    assert text("session.start", **data) == shown
