"""Running requests for a command: one executor, ended cleanly however the command ends."""

from __future__ import annotations

import asyncio
import logging
import logging.handlers
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pwtui.cli.output import complain
from pwtui.cli.stdin import wait_for_enter
from pwtui.engine.executor import Executor
from pwtui.operations.call import Caller, Mode
from pwtui.protocol.envelope import Request, Response
from pwtui.state.places import log_file
from pwtui.state.workspace import Workspace

log = logging.getLogger(__name__)


class Terminal:
    """Talks with the person on stderr; stdout is for data."""

    def tell(self, text: str) -> None:
        complain(text)

    async def wait_for_enter(self) -> None:
        await wait_for_enter()


def caller(
    *, mode: Mode = "exec", profile: str | None = None, artifacts_dir: str | None = None
) -> Caller:
    return Caller(
        workspace=Workspace.locate(),
        cwd=Path.cwd(),
        mode=mode,
        profile=profile,
        artifacts_dir=Path(artifacts_dir) if artifacts_dir is not None else None,
        conversation=Terminal(),
    )


@asynccontextmanager
async def executor(verbosity: int) -> AsyncIterator[Executor]:
    """An executor whose browsers are gone when the block ends."""
    running = Executor()
    if verbosity:
        running.listeners.append(_report)
    try:
        yield running
    finally:
        await running.close()


def run(main: Callable[[], Coroutine[Any, Any, int]], verbosity: int) -> int:
    """Run a command's coroutine; Ctrl+C and SIGTERM end it after its browsers are closed."""
    _set_up_logging(verbosity)
    received: list[signal.Signals] = []

    async def supervised() -> int:
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()

        def end(number: signal.Signals) -> None:
            received.append(number)
            if task is not None:
                task.cancel()

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, end, number)
        return await main()

    try:
        return asyncio.run(supervised())
    except asyncio.CancelledError:
        return 128 + (received[0] if received else signal.SIGINT)
    except BrokenPipeError:
        # Whoever read our output has gone. Say nothing, and let nothing be flushed into the pipe.
        sys.stdout = None
        return 128 + signal.SIGPIPE
    except Exception as error:
        log.exception("fault in the command")
        complain(f"pw: {type(error).__name__}: {error} (the log has more: {log_file()})")
        return 1


def _report(request: Request, response: Response) -> None:
    outcome = "ok" if response.ok else response.error and response.error.code
    complain(f"{request.op}: {outcome} in {response.duration_ms} ms")
    for note in response.diagnostics or ():
        complain(f"  {note.level}: {note.message}")


def _set_up_logging(verbosity: int) -> None:
    """Faults go to a file that only the user can read; `-v` shows the rest as it happens."""
    root = logging.getLogger("pwtui")
    root.setLevel(logging.DEBUG if verbosity > 1 else logging.INFO)
    path = log_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file: logging.Handler = logging.handlers.RotatingFileHandler(
            path, maxBytes=1_000_000, backupCount=3, delay=True, encoding="utf-8"
        )
    except OSError:
        file = logging.StreamHandler()
    file.setLevel(logging.WARNING)
    file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root.addHandler(file)
    if verbosity > 1:
        root.addHandler(logging.StreamHandler())
