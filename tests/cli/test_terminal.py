"""Output on a terminal only: the pager, colours, and the report of a slow start."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from pwtui.operations.framework.declare import operations
from pwtui.protocol.catalog import AREAS
from tests.cli.pw import Pw, at_a_terminal
from tests.daemon.house import House
from tests.site import TestSite

RED, GREEN, PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[0m"
# `pw ops`: headings with an empty line between them.
LINES = len(operations()) + 2 * len(AREAS) - 1


@pytest.fixture
def pager(tmp_path: Path) -> dict[str, str]:
    """A pager that shows how it was started, and the first line that it got."""
    script = tmp_path / "pager"
    script.write_text('#!/bin/sh\nread -r line\necho "paged $1 $LESS: $line"\ncat >/dev/null\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return {"PAGER": f"{script} --first"}


def shown(pw: Pw, *arguments: str, **environment: str) -> str:
    code, output = at_a_terminal(pw, *arguments, environment=environment)
    assert code == 0, output
    return output.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("has_daemon", [True, False])
def test_a_long_table_goes_through_the_pager(
    daemon: Path, tmp_path: Path, pager: dict[str, str], has_daemon: bool
) -> None:
    (tmp_path / "w").mkdir()
    pw = Pw(tmp_path / "w", daemon if has_daemon else None)
    paged = shown(pw, "ops", **pager)

    assert paged.startswith("paged --first FRX: page")
    assert paged.count("\n") == 1
    assert shown(pw, "ops", "--no-pager", **pager).count("\n") == LINES


def test_only_long_output_on_a_terminal_is_paged(handed: Pw, pager: dict[str, str]) -> None:
    short = shown(handed, "profile", "list", **pager)
    plain = shown(handed, "ops", PAGER="cat")
    absent = shown(handed, "ops", PAGER="/nowhere/pager")
    dumb = shown(handed, "ops", **pager, TERM="dumb")
    piped = handed("ops", "-f", "text", environment=pager)

    assert not short.startswith("paged")
    for each in (plain, absent, dumb, piped.out):
        assert each.count("\n") == LINES


def test_an_error_code_is_red_on_a_terminal_only(handed: Pw) -> None:
    red = f"{RED}INVALID_INPUT{PLAIN}: unknown operation: nope"

    def errors(*arguments: str, **environment: str) -> str:
        _, output = at_a_terminal(
            handed, "exec", "nope", "-f", "text", *arguments, environment=environment
        )
        return output.decode()

    assert errors().startswith(red)
    for plain in (errors(NO_COLOR="1"), errors(TERM="dumb"), errors("--color", "never")):
        assert plain.startswith("INVALID_INPUT: ")
    assert errors("--color=always", NO_COLOR="1").startswith(red)
    piped = handed("exec", "nope", "-f", "text")
    forced = handed("exec", "nope", "-f", "text", "--color", "always")
    assert piped.err.startswith("INVALID_INPUT: ")
    assert forced.err.startswith(red)


def test_untrusted_text_has_no_colours(handed: Pw) -> None:
    hostile = "\x1b[31mred"
    named = handed("exec", hostile, "-f", "text", "--color", "always")

    assert "\\u001b[31mred" in named.err
    assert named.err.count("\x1b[") == 2


def test_replays_are_green_or_red_and_can_be_quiet_or_json(handed: Pw) -> None:
    pw = handed
    (pw.root / "good.pw").write_text("goto data:text/html,<title>Good</title>\ntitle\n")
    (pw.root / "bad.pw").write_text("# empty\n")
    files = ("replay", "good.pw", "bad.pw")
    painted = pw(*files, "--color", "always")
    quiet = pw("replay", "bad.pw", "-q")
    wire = pw(*files, "--json")

    assert f"{GREEN}PASS{PLAIN} good.pw (2 steps" in painted.out
    assert f"{RED}FAIL{PLAIN} bad.pw" in painted.out
    assert [each.code for each in (painted, quiet, wire)] == [1, 1, 1]
    assert quiet.out.splitlines()[0] == "FAIL bad.pw"
    good, bad = wire.json["files"]
    assert (good["file"], good["passed"], len(good["steps"])) == ("good.pw", True, 2)
    assert (bad["passed"], bad["problem"]) == (False, "the recording has no steps")


def test_the_repl_can_print_responses(handed: Pw) -> None:
    lines = handed("repl", "-c", "config-print", "-c", "nonsense", "-f", "ndjson")

    assert lines.code == 1
    assert [each["op"] for each in lines.lines] == ["profile.show"]


def test_a_slow_start_is_reported_on_a_terminal(site: TestSite) -> None:
    with House() as house:
        first = shown(house, "goto", site.url("/form.html"))
        stopped = house.thin("session", "stop")
        second = shown(house, "goto", site.url("/text.html"))
        third = shown(house, "reload")

    assert first.startswith("starting the daemon and the browser…\n")
    assert first.endswith("/form.html  Form\n")
    assert stopped.code == 0
    assert second.replace("starting the browser…\n", "").startswith(site.url("/text.html"))
    assert "starting" not in third
