"""With a daemon, `pw` hands its command line over: nobody but the clock can tell."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.cli.pw import INSTALLED, Pw, Result


@pytest.fixture(scope="module")
def daemon() -> Iterator[Path]:
    """The folder of a daemon that runs; short, as a socket's path must be."""
    folder = Path(tempfile.mkdtemp(prefix="pw-"))
    starter = Pw(folder, folder / "run")
    started = starter("daemon", "start")
    assert started.code == 0, started
    process = psutil.Process(started.json["data"]["pid"])
    yield folder / "run"
    stopped = starter("daemon", "stop")
    assert stopped.code == 0, stopped
    assert not process.is_running()
    assert not (folder / "run" / "daemon.sock").exists()
    shutil.rmtree(folder)


@pytest.fixture
def handed(daemon: Path, tmp_path: Path) -> Pw:
    root = tmp_path / "workspace"
    root.mkdir()
    return Pw(root, daemon)


def over(handed: Pw, *arguments: str | bytes | Path) -> Result:
    """The result of the entry point, which hands over when it can."""
    return handed(*arguments, command=INSTALLED)


def without_time(result: Result) -> tuple[int, str, str]:
    out = result.out
    if out.startswith("{"):
        value = json.loads(out)
        value.pop("durationMs", None)
        out = json.dumps(value)
    return result.code, out, result.err


COMMANDS: list[tuple[str, ...]] = [
    ("exec", "profile.show", "--input", '{"name": "dev"}'),
    ("exec", "profile.show", "--input", '{"name": "d\\u00fc\\n"}', "--profile", 'ü \t\\ "'),
    ("exec", "profile.show", "--input", "@input.json"),
    ("exec", "--file", "envelope.json"),
    ("exec", "--file", "none.json"),
    ("exec", "zzzzz", "-f", "text"),
    ("exec", "profile.list", "-f", "json"),
    ("exec",),
    ("exec", "ops.list", "--nonsense"),
    ("profile", "show", ".."),
    ("ops", "click"),
    ("ops", "--help"),
]


def test_what_is_handed_over_is_answered_as_without_a_daemon(handed: Pw) -> None:
    (handed.root / "input.json").write_text('{"name": "from a file"}')
    (handed.root / "envelope.json").write_text('{"op": "protect.list", "requestId": "r1"}')

    alone = Pw(handed.root).each(COMMANDS)

    for arguments, expected in zip(COMMANDS, alone, strict=True):
        assert without_time(over(handed, *arguments)) == without_time(expected), arguments


def test_files_are_written_below_the_folder_of_the_caller(handed: Pw) -> None:
    (handed.root / "new.json").write_text('{"defaults": {"timeoutMs": 5}}')

    written = over(handed, "profile", "set", "dev", "--file", "new.json")
    listed = over(handed, "profile", "list")

    assert written.code == 0
    assert listed.json["data"] == {"profiles": ["dev"]}
    assert (handed.root / "playwright/.pw-cli-v4/profiles/dev/config.json").exists()


def test_arguments_that_are_no_unicode_are_answered(handed: Pw) -> None:
    result = over(handed, "exec", b"\xff", "--profile", b"a\xffb")

    assert "Traceback" not in result.err
    assert result.code == 1
    assert result.json["error"]["code"] == "INVALID_INPUT"


def test_a_corrupt_profile_is_told_in_the_answer(handed: Pw) -> None:
    folder = handed.root / "playwright/.pw-cli-v4/profiles/default"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{broken")

    result = over(handed, "exec", "protect.list")

    assert result.code == 0
    (kept,) = folder.iterdir()
    assert kept.read_text() == "{broken"
    assert [kept.name in note["message"] for note in result.json["diagnostics"]] == [True]


def test_a_batch_goes_through_the_daemon_line_by_line(handed: Pw) -> None:
    result = handed.batch(
        {"op": "protect.add", "input": {"pattern": "ü"}, "requestId": ""},
        b"nonsense",
        {"op": "protect.list", "requestId": "r2"},
        {"op": "quit"},
    )

    assert (result.code, result.err) == (0, "")
    assert [line["ok"] for line in result.lines] == [True, False, True, True]
    assert [line.get("requestId") for line in result.lines] == ["", None, "r2", None]
    assert result.lines[2]["data"]["protected"] == ["ü"]
