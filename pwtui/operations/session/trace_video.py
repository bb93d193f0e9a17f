"""Traces of the session, and videos of a tab."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any, Literal

from playwright.async_api import Error
from pydantic import Field

from pwtui.browser.first_line import first_line
from pwtui.browser.session.session import Video
from pwtui.operations.framework.declare import Group, Run, configures
from pwtui.operations.framework.fields import (
    Data,
    Input,
    Milliseconds,
    NoInput,
    OutputPath,
    output_file,
)
from pwtui.operations.framework.page_call import PageCall, SessionCall
from pwtui.operations.framework.target_fields import UrlFields
from pwtui.protocol.envelope import Artifact, ArtifactType
from pwtui.protocol.errors import InvalidInput, IoError, SessionError, UnsupportedMode
from pwtui.protocol.extras import install_command
from pwtui.protocol.model import Volatile
from pwtui.state.files import keep_private, refuse_device

GROUP = Group.CAPTURE

_SIZE = re.compile(r"(\d{1,5})x(\d{1,5})")


class TraceInput(Input):
    screenshots: bool = Field(True, description="Record screenshots.")
    snapshots: bool = Field(True, description="Record the page before and after each action.")


class TraceStartedData(Data):
    started: Literal[True] = True


@configures("trace.start", "tracing-start", example={"screenshots": True}, outcome="ok")
async def trace_start(call: SessionCall, input: TraceInput) -> TraceStartedData:
    """Start a Playwright trace, until trace.stop; it is lost when the session ends."""
    if call.session.is_traced:
        raise InvalidInput("a trace is already being recorded", hint="stop it with `trace.stop`")
    call.check_pages()
    await call.session.context.tracing.start(
        screenshots=input.screenshots, snapshots=input.snapshots
    )
    call.session.is_traced = True
    return TraceStartedData()


class TraceStopInput(Input):
    output: OutputPath = output_file("trace", ".zip")


class RecordedData(Data):
    path: Volatile[str]
    size_bytes: Volatile[int]


@configures(
    "trace.stop",
    "tracing-stop --filename=output",
    example={"output": "trace.zip"},
    run=Run(starts_browser=False),
    outcome="",
)
async def trace_stop(call: SessionCall, input: TraceStopInput) -> RecordedData:
    """Stop the trace and save it, readable only by you; `playwright show-trace` opens it."""
    if not call.session.is_traced:
        raise InvalidInput("no trace is being recorded", hint="start one with `trace.start`")
    path = _place(call, input.output)
    try:
        keep_private(path)
        await call.session.context.tracing.stop(path=path)
    except OSError as error:
        raise IoError.of(f"write {path}", error) from error
    finally:
        call.session.is_traced = False
    return _saved(call, "trace", path)


class VideoInput(UrlFields):
    output: OutputPath = output_file("video", ".webm", " (.webm)")
    size: str | None = Field(None, description="Maximum frame size, such as 800x600.")
    fps: int = Field(25, ge=1, le=60, description="Frames per second.")


class VideoStartedData(Data):
    path: Volatile[str]
    tab: int


@configures(
    "video.start", "video-start [filename=output] --size --fps", example={"output": "video.webm"}
)
async def video_start(call: PageCall, input: VideoInput) -> VideoStartedData:
    """Start a video of the tab, until video.stop.

    Playwright requires its own ffmpeg: `pw install ffmpeg`.
    """
    if call.session.video is not None:
        raise InvalidInput("a video is already being recorded", hint="stop it with `video.stop`")
    if not input.output.endswith(".webm"):
        raise InvalidInput(
            f"output: {input.output!r} must end in .webm", details={"output": input.output}
        )
    path = _place(call, input.output)
    unfinished = path.with_name(f".{path.stem}-{time.time_ns()}.webm")
    options: dict[str, Any] = {"size": _size(input.size)} if input.size is not None else {}
    try:
        await call.session.observer.pause_frames()
        await call.page.screencast.start(path=unfinished, fps=input.fps, **options)
    except Error as error:
        call.session.observer.resume_frames()
        if not call.tab.is_usable:
            raise
        raise UnsupportedMode(
            "cannot record a video: Playwright found no ffmpeg, or the browser sends no frames",
            hint=f"install ffmpeg with `{install_command('ffmpeg')}`",
            details={"reason": first_line(error)},
        ) from error
    call.session.video = Video(call.tab, unfinished, path)
    return VideoStartedData(path=str(path), tab=call.tab.index)


class VideoStoppedData(RecordedData):
    tab: int


@configures("video.stop", "video-stop", run=Run(starts_browser=False), outcome="")
async def video_stop(call: SessionCall, input: NoInput) -> VideoStoppedData:
    """Stop the video and save it."""
    video, call.session.video = call.session.video, None
    if video is None:
        raise InvalidInput("no video is being recorded", hint="start one with `video.start`")
    try:
        await video.tab.page.screencast.stop()
    except Error as error:
        # The video of a closed tab may be complete.
        if not video.unfinished.exists():
            raise _lost(video) from error
    finally:
        call.session.observer.resume_frames()
    try:
        video.unfinished.replace(video.path)
    except FileNotFoundError as error:
        raise _lost(video) from error
    except OSError as error:
        raise IoError.of(f"write {video.path}", error) from error
    saved = _saved(call, "video", video.path)
    return VideoStoppedData(tab=video.tab.index, **saved.model_dump())


def _lost(video: Video) -> SessionError:
    return SessionError(
        f"the video of tab {video.tab.index} is lost: the tab was closed, or the browser exited",
        details={"path": str(video.path), "tab": video.tab.index},
    )


class ChapterInput(Input):
    title: str = Field(min_length=1, description="Title of the chapter.")
    description: str | None = Field(None, description="Text below the title.")
    duration_ms: Milliseconds = Field(2000, description="How long to show it.")


class ChapterData(Data):
    title: str
    tab: int


@configures(
    "video.chapter",
    "video-chapter title... --description --duration=durationMs",
    example={"title": "Logging in"},
    run=Run(starts_browser=False),
)
async def video_chapter(call: SessionCall, input: ChapterInput) -> ChapterData:
    """Show a chapter title over the page in the video."""
    if call.session.video is None:
        raise InvalidInput("no video is being recorded", hint="start one with `video.start`")
    tab = call.session.video.tab
    tab.check_usable()
    call.deadline.extend(input.duration_ms)
    await tab.page.screencast.show_chapter(
        input.title, description=input.description, duration=input.duration_ms
    )
    return ChapterData(title=input.title, tab=tab.index)


def _size(text: str) -> dict[str, int]:
    found = _SIZE.fullmatch(text)
    if found is None or "0" in (found[1], found[2]):
        raise InvalidInput(f"size: {text!r} is not a size such as 800x600", details={"size": text})
    return {"width": int(found[1]), "height": int(found[2])}


def _place(call: SessionCall, output: str) -> Path:
    path = call.path(output)
    try:
        refuse_device(path)
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise IoError.of(f"write {path}", error) from error
    return path


def _saved(call: SessionCall, kind: ArtifactType, path: Path) -> RecordedData:
    """Make it private: it contains what was typed and sent."""
    try:
        path.chmod(0o600)
        size = path.stat().st_size
    except OSError as error:
        raise IoError.of(f"write {path}", error) from error
    call.artifacts.append(Artifact(type=kind, path=str(path), size_bytes=size))
    return RecordedData(path=str(path), size_bytes=size)
