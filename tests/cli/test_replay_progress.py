"""The progress of a replay: a bar at a terminal, nothing in a log."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtui.cli.replay_progress import ReplayProgress
from pwtui.cli.terminal import RealTerminal
from pwtui.protocol.envelope import Request
from pwtui.recordings.model import RecordedStep
from pwtui.recordings.replay import StepResult


def progress(*, at_terminal: bool, quiet: bool = False, stepping: bool = False) -> ReplayProgress:
    terminal = RealTerminal(columns=0, errors_on_terminal=at_terminal, cwd=Path())
    return ReplayProgress(terminal, "login.pw", stepping=stepping, quiet=quiet)


async def test_a_terminal_shows_a_bar_that_is_removed(capsys: pytest.CaptureFixture[str]) -> None:
    shown = progress(at_terminal=True)

    await shown.before(3, 4, "click\x1b[31m #go")
    bar = capsys.readouterr().err
    shown.end()

    assert bar.startswith("\r\x1b[K" + "█" * 10 + "░" * 10 + " 2/4 login.pw: click")
    assert "\x1b[31m" not in bar
    assert capsys.readouterr().err == "\r\x1b[K"


@pytest.mark.parametrize("options", [{"at_terminal": False}, {"at_terminal": True, "quiet": True}])
async def test_a_log_and_quiet_mode_show_nothing(
    capsys: pytest.CaptureFixture[str], options: dict[str, bool]
) -> None:
    shown = progress(**options)

    await shown.before(1, 2, "goto /")
    shown.end()

    assert capsys.readouterr().err == ""


def test_the_outcome_of_a_step_is_shown_when_stepping(capsys: pytest.CaptureFixture[str]) -> None:
    step = RecordedStep(1, Request(op="click"))

    progress(at_terminal=True, stepping=True).after(StepResult(step, "click #go", "passed"))
    progress(at_terminal=True).after(StepResult(step, "click #go", "passed"))

    assert capsys.readouterr().err == "  passed\n"
