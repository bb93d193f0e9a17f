"""`pw batch`: one response for each line, in order, whatever the line contains."""

from __future__ import annotations

import json
import subprocess

import pytest

from pwtui.protocol.ndjson import MAX_LINE_BYTES
from tests.cli.pw import Pw

PING = {"op": "ping"}


def test_each_line_gets_a_response_in_order_and_a_failure_sets_the_exit_code(pw: Pw) -> None:
    requests = [{"op": "ping", "requestId": str(number)} for number in range(50)]
    requests[10] = {"op": "profile.list", "requestId": "10"}
    requests[20] = {"op": "nonsense", "requestId": "20"}

    result = pw.batch(*requests)

    assert (result.code, result.err) == (1, "")
    assert [line["requestId"] for line in result.lines] == [str(number) for number in range(50)]
    assert [line["ok"] for line in result.lines].count(False) == 1


def test_a_response_is_printed_before_the_next_line_is_read(pw: Pw) -> None:
    with pw.start("batch") as process:
        assert process.stdin
        assert process.stdout
        for number in range(3):
            request = {"op": "profile.list", "requestId": str(number)}
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["requestId"] == str(number)
        out, err = process.communicate(timeout=60)

    assert (out, err, process.returncode) == (b"", b"", 0)


WORDS = [
    (b'{"op": "ping"}', {"op": "ping", "ok": True}),
    (b'{"op": "ping", "requestId": ""}', {"op": "ping", "ok": True, "requestId": ""}),
    (b'{"op": "ping", "schemaVersion": 4, "input": 5}', {"op": "ping", "ok": True}),
    (b'\t {"op": "ping"} \r', {"op": "ping", "ok": True}),
]
REFUSED = [
    (b"{", "unknown", "Invalid request JSON: "),
    (b"nonsense", "unknown", "Invalid request JSON: "),
    (b'{"op": "ping"} {"op": "ping"}', "unknown", "Invalid request JSON: "),
    (b'{"op": "\xff\xfe"}', "unknown", "Invalid request JSON: "),
    (b"\x00\x01\x80", "unknown", "Invalid request JSON: "),
    (b"5", "unknown", "Invalid request JSON: "),
    (b'"ping"', "unknown", "Invalid request JSON: "),
    (b"null", "unknown", "Invalid request JSON: "),
    (b"[]", "unknown", "Invalid request JSON: "),
    (b"[" * 100_000, "unknown", "Invalid request JSON: "),
    (b"{}", "unknown", "op: is required"),
    (b'{"op": 5}', "unknown", "op: must be a string"),
    (b'{"op": "ops.list", "requestId": 5}', "ops.list", "requestId: must be a string"),
    (b'{"op": "ops.list", "input": null}', "ops.list", "input: must be an object"),
    (b'{"op": "ops.list", "schemaVersion": 4}', "ops.list", "schemaVersion: 4 "),
    (
        b'{"op": "x", "schemaVersion": 4, "runtime": {"profile": ".."}}',
        "x",
        "schemaVersion: 4 ",
    ),
    (b'{"op": "x", "runtime": {"profile": ".."}}', "x", "profile name '..' is not allowed"),
    (b'{"op": "nav"}', "nav", "unknown operation: nav"),
    (b'{"op": "Ping"}', "Ping", "unknown operation: Ping"),
]


def test_an_invalid_line_gets_a_response_and_the_next_line_runs(pw: Pw) -> None:
    lines = [line for line, _ in WORDS] + [line for line, _, _ in REFUSED]

    result = pw.batch(*lines, b'{"op": "profile.list"}')

    assert (result.code, result.err) == (1, "")
    *answers, last = result.lines
    for answer, (line, expected) in zip(answers[: len(WORDS)], WORDS, strict=True):
        assert expected.items() <= answer.items(), line
        assert set(answer) <= {"schemaVersion", "requestId", "op", "ok", "data"}
    for answer, (line, op, message) in zip(answers[len(WORDS) :], REFUSED, strict=True):
        assert answer["op"] == op, line
        assert answer["error"]["code"] == "INVALID_INPUT"
        assert answer["error"]["message"].startswith(message), line
    assert last["ok"] is True


def test_blank_lines_are_skipped_and_the_last_line_needs_no_end(pw: Pw) -> None:
    text = b'\n\r\n   \n{"op": "ping", "requestId": "a"}\r\n\n{"op": "ping", "requestId": "b"}'

    result = pw("batch", input=text)

    assert [line["requestId"] for line in result.lines] == ["a", "b"]


@pytest.mark.parametrize("word", ["quit", "exit"])
def test_quit_gets_a_response_and_ends_the_batch(pw: Pw, word: str) -> None:
    quit = {"op": word, "requestId": "q", "schemaVersion": 99, "runtime": {"profile": ".."}}

    result = pw.batch(PING, quit, *[PING] * 100)

    assert result.code == 0
    assert [line["op"] for line in result.lines] == ["ping", "quit"]
    assert result.lines[1]["requestId"] == "q"
    assert result.lines[1]["ok"] is True
    assert result.err == ""


def test_a_batch_can_stop_after_the_first_line_that_failed(pw: Pw) -> None:
    lines = [{"op": "profile.list"}, {"op": "nonsense"}, {"op": "profile.list"}]

    result = pw.batch(*lines, arguments=("--fail-fast",))

    assert result.code == 1
    assert [line["ok"] for line in result.lines] == [True, False]
    assert pw.batch(lines[0], arguments=("--fail-fast",)).code == 0


