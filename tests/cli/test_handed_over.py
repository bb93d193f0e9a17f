"""With a daemon, `pw` sends its command line there; the output is the same."""

from __future__ import annotations

import json

from tests.cli.pw import Pw, Result


def without_time(result: Result) -> tuple[int, str, str]:
    out = result.out
    if out.startswith("{"):
        value = json.loads(out)
        value.pop("durationMs", None)
        out = json.dumps(value)
    return result.code, out, result.err


COMMANDS: list[tuple[int, tuple[str, ...]]] = [
    (0, ("exec", "profile.show", "--input", '{"name": "default"}')),
    (0, ("exec", "ops.list", "--input", "{ }", "--profile", 'ü \t\\ "x')),
    (0, ("exec", "profile.show", "--input", "@input.json")),
    (0, ("exec", "profile.list", "-f", "json")),
    (0, ("exec", "--file", "envelope.json")),
    (1, ("exec", "--file", "none.json")),
    (1, ("exec", "zzzzz", "-f", "text")),
    (1, ("profile", "show", "..")),
    (2, ("exec",)),
    (2, ("exec", "--input", "{}")),
    (2, ("exec", "ops.list", "--file", "x.json")),
    (2, ("exec", "ops.list", "--nonsense")),
]


def test_the_output_is_the_same_with_and_without_a_daemon(handed: Pw) -> None:
    (handed.root / "input.json").write_text('{"name": "default"}')
    (handed.root / "envelope.json").write_text('{"op": "protect.list", "requestId": "r1"}')

    alone = Pw(handed.root).each(arguments for _, arguments in COMMANDS)

    for (code, arguments), expected in zip(COMMANDS, alone, strict=True):
        assert expected.code == code, arguments
        assert without_time(handed(*arguments)) == without_time(expected), arguments


def test_relative_paths_start_at_the_folder_of_the_caller(handed: Pw) -> None:
    (handed.root / "new.json").write_text('{"defaults": {"timeoutMs": 5}}')

    written = handed("profile", "set", "dev", "--file", "new.json")
    listed = handed("profile", "list")

    assert written.code == 0
    assert listed.json["data"] == {"profiles": ["dev"]}
    assert (handed.root / "playwright/.pw-cli-v4/profiles/dev/config.json").exists()


def test_arguments_that_are_not_unicode_get_a_response(handed: Pw) -> None:
    result = handed("exec", b"\xff", "--profile", b"a\xffb")

    assert "Traceback" not in result.err
    assert result.code == 1
    assert result.json["error"]["code"] == "INVALID_INPUT"


def test_a_corrupt_profile_is_reported_in_the_response(handed: Pw) -> None:
    folder = handed.root / "playwright/.pw-cli-v4/profiles/default"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{broken")

    result = handed("exec", "protect.list")

    assert result.code == 0
    (kept,) = folder.iterdir()
    assert kept.read_text() == "{broken"
    assert [kept.name in note["message"] for note in result.json["diagnostics"]] == [True]


def test_the_daemon_runs_each_line_of_a_batch(handed: Pw) -> None:
    result = handed.batch(
        {"op": "protect.add", "input": {"pattern": "ü"}, "requestId": ""},
        b"nonsense",
        {"op": "protect.list", "requestId": "r2"},
        {"op": "quit"},
    )

    assert (result.code, result.err) == (1, "")
    assert [line["ok"] for line in result.lines] == [True, False, True, True]
    assert [line.get("requestId") for line in result.lines] == ["", None, "r2", None]
    assert result.lines[2]["data"]["protected"] == ["ü"]
