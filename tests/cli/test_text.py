"""Responses as text and tables."""

from __future__ import annotations

import json

import pytest

from pwtui.operations.framework.declare import operations
from pwtui.protocol.catalog import AREAS
from tests.cli.pw import Pw, at_a_terminal
from tests.site import TestSite

YELLOW, PLAIN = "\x1b[33m", "\x1b[0m"


@pytest.fixture
def pw(handed: Pw) -> Pw:
    return handed


def at_terminal(pw: Pw, *arguments: str, columns: int = 80) -> tuple[int, list[str]]:
    code, shown = at_a_terminal(pw, *arguments, columns=columns)
    return code, shown.decode().splitlines()


def test_a_table_is_aligned_and_cut_to_the_terminal(pw: Pw) -> None:
    code, lines = at_terminal(pw, "ops", columns=60)

    assert code == 0
    rows = [line for line in lines if line.startswith("  ")]
    assert lines[0] == "page"
    assert [line for line in lines if line and line not in rows] == list(AREAS)
    assert sorted(line.split()[0] for line in rows) == sorted(operations())
    column = rows[0].index("Go back")
    assert all(line[column - 2 : column] == "  " and line[column] != " " for line in rows)
    assert max(map(len, lines)) == 60
    assert any(line.endswith("…") for line in lines)


def test_a_table_in_a_pipe_is_not_cut(pw: Pw) -> None:
    lines = pw("ops", "-f", "text").out.splitlines()

    summaries = {each.id: each.summary for each in operations().values()}
    rows = [line for line in lines if line.startswith("  ")]
    assert dict(line.split(maxsplit=1) for line in rows) == summaries


def test_an_operation_is_described_as_a_help_page(pw: Pw) -> None:
    code, lines = at_terminal(pw, "ops", "click", columns=120)

    assert code == 0
    assert lines[0].startswith("click: Click an element")
    assert "  button      left | middle | right  Mouse button." in lines
    assert lines[-1] == "  pw exec click selector='#submit'"


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        (("profile", "list"), "no profiles"),
        (("profile", "create", "dev"), "created dev"),
        (("session", "status"), "no browser is open; the first operation that needs one starts it"),
        (("session", "list"), "NAME"),
        (("daemon", "status"), "daemon        running, pid "),
    ],
)
def test_a_terminal_gets_text_and_a_pipe_one_line_of_json(
    pw: Pw, site: TestSite, arguments: tuple[str, ...], first: str
) -> None:
    if arguments == ("session", "list"):
        opened = pw("exec", "navigate", "--input", json.dumps({"url": site.url("/form.html")}))
        assert opened.code == 0
    code, lines = at_terminal(pw, *arguments)
    assert code == 0
    assert lines[0].startswith(first)
    if arguments[1] != "create":
        assert pw(*arguments).json["ok"] is True
    pw("session", "stop")


def test_a_terminal_gets_the_config_of_a_profile_without_the_envelope(pw: Pw) -> None:
    _, lines = at_terminal(pw, "profile", "show", "default")

    assert json.loads("".join(lines)) == pw("profile", "show", "default").json["data"]


def test_text_is_the_data_only_and_warnings_are_on_stderr(pw: Pw, site: TestSite) -> None:
    input = json.dumps({"url": site.url("/form.html"), "selector": "h1"})
    result = pw("exec", "page.text", "--input", input, "--profile", "new one", "-f", "text")
    pw("session", "stop", "--profile", "new-one")

    assert (result.code, result.out) == (0, "Form\n")
    renamed, created = result.err.splitlines()
    assert renamed.startswith("warning: profile 'new one' is stored as 'new-one'")
    assert created == ("warning: profile 'new-one' does not exist yet; it is created on first use")


def test_warnings_are_shown_beside_json(pw: Pw) -> None:
    code, lines = at_terminal(pw, "exec", "session.status", "--profile", "new", columns=120)

    assert code == 0
    assert (
        f"{YELLOW}warning{PLAIN}: profile 'new' does not exist yet; it is created on first use"
        in lines
    )
    assert pw("exec", "session.status", "--profile", "new").err == ""
