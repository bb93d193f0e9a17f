"""Help, consistent options, and errors that suggest what was meant."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import pytest

from pwtui import __version__
from pwtui.cli.argument_parser import Parser, Stop, subparsers
from pwtui.cli.argument_types import duration
from pwtui.cli.command_table import KEYWORD_LINE
from pwtui.cli.fast_path import LOCAL_COMMANDS, VALUE_OPTIONS
from pwtui.cli.parser import commands, parse, parser
from pwtui.keywords.table import KEYWORDS, by_name
from tests.cli.pw import INSTALLED, Pw


def every_command(command: Parser | None = None) -> Iterator[Parser]:
    command = (command or parser()).filled()
    yield command
    for each in subparsers(command).values():
        yield from every_command(each)


def stopped(*arguments: str, **environment: str) -> Stop:
    with pytest.raises(Stop) as stop:
        parse(arguments, environment)
    return stop.value


def test_pw_alone_shows_the_help(pw: Pw) -> None:
    whole = pw()
    alone, help, option = (pw(*each, command=INSTALLED) for each in ([], ["help"], ["--help"]))

    assert (alone.code, alone.err) == (0, "")
    assert alone.out == help.out == option.out
    assert alone.out.startswith("usage: pw ")
    assert (whole.code, whole.out.split()) == (0, alone.out.split())


@pytest.mark.parametrize("words", [["exec"], ["profile"], ["profile", "set"], ["doctor", "cdp"]])
def test_help_is_the_help_of_the_command(words: list[str]) -> None:
    asked, option = stopped("help", *words), stopped(*words, "--help")

    assert asked.code == option.code == 0
    assert asked.text == option.text
    assert asked.text.startswith(f"usage: pw {' '.join(words)} ")


def test_help_shows_how_a_keyword_or_an_operation_is_written() -> None:
    keyword, alias, operation = (stopped("help", name) for name in ("click", "c", "har.set"))

    assert "click <target> [left|middle|right]" in keyword.text
    assert "-p, --profile NAME" in keyword.text
    assert alias.text == keyword.text
    assert "har.set [NAME=VALUE | NAME:=JSON]..." in operation.text


@pytest.mark.parametrize(
    ("line", "usage", "message"),
    [
        ("exce", "pw ", "unknown command 'exce'; did you mean exec?"),
        ("clik e5", "pw ", "did you mean click"),
        ("page.txt", "pw ", "did you mean page.text or"),
        ("show", "pw ", "use `pwtui`"),
        ("help relpay", "pw ", "did you mean relay or replay"),
        ("--profil x exec", "pw ", "unknown option --profil; did you mean --profile"),
        ("exec --inptu {}", "pw exec ", "unknown option --inptu; did you mean --input?"),
        ("profile lits", "pw profile ", "unknown action 'lits'; did you mean list?"),
        (
            "profile set dev --fil=x",
            "pw profile set ",
            "unknown option --fil; did you mean --file?",
        ),
        ("session start --headd", "pw session start ", "did you mean --headed"),
        ("replay", "pw replay ", "required: FILE"),
        ("ops -f jsn", "pw ops ", "'jsn' is not known; did you mean json"),
        ("ops a b", "pw ops ", "unexpected argument 'b'"),
        ("replay x --timeout soon", "pw replay ", "'soon' is not a duration, such as 5s or 800ms"),
        ("relay start --port 0", "pw relay start ", "'0' is not a port"),
        ("tabs", "pw ", "did you mean tab-list or"),
        ("click e5 --timeout 5x", "pw click ", "pw click: error: argument --timeout: '5x'"),
        ("history show x", "pw history show", "argument ID: 'x' is not a number from 1"),
        ("daemon logs -n x", "pw daemon logs", "argument -n/--lines: 'x' is not a number from 0"),
        ("session kill x", "pw session kill", "argument PID: 'x' is not a number from 1"),
    ],
)
def test_an_error_shows_the_usage_of_its_command_and_what_was_meant(
    line: str, usage: str, message: str
) -> None:
    stop = stopped(*line.split())

    assert stop.code == 2
    assert stop.text.startswith(f"usage: {usage}")
    assert message in stop.text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("exec", "pw exec: error: name an operation"),
        ("convert x.pw", "pw convert: error: set the format with --to"),
        ("replay none.pw", "pw replay: error: none.pw does not exist"),
        ("profile set dev", "pw profile set: error: use KEY=VALUE"),
        ("exec ops.list --workspace none", "pw: --workspace: none is not a folder"),
    ],
)
def test_a_command_refuses_wrong_usage(pw: Pw, line: str, message: str) -> None:
    refused = pw(*line.split())

    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err


def test_an_option_means_the_same_in_every_command() -> None:
    meanings: dict[str, set[tuple[str, str]]] = {}
    for command in every_command():
        for name, action in command.visible_options().items():
            meanings.setdefault(name, set()).add((action.dest, type(action).__name__))

    assert {name for name, found in meanings.items() if len(found) > 1} == set()
    assert not meanings.keys() & {"--headful", "-s"}
    with_session = [each for each in every_command() if "--session" in each.visible_options()]
    assert [each.prog for each in with_session] == ["pw watch"]  # elsewhere an old spelling of -p
    with_profile = [each for each in every_command() if "--profile" in each.visible_options()]
    assert len(with_profile) > 8
    assert all("-p" in each.visible_options() for each in with_profile)


def test_every_command_has_the_common_options() -> None:
    leaves = [
        each
        for each in every_command()
        if not subparsers(each) and each.prog not in ("pw completion", "pw help")
    ]

    assert len(leaves) > 25
    for command in leaves:
        missing = {"--workspace", "--color", "--no-pager", "--quiet", "-v"}
        assert missing <= command.visible_options().keys(), command.prog
        if command.prog != "pw daemon logs":  # its lines are JSON
            assert {"--format", "--json"} <= command.visible_options().keys(), command.prog


def test_old_spellings_work_and_are_not_shown() -> None:
    assert parse(["repl", "-s", "dev"], {}).profile == "dev"
    assert parse(["repl", "--session", "dev"], {}).profile == "dev"
    assert parse(["session", "start", "--headful"], {}).headed is True
    assert parse(["relay", "status", "--json"], {}).format == "json"
    for words in (["repl"], ["session", "start"]):
        help = stopped(*words, "--help").text
        assert "--headful" not in help
        assert "--session" not in help


@pytest.mark.parametrize(
    ("text", "unit", "seconds"),
    [
        ("5s", "ms", 5),
        ("800ms", "s", 0.8),
        ("1.5m", "s", 90),
        ("1h", "s", 3600),
        ("300", "ms", 0.3),
        ("10", "s", 10),
    ],
)
def test_a_bare_number_has_the_unit_of_its_option(text: str, unit: str, seconds: float) -> None:
    assert duration(unit)(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "-1s", "5 parsecs", "1e3", "0"])
def test_an_invalid_duration_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        duration("s")(text)


def test_durations_are_read_by_every_option_that_takes_one() -> None:
    assert parse(["exec", "ops.list", "--timeout", "2s"], {}).timeout == 2
    assert parse(["click", "e5", "--timeout", "800ms"], {}).timeout == 0.8
    assert parse(["replay", "x.pw", "--timeout", "300"], {}).timeout == 0.3
    assert parse(["doctor", "cdp", "http://x", "--timeout", "3"], {}).timeout == 3
    assert parse(["daemon", "start", "--idle-timeout", "0"], {}).idle_timeout == 0


def test_the_environment_sets_profile_and_format(handed: Pw) -> None:
    environment = {"PWTUI_PROFILE": "from-environment", "PWTUI_FORMAT": "json"}
    used = handed("exec", "session.status", environment=environment)
    changed = handed(
        "exec", "session.status", "-p", "given", "-f", "ndjson", environment=environment
    )
    wrong = handed("ops", environment={"PWTUI_FORMAT": "xml"})

    assert used.json["effectiveRuntime"]["profile"] == "from-environment"
    assert used.out.startswith("{\n  ")
    assert changed.json["effectiveRuntime"]["profile"] == "given"
    assert changed.out.count("\n") == 1
    assert (wrong.code, wrong.out) == (2, "")
    assert "PWTUI_FORMAT: 'xml' is not one of json, ndjson, text" in wrong.err


def test_a_workspace_can_be_named_for_every_command(handed: Pw) -> None:
    (handed.root / "other").mkdir()
    created = handed("profile", "create", "there", "--workspace", "other")

    assert created.code == 0
    assert handed("profile", "list", "--get", "data.profiles").out == "[]\n"
    listed = handed("--workspace=other", "profile", "list", "--get", "data.profiles.0")
    assert listed.out == "there\n"


def test_no_keyword_is_hidden_by_a_command_or_an_option() -> None:
    """Commands come first: a keyword of that name needs `pw repl -c`."""
    assert not by_name().keys() & commands().keys()
    options = commands()[KEYWORD_LINE].filled().visible_options()
    for keyword in KEYWORDS:
        for option in keyword.options:
            assert not {f"--{name}" for name in (option.name, *option.aliases)} & options.keys()


def test_the_fast_path_knows_the_commands_and_options_of_the_parser() -> None:
    options = parser().visible_options()
    takes_value = {name for name, each in options.items() if each.nargs is None}

    assert takes_value == VALUE_OPTIONS
    assert commands().keys() >= LOCAL_COMMANDS
    assert commands().keys() - LOCAL_COMMANDS == {
        "exec",
        "ops",
        "profile",
        "session",
        "help",
        KEYWORD_LINE,
    }


def test_python_m_pwtui_is_the_panel(pw: Pw) -> None:
    version, refused = (
        pw(*options, command=[sys.executable, "-m", "pwtui"]) for options in (["-V"], [])
    )

    assert version.out == f"pwtui {__version__}\n"
    assert (refused.code, refused.out) == (2, "")
    assert "no terminal" in refused.err
