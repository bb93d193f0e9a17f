"""`pw replay`: replay recordings, each in its own browser."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pwtui.cli.commands.convert import WrongUsage, write_new
from pwtui.cli.context import FAILED, OK, USAGE, Context
from pwtui.cli.progress import Progress
from pwtui.protocol.envelope import Overrides, Request, Response, RuntimeBlock
from pwtui.protocol.errors import InvalidInput, PwError
from pwtui.recordings.formats import load
from pwtui.recordings.model import Recording, RecordingError
from pwtui.recordings.replay import FileResult, Perform, StepResult, Watcher, replay
from pwtui.recordings.report import check_report, write_report
from pwtui.recordings.trust import UntrustedRecording, check_trust
from pwtui.runtime.caller import Caller
from pwtui.state.profiles import Profiles
from pwtui.state.trust import far_settings, trust, untrusted
from pwtui.state.workspace import Workspace

IN_FOLDERS = (".pw", ".ndjson")
STOP_SECONDS = 10.0
INTERRUPTED = "interrupted before its end"


@dataclass(frozen=True)
class ReplayOptions:
    files: list[str]
    variables: Mapping[str, str]
    reports: list[str]
    step: bool
    headed: bool
    keep_going: bool
    compare: bool
    profile: str | None
    allow_code: bool
    timeout_ms: int | None
    artifacts_dir: str | None


async def replay_command(context: Context, options: ReplayOptions) -> int:
    try:
        paths = _paths(context.terminal.cwd, options.files)
        reports = [context.terminal.cwd / name for name in options.reports]
        for report in reports:
            check_report(report)
        if options.profile is not None:
            Profiles(context.terminal.workspace).require(options.profile)
        loaded = _load(context, options, paths)
    except (WrongUsage, InvalidInput) as error:
        context.terminal.err(f"pw replay: {error}")
        return USAGE
    results = [FileResult(path, problem=INTERRUPTED) for path in loaded]
    try:
        for result, recording in zip(results, loaded.values(), strict=True):
            await _replay_file(context, options, result, recording)
    finally:
        # Also when it is interrupted: what has been done is worth reporting.
        is_written = _write_reports(context, reports, results)
    failed = sum(not result.passed for result in results)
    seconds = sum(result.seconds for result in results)
    context.terminal.out(f"{len(results) - failed} passed, {failed} failed ({seconds:.1f} s)")
    return OK if is_written and not failed else FAILED


def _write_reports(context: Context, reports: list[Path], results: list[FileResult]) -> bool:
    try:
        for report in reports:
            write_new(report, write_report(results, report))
    except PwError as error:
        context.terminal.err(f"pw replay: {error}")
        return False
    return True


def _paths(cwd: Path, names: list[str]) -> list[Path]:
    """The files, and those in the folders, sorted."""
    found: list[Path] = []
    for name in names:
        path = Path(name).expanduser()
        if (cwd / path).is_dir():
            inside = [each for each in (cwd / path).rglob("*") if each.suffix in IN_FOLDERS]
            if not inside:
                raise WrongUsage(f"no recording ({', '.join(IN_FOLDERS)}) in {name}")
            found += sorted(path / each.relative_to(cwd / path) for each in inside)
        elif (cwd / path).is_file():
            found.append(path)
        else:
            raise WrongUsage(f"{name} is neither a file nor a folder")
    return list(dict.fromkeys(found))


def _load(
    context: Context, options: ReplayOptions, paths: list[Path]
) -> dict[Path, Recording | str]:
    """All recordings, or what is wrong with one; what is missing or not trusted ends it all."""
    loaded: dict[Path, Recording | str] = {}
    missing: list[str] = []
    for path in paths:
        try:
            recording = load(path, options.variables, whole=True)
            if not options.allow_code:
                check_trust(recording, context.terminal.cwd)
        except UntrustedRecording as error:
            missing.append(str(error))
            continue
        except RecordingError as error:
            loaded[path] = str(error)
            continue
        except InvalidInput as error:
            missing.append(str(error))
            continue
        except PwError as error:
            loaded[path] = str(error)
            continue
        loaded[path] = recording if recording.steps else "the recording has no steps"
        if options.compare and not any(step.response for step in recording.steps):
            raise WrongUsage(f"{path} has no responses to compare with")
    if missing:
        raise WrongUsage("\n".join(missing))
    return loaded


async def _replay_file(
    context: Context, options: ReplayOptions, result: FileResult, recording: Recording | str
) -> None:
    path = result.path
    if isinstance(recording, str):
        result.problem = recording
        context.terminal.out(f"FAIL {path}\n{_indented(recording)}")
        return
    place = Path(*(part for part in path.parts if part not in (path.anchor, "..")))
    artifacts = context.terminal.cwd / (options.artifacts_dir or "pw-replay") / place
    progress = Progress(context.terminal, str(path), stepping=options.step)
    async with _own_browser(context, options, artifacts) as perform:
        if options.headed:
            opened = await perform(Request(op="session.start", input={"headful": True}))
            if not opened.ok and opened.error is not None:
                result.problem = f"{opened.error.code}: {opened.error}"
                context.terminal.out(f"FAIL {path}\n{_indented(result.problem)}")
                return
        await replay(
            recording,
            perform,
            Watcher(progress.before, progress.after),
            result,
            keep_going=options.keep_going,
            compare=options.compare,
        )
    result.problem = None
    progress.end()
    _tell(context, result)


@asynccontextmanager
async def _own_browser(
    context: Context, options: ReplayOptions, artifacts: Path
) -> AsyncIterator[Perform]:
    """A workspace for this file alone, with a session that ends with it."""
    folder = Path(tempfile.mkdtemp(prefix="pw-replay-")).resolve()
    caller = Caller(
        workspace=Workspace(folder),
        cwd=context.terminal.cwd,
        mode="batch",
        artifacts_dir=artifacts,
        verbosity=context.verbosity,
    )

    async def perform(request: Request) -> Response:
        return await context.perform(_with_timeout(request, options.timeout_ms), caller)

    try:
        if options.profile is not None:
            _take_profile(context.terminal.workspace, options.profile, caller.workspace)
        yield perform
    finally:
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await context.perform(Request(op="session.stop"), caller)
        except TimeoutError:
            context.terminal.err("pw replay: the browser did not close in time")
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _take_profile(source: Workspace, name: str, target: Workspace) -> None:
    """The config and the saved logins of a profile, not what it did lately."""
    folder = Profiles(source).folder(name)
    copy = Profiles(target).folder("default")
    copy.mkdir(parents=True)
    if (folder / "config.json").is_file():
        shutil.copy2(folder / "config.json", copy)
        config = Profiles(source).read_config(name)
        foreign = untrusted(folder / "config.json", far_settings(config, source))
        far = far_settings(config, target)
        trust(copy / "config.json", {key: far[key] for key in far if key not in foreign})
    if (folder / "auth").is_dir():
        shutil.copytree(folder / "auth", copy / "auth")


def _with_timeout(request: Request, timeout_ms: int | None) -> Request:
    overrides = request.overrides or Overrides()
    if timeout_ms is None or overrides.timeout_ms is not None:
        return request
    overrides = overrides.model_copy(update={"timeout_ms": timeout_ms})
    return request.model_copy(update={"runtime": RuntimeBlock(overrides=overrides)})


def _tell(context: Context, result: FileResult) -> None:
    word = "PASS" if result.passed else "FAIL"
    skipped = sum(step.outcome == "skipped" for step in result.steps)
    note = f", {skipped} not run" if skipped else ""
    context.terminal.out(
        f"{word} {result.path} ({len(result.steps)} steps{note}, {result.seconds:.1f} s)"
    )
    for number, step in enumerate(result.steps, 1):
        if step.is_bad:
            context.terminal.out(_indented(_failure(result, number, step)))


def _failure(result: FileResult, number: int, step: StepResult) -> str:
    lines = [
        f"{result.path}:{step.step.line}: step {number} of {len(result.steps)}: {step.line}",
        step.reason,
    ]
    lines += [f"{each.type}: {each.path}" for each in step.artifacts]
    return "\n".join(lines)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
