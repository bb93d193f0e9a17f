"""`pw --version`, `pw --help` and `pw ops`."""

from __future__ import annotations

from pwtui import __version__
from pwtui.cli.parser import parser
from pwtui.keywords.table import KEYWORDS
from pwtui.operations.framework.declare import operations
from tests.cli.pw import Pw


def test_version_and_help_are_on_stdout(handed: Pw) -> None:
    version, help, exec_help = handed.each([("--version",), ("--help",), ("exec", "--help")])

    assert version.out == handed("-V").out == f"pw {__version__}\n"
    assert all(word in help.out for word in ("exec", "batch", "profile", "ops", "Exit codes"))
    assert all(word in exec_help.out for word in ("--input", "--file", "--profile", "--format"))
    assert [each.code for each in (version, help, exec_help)] == [0, 0, 0]
    assert [each.err for each in (version, help, exec_help)] == ["", "", ""]


def test_help_names_every_keyword() -> None:
    words = parser().format_help().partition("\nkeywords:\n")[2].split()

    assert [keyword.name for keyword in KEYWORDS if keyword.name not in words] == []


def test_advice_names_commands(handed: Pw) -> None:
    session, op = handed.each([("session", "pause", "x", "-f", "text"), ("ops", "x", "-f", "text")])

    assert session.err.endswith("  see `pw session list` for its key\n")
    assert op.err.endswith("  see `pw ops`\n")


def test_ops_lists_every_operation(handed: Pw) -> None:
    data = handed("ops").json["data"]

    assert sorted(each["op"] for each in data["operations"]) == sorted(operations())
    assert data["count"] == len(operations())
    assert all(each["summary"] for each in data["operations"])


def test_ops_describes_one_operation(handed: Pw) -> None:
    known, unknown = handed.each([("ops", "click"), ("ops", "clik")])

    data = known.json["data"]
    assert (known.code, data["op"], data["needsBrowser"]) == (0, "click", True)
    assert data["example"]["op"] == "click"
    assert "selector" in data["input"]["properties"]
    assert data["data"]["type"] == "object"
    assert unknown.code == 1
    assert unknown.json["error"]["details"]["nearMisses"][0] == "click"
