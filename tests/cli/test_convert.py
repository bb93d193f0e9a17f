"""`pw convert`, in this process: formats, targets and errors."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pwtui.cli.commands.convert import convert_command
from pwtui.cli.context import Context
from pwtui.cli.parser import parse
from pwtui.cli.terminal import RealTerminal
from pwtui.protocol.envelope import Request, Response
from pwtui.runtime.caller import Caller
from pwtui.state.workspace import Workspace


async def no_request(request: Request, caller: Caller) -> Response:
    raise AssertionError("a conversion sends nothing")


async def convert(folder: Path, *arguments: str) -> int:
    terminal = RealTerminal(columns=0, cwd=folder, workspace=Workspace(folder.resolve()))
    parsed = parse(["convert", *arguments], os.environ)
    parsed.variables = {}
    return await convert_command(parsed, Context.of(parsed, terminal, no_request))


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    (tmp_path / "login.pw").write_text("goto https://example.com\nclick #go\ntext h1\n")
    return tmp_path


async def test_a_recording_is_written_as_a_test(recording: Path) -> None:
    assert await convert(recording, "login.pw", "test_login.py") == 0

    written = recording / "test_login.py"
    assert 'page.goto("https://example.com")' in written.read_text()
    assert written.stat().st_mode & 0o077 == 0


async def test_without_a_file_the_result_goes_to_stdout(
    recording: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert await convert(recording, "login.pw", "--to", "ndjson") == 0

    lines = capsysbinary.readouterr().out.splitlines()
    assert len(lines) == 3
    assert b'"navigate"' in lines[0]


async def test_with_json_the_result_and_the_warnings_are_reported(
    recording: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (recording / "words.pw").write_text("click Save\n")

    assert await convert(recording, "login.pw", "--to", "ndjson", "--json") == 0
    printed = json.loads(capsysbinary.readouterr().out)
    assert await convert(recording, "words.pw", "test_words.py", "--json") == 0
    written = json.loads(capsysbinary.readouterr().out)

    assert printed["format"] == "ndjson"
    assert printed["text"].count("\n") == 3
    assert printed["warnings"] == []
    assert written["path"] == str(recording / "test_words.py")
    assert "is a guess" in written["warnings"][0]["message"]


async def test_a_missing_format_and_a_missing_file_are_wrong_usage(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await convert(recording, "login.pw") == 2
    assert "--to" in capsys.readouterr().err
    assert await convert(recording, "missing.pw", "a.py") == 2
    assert "missing.pw is not a file" in capsys.readouterr().err


async def test_a_line_that_cannot_be_read_is_an_error_with_its_number(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (recording / "wrong.pw").write_text("goto https://example.com\nclikc #go\n")

    assert await convert(recording, "wrong.pw", "a.py") == 1
    shown = capsys.readouterr().err
    assert shown.startswith("pw convert: ")
    assert "2" in shown
    assert not (recording / "a.py").exists()
