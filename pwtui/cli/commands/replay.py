"""`pw replay`: replay recordings, each in a fresh browser."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pwtui.cli.context import FAILED, OK, Context
from pwtui.cli.output import print_json
from pwtui.cli.replay_places import Place, read_places
from pwtui.cli.replay_progress import ProgressLines, ReplayProgress
from pwtui.cli.replay_run import IN_FOLDERS, Replay
from pwtui.cli.replay_workers import run_tasks
from pwtui.protocol.errors import InvalidInput, PwError
from pwtui.recordings.formats import load
from pwtui.recordings.model import Recording, RecordingError
from pwtui.recordings.replay import FileResult
from pwtui.recordings.report import check_report, write_report
from pwtui.recordings.trust import UntrustedRecording, check_trust
from pwtui.state.files import write_text
from pwtui.state.paths import user_path
from pwtui.state.profiles import Profiles


@dataclass(eq=False)
class _Task:
    """A recording to replay in one browser."""

    path: Path
    recording: Recording | str
    browser: str | None
    is_one_of_several: bool
    """Whether other browsers replay it, too."""

    def __post_init__(self) -> None:
        self.begin()

    def begin(self, problem: str = "interrupted before its end") -> None:
        """Forget what happened until now: it starts again, or does not run."""
        browser = self.browser if self.is_one_of_several else None
        self.result = FileResult(self.path, problem=problem, browser=browser)


async def replay_command(arguments: Namespace, context: Context) -> int:
    terminal = context.terminal
    try:
        places = read_places(arguments.on, arguments.headers, terminal.cwd, terminal.workspace)
        places *= arguments.jobs
        if arguments.step and len(places) > 1:
            raise InvalidInput("--step is for one recording at a time: leave out --on and --jobs")
        paths = _paths(terminal.cwd, arguments.files)
        reports = [check_report(terminal.cwd / name) for name in arguments.report]
        if arguments.profile is not None:
            Profiles(terminal.workspace).require(arguments.profile)
        loaded = _load(terminal.cwd, arguments, paths)
    except InvalidInput as error:
        return context.refuse(error)
    browsers = arguments.browser or [None]
    tasks = [
        _Task(path, recording, browser, len(browsers) > 1)
        for browser in browsers
        for path, recording in loaded.items()
    ]
    is_written, is_text = True, context.format in (None, "text")
    drawn = not arguments.step and not arguments.quiet
    lines = ProgressLines(terminal, len(places), drawn=drawn)

    replay = Replay(
        context.perform,
        terminal.cwd,
        terminal.workspace,
        arguments.profile,
        context.timeout,
        terminal.cwd / (arguments.artifacts_dir or "pw-replay"),
        arguments.headed,
        arguments.keep_going,
        arguments.compare,
        arguments.verbose,
    )

    async def run(task: _Task, place: Place, line: int) -> bool:
        task.begin()
        progress = ReplayProgress(terminal, task.result.name, lines, line, stepping=arguments.step)
        kept = await _run(replay, task, place, progress)
        progress.end()
        if not kept:
            lines.clear()
            terminal.err(f"{place.name} was lost: {task.result.name} runs elsewhere")
            return False
        if is_text and not (task.result.passed and arguments.quiet):
            lines.clear()
            terminal.out(task.result.summary(), style="green" if task.result.passed else "red")
        return True

    results = []
    try:
        for task in await run_tasks(tasks, places, run):
            task.begin("no endpoint is left: all were lost")
    finally:
        # Also after Ctrl+C.
        lines.clear()
        results = [task.result for task in tasks]
        print_json(context, {"files": [_as_json(result) for result in results]})
        try:
            for report in reports:
                write_text(report, write_report(results, report))
        except PwError as error:
            terminal.err(f"pw replay: {error}")
            is_written = False
    failed = sum(not result.passed for result in results)
    seconds = sum(result.seconds for result in results)
    if is_text and not (arguments.quiet and not failed):
        terminal.out(f"{len(results) - failed} passed, {failed} failed ({seconds:.1f} s)")
    return OK if is_written and not failed else FAILED


def _as_json(result: FileResult) -> dict[str, Any]:
    return {
        "file": str(result.path),
        **({"browser": result.browser} if result.browser else {}),
        "passed": result.passed,
        "problem": result.problem,
        "seconds": round(result.seconds, 3),
        "steps": [
            {"line": each.line, "outcome": each.outcome, "reason": each.reason or None}
            for each in result.steps
        ],
    }


def _paths(cwd: Path, names: list[str]) -> list[Path]:
    """The files, and the recordings in the folders, sorted."""
    found: list[Path] = []
    for name in names:
        path = user_path(Path(), name)
        if (cwd / path).is_dir():
            inside = [each for each in (cwd / path).rglob("*") if each.suffix in IN_FOLDERS]
            if not inside:
                raise InvalidInput(f"no recording ({', '.join(IN_FOLDERS)}) in {name}")
            found += sorted(path / each.relative_to(cwd / path) for each in inside)
        elif (cwd / path).is_file():
            found.append(path)
        else:
            raise InvalidInput(f"{name} does not exist")
    return list(dict.fromkeys(found))


def _load(cwd: Path, arguments: Namespace, paths: list[Path]) -> dict[Path, Recording | str]:
    """The recordings; an error message for each that cannot be read.

    InvalidInput where variables are missing or one is not trusted: then none is replayed.
    """
    loaded: dict[Path, Recording | str] = {}
    refused: list[str] = []
    for path in paths:
        try:
            recording = load(path, arguments.variables, whole=True)
            if not arguments.allow_code:
                check_trust(recording, cwd)
        except PwError as error:
            is_broken = isinstance(error, RecordingError) or not isinstance(error, InvalidInput)
            if is_broken and not isinstance(error, UntrustedRecording):
                loaded[path] = str(error)
            else:
                refused.append(str(error))
            continue
        loaded[path] = recording if recording.steps else "the recording has no steps"
        if arguments.compare and not any(step.response for step in recording.steps):
            raise InvalidInput(f"{path} has no responses to compare with")
    if refused:
        raise InvalidInput("\n".join(refused))
    return loaded


async def _run(replay: Replay, task: _Task, place: Place, progress: ReplayProgress) -> bool:
    """Replay a recording; False if its place was lost."""
    if isinstance(task.recording, str):
        task.result.problem = task.recording
        return True
    replay = replay._replace(overrides={**replay.overrides, "browser": task.browser})
    return await replay.run(task.recording, place, progress, task.result)
