"""`pw exec`: one request, one response on stdout, and its exit code."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pwtui.cli.main import main
from tests.cli.pw import Pw, at_a_terminal
from tests.site import TestSite

BREAK_AN_OPERATION = """
import sys
from pwtui.cli.main import main
from pwtui.operations.framework import declare
async def break_down(call, input):
    raise ZeroDivisionError("the cause")
declared = declare.find_operation("profile.list")
declare._declared["profile.list"] = declared._replace(function=break_down)
sys.exit(main(sys.argv[1:]))
"""


def test_a_success_is_one_line_and_exit_code_zero(pw: Pw) -> None:
    result = pw("exec", "profile.show", "--input", '{"name": "default"}')

    assert (result.code, result.err) == (0, "")
    assert result.out.count("\n") == 1
    assert result.json["ok"] is True
    assert result.json["inputs"] == {"name": "default"}
    assert "requestId" not in result.json


def test_the_installed_command_is_the_same(handed: Pw) -> None:
    script = str(Path(sys.executable).with_name("pw"))

    result = handed("exec", "profile.list", command=[script])

    assert result.code == 0
    assert result.json["data"] == {"profiles": []}


def test_a_failure_is_a_response_and_exit_code_one(pw: Pw) -> None:
    result = pw("exec", "navigat")

    assert (result.code, result.err) == (1, "")
    assert result.json["error"]["message"] == "unknown operation: navigat"


def test_the_input_comes_from_a_file_or_from_stdin(pw: Pw) -> None:
    text = '{"name": "default"}'
    (pw.root / "input.json").write_text(text)

    file = pw("exec", "profile.show", "--input", "@input.json")
    stdin = pw("exec", "profile.show", "--input", "-", input=text.encode())

    assert file.json["inputs"] == stdin.json["inputs"] == {"name": "default"}


def test_a_whole_request_comes_from_a_file_or_from_stdin(pw: Pw) -> None:
    envelope = {"op": "protect.list", "requestId": "r1", "runtime": {"profile": "mine"}}
    text = json.dumps(envelope)
    (pw.root / "envelope.json").write_text(text)

    file = pw("exec", "--file", "envelope.json", "--profile", "cli")
    stdin = pw("exec", "--file", "-", "--profile", "cli", input=text.encode())

    for result in (file, stdin):
        assert result.code == 0
        assert result.json["requestId"] == "r1"
        assert result.json["effectiveRuntime"]["profile"] == "mine"


def test_the_profile_of_the_command_line_is_used(pw: Pw) -> None:
    result = pw("exec", "protect.add", "--input", '{"pattern": "x"}', "--profile", "prod/team A")

    assert result.json["effectiveRuntime"]["profile"] == "prod-team-A"
    config = pw.root / "playwright/.pw-cli-v4/profiles/prod-team-A/config.json"
    assert json.loads(config.read_text())["protectedUrls"] == ["x"]


UNSENDABLE = [
    (("exec", "profile.show", "--input", "{"), "INVALID_INPUT", "--input"),
    (("exec", "profile.show", "--input", "[]"), "INVALID_INPUT", "object"),
    (("exec", "profile.show", "--input", "@none.json"), "IO_ERROR", "none.json"),
    (("exec", "--file", "none.json"), "IO_ERROR", "none.json"),
    (("exec", "--file", "-"), "INVALID_INPUT", "Invalid request JSON"),
]


def test_input_that_cannot_be_sent_gets_a_response(handed: Pw) -> None:
    results = handed.each(arguments for arguments, _, _ in UNSENDABLE)

    for result, (arguments, code, word) in zip(results, UNSENDABLE, strict=True):
        assert (result.code, result.err) == (1, ""), arguments
        assert result.json["ok"] is False
        assert result.json["error"]["code"] == code, arguments
        assert word in result.json["error"]["message"]


def test_arguments_that_are_not_unicode_get_a_response(pw: Pw) -> None:
    result = pw("exec", b"\xff", "--profile", b"a\xffb")

    assert result.code == 1
    assert result.json["error"]["code"] == "INVALID_INPUT"
    assert result.json["effectiveRuntime"]["profile"] == "a-b"
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("exec",),
        ("exec", "ops.list", "name"),
        ("exec", "ops.list", "--input", "{}", "--file", "x.json"),
        ("exec", "ops.list", "--format", "toon"),
        ("exec", "ops.list", "--nonsense"),
        ("navigat", "https://example.com"),
        ("profile",),
        ("profile", "set", "dev"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_reported_on_stderr_with_exit_code_two(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    code = main(arguments)

    printed = capsys.readouterr()
    assert (code, printed.out) == (2, "")
    assert printed.err.startswith("usage: pw")


def test_a_corrupt_profile_is_reported_in_the_response(pw: Pw) -> None:
    folder = pw.root / "playwright/.pw-cli-v4/profiles/default"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{broken")

    result = pw("exec", "protect.list")

    assert result.code == 0
    (kept,) = folder.iterdir()
    assert [kept.name in note["message"] for note in result.json["diagnostics"]] == [True]


# Formats -----------------------------------------------------------------------------------------


def test_json_is_indented_and_text_is_readable(handed: Pw) -> None:
    pretty, text = handed.each(
        [("exec", "profile.list", "--format", "json"), ("exec", "profile.list", "-f", "text")]
    )

    assert pretty.out.startswith('{\n  "schemaVersion": 5,\n')
    assert pretty.json["data"] == {"profiles": []}
    assert text.out == "no profiles\n"


def test_an_error_as_text_is_on_stderr_with_near_matches(handed: Pw) -> None:
    result = handed("exec", "clik", "-f", "text")

    assert (result.code, result.out) == (1, "")
    assert result.err == (
        "INVALID_INPUT: unknown operation: clik\n  did you mean click or dblclick?\n"
    )


def test_common_options_may_precede_or_follow_the_command(pw: Pw) -> None:
    before, after = pw.each([("-v", "-f", "json", "ops"), ("ops", "-v", "-f", "json")])

    assert (before.code, after.code) == (0, 0)
    assert before.json["data"] == after.json["data"]
    assert before.out.startswith("{\n")
    assert "ops.list: ok" in before.err
    assert "ops.list: ok" in after.err


def test_a_terminal_gets_indented_json(pw: Pw) -> None:
    code, shown = at_a_terminal(pw, "exec", "profile.list")

    assert code == 0
    assert shown.startswith(b'{\r\n  "schemaVersion": 5,\r\n')
    assert json.loads(shown)["ok"] is True


HOSTILE = "\x1b]52;c;eA==\x07\x9b2J\u202e"
HARMLESS = r"\u001b]52;c;eA==\u0007\u009b2J\u202e"


def test_untrusted_text_is_escaped(pw: Pw) -> None:
    (pw.root / "bad.pw").write_text(f"{HOSTILE} x\n")
    text = pw("exec", HOSTILE, "-f", "text")
    verbose = pw("exec", HOSTILE, "-v")
    wrong = pw("profile", "list", HOSTILE)
    replayed = pw("replay", "bad.pw", "--report", "r.html", "--report", "r.xml")
    reports = [(pw.root / name).read_text() for name in ("r.html", "r.xml")]

    for shown in (text.err, verbose.err, wrong.err, replayed.out, *reports):
        assert HARMLESS in shown
        assert not set(HOSTILE) & {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown)
    assert HOSTILE in verbose.json["error"]["message"]


def test_json_at_a_terminal_is_escaped_and_has_the_same_value(pw: Pw) -> None:
    code, shown = at_a_terminal(pw, "exec", HOSTILE)

    assert code == 1
    assert HARMLESS.encode() in shown
    assert HOSTILE in json.loads(shown)["error"]["message"]


def test_verbose_reports_to_stderr(pw: Pw) -> None:
    result = pw("exec", "profile.list", "-v")

    assert result.json["ok"] is True
    assert "profile.list: ok in " in result.err


# Faults ------------------------------------------------------------------------------------------


def test_an_internal_error_is_a_response_and_its_id_is_in_the_log(pw: Pw) -> None:
    result = pw("exec", "profile.list", command=[sys.executable, "-c", BREAK_AN_OPERATION])

    assert (result.code, result.err) == (1, "")
    error = result.json["error"]
    assert error["code"] == "INTERNAL_ERROR"
    log = Path(error["details"]["log"])
    assert log == pw.root / "state/pwtui/pw.log"
    assert error["details"]["fault"] in log.read_text()
    assert "ZeroDivisionError: the cause" in log.read_text()
    assert log.parent.stat().st_mode & 0o077 == 0


def test_a_log_folder_that_cannot_be_created_is_ignored(pw: Pw) -> None:
    (pw.root / "state").write_text("a file")

    result = pw("exec", "profile.list")

    assert (result.code, result.err) == (0, "")


def test_a_closed_stdout_is_no_error(pw: Pw) -> None:
    process = pw.start("exec", "ops.list")
    assert process.stdout
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)

    assert err == b""
    assert process.returncode in (0, 141)


# With a browser ----------------------------------------------------------------------------------


def test_the_next_command_continues_on_the_same_page(pw: Pw, site: TestSite) -> None:
    pw.without_daemon()
    request = json.dumps({"url": site.url("/form.html"), "selector": "legend"})

    first = pw("exec", "page.text", "--input", request)
    second = pw("exec", "page.text")

    assert (first.code, second.code) == (0, 0)
    assert first.json["data"]["text"] == second.json["data"]["text"] == "Size"
    assert second.json["inputs"] == {"url": site.url("/form.html"), "selector": "legend"}


def test_artifacts_of_a_failure_are_saved_and_listed(pw: Pw, site: TestSite) -> None:
    pw.without_daemon()
    request = json.dumps({"url": site.url("/form.html"), "selector": "input"})

    result = pw("exec", "click", "--input", request, "--artifacts-dir", "kept")

    assert result.code == 1
    assert result.json["error"]["code"] == "SELECTOR_AMBIGUOUS"
    artifacts = {each["type"]: Path(each["path"]) for each in result.json["artifacts"]}
    assert set(artifacts) >= {"screenshot", "html"}
    for each in result.json["artifacts"]:
        path = pw.root / each["path"]
        assert path.parent == pw.root / "kept"
        assert path.stat().st_size == each["sizeBytes"] > 0
    assert b"Form" in (pw.root / artifacts["html"]).read_bytes()