def test_empty_input_is_no_error(pw: Pw) -> None:
    result = pw("batch")

    assert (result.code, result.out, result.err) == (0, "", "")


def test_interactive_operations_are_refused(pw: Pw) -> None:
    result = pw.without_daemon().batch({"op": "auth.login", "input": {"nonsense": 1}})

    assert result.code == 1
    assert result.lines[0]["error"]["code"] == "UNSUPPORTED_MODE"


def test_requests_without_a_profile_use_that_of_the_command_line(pw: Pw) -> None:
    other = {"op": "protect.list", "runtime": {"profile": "other"}}

    result = pw.batch({"op": "protect.list"}, other, arguments=("--profile", "mine"))

    profiles = [line["effectiveRuntime"]["profile"] for line in result.lines]
    assert profiles == ["mine", "other"]


def test_a_request_sees_what_the_one_before_it_saved(pw: Pw) -> None:
    result = pw.batch(
        {"op": "protect.add", "input": {"pattern": "a"}},
        {"op": "protect.add", "input": {"pattern": "b"}},
        {"op": "protect.list"},
    )

    assert result.lines[-1]["data"] == {"protected": ["a", "b"], "count": 2}


def test_the_format_can_be_text(pw: Pw) -> None:
    result = pw.batch({"op": "profile.list"}, arguments=("-f", "text"))

    assert result.out == "no profiles\n"


def test_a_line_of_twenty_megabytes_works(pw: Pw) -> None:
    config = {"notes": "x" * 20_000_000}

    result = pw.batch(
        {"op": "profile.set", "requestId": "big", "input": {"name": "big", "config": config}}, PING
    )

    assert [line["ok"] for line in result.lines] == [True, True]
    assert result.lines[0]["requestId"] == "big"
    written = pw.root / "playwright/.pw-cli-v4/profiles/big/config.json"
    assert json.loads(written.read_text())["notes"] == config["notes"]


def test_a_line_over_the_limit_is_refused_and_the_next_line_runs(pw: Pw) -> None:
    too_long = b'{"op": "ping", "x": "' + b"x" * MAX_LINE_BYTES + b'"}'

    result = pw.batch(PING, too_long, PING)

    assert [line["ok"] for line in result.lines] == [True, False, True]
    assert result.lines[1]["op"] == "unknown"
    assert result.lines[1]["error"]["details"] == {"limitBytes": MAX_LINE_BYTES}


def test_a_closed_pipe_ends_the_batch_without_an_error(pw: Pw) -> None:
    with (
        pw.start("batch") as process,
        subprocess.Popen(["head", "-1"], stdin=process.stdout, stdout=subprocess.PIPE) as head,
    ):
        assert process.stdin
        assert process.stdout
        process.stdout.close()
        process.stdout = None
        request = json.dumps({"op": "ops.list"}).encode() + b"\n"
        process.stdin.write(request * 20)
        process.stdin.flush()
        first, _ = head.communicate(timeout=60)
        _, err = process.communicate(timeout=60)

    assert json.loads(first)["ok"] is True
    assert err == b""
    assert process.returncode in (0, 141)


def test_variables_are_filled_from_options_a_file_and_the_environment(pw: Pw) -> None:
    (pw.root / "vars").write_text("# of this machine\nfile=from=file\nboth=file\n")
    names = ("given", "file", "both", "named", "upper", "Exact")
    lines = "".join(
        json.dumps({"op": "protect.add", "input": {"pattern": f"{{{{{name}}}}}"}}) + "\n"
        for name in names
    )
    result = pw(
        *("batch", "--var", "given=1=2", "--var", "both=option", "--var", "named"),
        *("--var-file", "vars"),
        input=lines.encode(),
        environment={"named": "n", "PW_VAR_UPPER": "u", "PW_VAR_Exact": "e", "PW_VAR_both": "no"},
    )

    patterns = [each["data"]["pattern"] for each in result.lines]
    assert patterns == ["1=2", "from=file", "option", "n", "u", "e"]


def test_a_line_with_an_unset_variable_is_refused(pw: Pw) -> None:
    text = {"op": "fill", "requestId": "7", "input": {"selector": "#a", "text": "{{password}}"}}
    url = {"op": "navigate", "input": {"url": "http://127.0.0.1:1/?token={{token}}"}}
    harmless = {"op": "protect.add", "input": {"pattern": "a {{template}} of a page"}}
    refused, masked, kept = pw.batch(text, url, harmless).lines

    assert refused["requestId"] == "7"
    assert refused["error"]["code"] == masked["error"]["code"] == "INVALID_INPUT"
    assert refused["error"]["message"] == "missing variables: password"
    assert refused["error"]["hint"] == (
        "set them with --var password=…, --var-file, or PW_VAR_PASSWORD in the environment"
    )
    assert kept["data"]["pattern"] == "a {{template}} of a page"


def test_variables_that_cannot_be_read_are_wrong_usage(pw: Pw) -> None:
    (pw.root / "bad").write_text("no equals sign\n")
    for arguments in (("--var", "nowhere_set"), ("--var-file", "none"), ("--var-file", "bad")):
        result = pw("batch", *arguments)
        assert (result.code, result.out) == (2, "")
        assert result.err.startswith("usage: pw batch ")
        assert "\npw batch: error: " in result.err
