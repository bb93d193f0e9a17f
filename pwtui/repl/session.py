"""A REPL session: lines in, text out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from pwtui.keywords.completion import complete
from pwtui.keywords.errors import KeywordError
from pwtui.keywords.parser import parse
from pwtui.protocol.catalog import Catalog, catalog
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import Cancelled, InvalidInput, PwError
from pwtui.protocol.keyword import Completion
from pwtui.protocol.snapshot import SnapshotTree, parse_snapshot
from pwtui.recordings.pw_script import is_comment
from pwtui.repl.history import KeptHistory, is_secret
from pwtui.repl.recorder import PromptRecorder
from pwtui.repl.render import SLOW_MS, page_change, render

T = TypeVar("T")

LOOK_SECONDS = 1.5
LOOK = Request(op="page.aria", input={"tree": False})


def is_cancelled() -> bool:
    """Whether this task is cancelled, not just the work that it awaits."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class Engine(Protocol):
    """Runs requests."""

    name: str

    async def perform(self, request: Request) -> Response: ...

    async def look(self, request: Request) -> Response | None:
        """Run a request that only reads; None if no page can be read."""

    async def reconnect(self) -> str: ...

    async def status(self) -> str: ...


@dataclass
class ReplSession:
    """Parses and runs lines, shows responses, stores history and recording."""

    engine: Engine
    out: Callable[[str], None]
    err: Callable[[str], None]
    cwd: Path
    history: KeptHistory
    print_response: Callable[[Response], object] | None = None
    """Prints a response otherwise than as text."""
    operations: Catalog = field(default_factory=catalog)
    """The operations that can be written by their id."""
    commands: int = 0
    failures: int = 0
    url: str | None = None
    snapshot: SnapshotTree | None = None
    can_record: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self.recorder = PromptRecorder(self.cwd)
        self._running: asyncio.Future[Any] | None = None
        self.on_interrupt: Callable[[], object] = self.cancel

    async def run(self, line: str) -> bool:
        """Run a line; returns whether it succeeded. Comments and empty lines always do."""
        line = line.strip()
        if is_comment(line):
            return True
        try:
            request = parse(line)
        except KeywordError as error:
            self.show_error(error)
            self._keep(line, None)
            return self._count(ok=False)
        response = await self._perform(request)
        self._keep(line, response)
        self.show(response)
        try:
            self.recorder.note(request, response)
        except InvalidInput as error:
            self.show_error(error)
        return self._count(ok=response.ok)

    def cancel(self) -> bool:
        """Cancel the running request; the browser does not change."""
        return self._running is not None and self._running.cancel()

    def show(self, response: Response) -> None:
        if self.print_response is not None:
            self.print_response(response)
            self._update_page(response)
            return
        (self.out if response.ok else self.err)(render(response))
        if (url := page_change(response, self.url)) is not None:
            self.out(f"→ {url}")
        if (response.duration_ms or 0) > SLOW_MS:
            self.err(f"({(response.duration_ms or 0) / 1000:.1f} s)")
        self._update_page(response)

    def show_error(self, error: PwError) -> None:
        self.err(str(error))
        if isinstance(error, KeywordError) and error.usage:
            self.err(f"usage: {error.usage}")

    async def completions(self, text: str, cursor: int) -> list[Completion]:
        """The completions; reads the page if its refs are needed and unknown."""
        if self.snapshot is None and " " in text[:cursor].lstrip():
            response = await self._look(LOOK)
            if response is not None:
                self._update_page(response)
        return complete(text, cursor, self.snapshot, self.operations)

    async def tabs(self) -> Mapping[str, Any]:
        """The data of tabs.list; empty if no page can be read."""
        response = await self._look(Request(op="tabs.list"))
        return (response.data or {}) if response and response.ok else {}

    async def cancellable(self, work: Coroutine[Any, Any, T]) -> T:
        """Await work that `cancel` can stop without cancelling the caller."""
        running: asyncio.Future[T] = asyncio.ensure_future(work)
        self._running = running
        try:
            await asyncio.wait({running})
        finally:
            self._running = None
            running.cancel()
        return running.result()

    async def _perform(self, request: Request) -> Response:
        started = time.monotonic()
        try:
            return await self.cancellable(self.engine.perform(request))
        except asyncio.CancelledError:
            if is_cancelled():
                raise
            return Response.failure(
                request.op,
                Cancelled("cancelled; the browser and its page are unchanged"),
                duration_ms=(time.monotonic() - started) * 1000,
            )

    async def _look(self, request: Request) -> Response | None:
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                return await self.engine.look(request)
        except (TimeoutError, PwError):
            return None

    def _update_page(self, response: Response) -> None:
        """Store the newest snapshot, until the page may have changed."""
        if not response.ok:
            return
        url = response.context_delta.url if response.context_delta is not None else None
        if response.op == LOOK.op:
            self.snapshot = parse_snapshot(str((response.data or {}).get("snapshot", "")))
        elif url is not None:
            self.snapshot = None
        self.url = url or self.url

    def _keep(self, line: str, response: Response | None) -> None:
        if not is_secret(line, response):
            self.history.keep(line)

    def _count(self, *, ok: bool) -> bool:
        self.commands += 1
        self.failures += not ok
        return ok
