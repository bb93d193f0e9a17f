"""The progress of a replay: a bar at a terminal, nothing in a log."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtui.cli.replay_progress import ProgressLines, ReplayProgress
from pwtui.cli.terminal import RealTerminal
from pwtui.protocol.envelope import Request
from pwtui.recordings.model import RecordedStep
from pwtui.recordings.replay import StepResult


def progress(*, at_terminal: bool, quiet: bool = False, stepping: bool = False) -> ReplayProgress:
    terminal = RealTerminal(columns=0, errors_on_terminal=at_terminal, cwd=Path())
    lines = ProgressLines(terminal, 2, drawn=not quiet and not stepping)
    return ReplayProgress(terminal, "login.pw", lines, stepping=stepping)


async def test_a_terminal_shows_a_bar_that_is_removed(capsys: pytest.CaptureFixture[str]) -> None:
    shown = progress(at_terminal=True)

    await shown.before(3, 4, "click\x1b[31m #go")
    bar = capsys.readouterr().err
    shown.end()

    assert bar.startswith("█" * 10 + "░" * 10 + " 2/4 login.pw: click")
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


def test_each_worker_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = RealTerminal(columns=0, errors_on_terminal=True, cwd=Path())
    lines = ProgressLines(terminal, 2, drawn=True)

    lines.show(0, "first")
    lines.show(1, "second")
    capsys.readouterr()
    lines.show(0, "third")
    lines.clear()

    assert capsys.readouterr().err == (
        "\r\x1b[K\x1b[A\x1b[K" + "third\nsecond" + "\r\x1b[K\x1b[A\x1b[K"
    )
