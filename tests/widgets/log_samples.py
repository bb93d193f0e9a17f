"""Log entries, a fixed clock, and an app that records the messages of its widget."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar

import pytest
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widget import Widget

from pwtui.widgets.log_entry import LogEntry

NOON = 1_763_294_400.0

WidgetT = TypeVar("WidgetT", bound=Widget)
MessageT = TypeVar("MessageT", bound=Message)


def entry(
    seq: int,
    op: str = "click",
    *,
    client: str = "pw exec",
    profile: str = "acme-qa",
    response: dict[str, Any] | None = None,
    **input: Any,
) -> LogEntry:
    """An entry; pending without a response."""
    request = {"schemaVersion": 5, "op": op, "input": input}
    return LogEntry(seq, NOON + seq, client, profile, op, request, response)


def done(seq: int, op: str = "click", *, ms: float = 61, **options: Any) -> LogEntry:
    """A successful entry."""
    return entry(seq, op, response=success(op, ms=ms), **options)


def failed(seq: int, op: str = "click", *, code: str = "TIMEOUT", **options: Any) -> LogEntry:
    """A failed entry."""
    return entry(seq, op, response=failure(op, code=code), **options)


def success(op: str = "click", *, ms: float = 61, **members: Any) -> dict[str, Any]:
    return {"schemaVersion": 5, "op": op, "ok": True, "durationMs": ms, **members}


def failure(
    op: str = "click",
    *,
    code: str = "TIMEOUT",
    message: str = "nothing happened",
    hint: str | None = None,
    ms: float = 12,
    details: dict[str, Any] | None = None,
) -> dict[str, Any]:
    error = {"code": code, "message": message, "details": details}
    if hint is not None:
        error["hint"] = hint
    return {"schemaVersion": 5, "op": op, "ok": False, "error": error, "durationMs": ms}


class Stage(App[None], Generic[WidgetT]):
    """Shows one focused widget and records its messages."""

    def __init__(self, shown: WidgetT) -> None:
        super().__init__()
        self.shown = shown
        self.posted: list[Message] = []

    def compose(self) -> ComposeResult:
        yield self.shown

    def on_mount(self) -> None:
        self.shown.focus()

    def hear(self, message: Message) -> None:
        if not any(message is each for each in self.posted):  # each ancestor hears it again
            self.posted.append(message)

    def heard(self, kind: type[MessageT]) -> list[MessageT]:
        return [message for message in self.posted if isinstance(message, kind)]

    def screen_lines(self) -> list[str]:
        """The screen, line by line."""
        strips = self.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


@asynccontextmanager
async def on_stage(
    shown: WidgetT, size: tuple[int, int] = (80, 12)
) -> AsyncIterator[tuple[Stage[WidgetT], Pilot[None]]]:
    stage = Stage(shown)
    async with stage.run_test(size=size, message_hook=stage.hear) as pilot:
        await pilot.pause()
        yield stage, pilot


async def until(condition: Callable[[], object], pilot: Pilot[None]) -> None:
    """Wait for the effect of a timer."""
    for _ in range(400):
        if condition():
            return
        await pilot.pause(0.025)
    raise AssertionError("it did not happen within ten seconds")


def count_lines_drawn(widget: Widget, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The list grows by one for each line that the widget draws; needs `every_frame`."""
    drawn: list[int] = []
    draw = widget.render_line

    def counting(y: int) -> Strip:
        drawn.append(y)
        return draw(y)

    monkeypatch.setattr(widget, "render_line", counting)
    return drawn
