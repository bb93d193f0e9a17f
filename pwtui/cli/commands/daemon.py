"""`pw daemon restart|logs`; start, stop and status are operations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from watchfiles import awatch

from pwtui.cli.context import FAILED, OK, Context
from pwtui.state.paths import daemon_log_file


async def restart_command(context: Context) -> int:
    await context.run("daemon.stop")
    return await context.run("daemon.start")


async def logs_command(context: Context, *, lines: int, follow: bool) -> int:
    path = daemon_log_file()
    if not path.exists():
        context.terminal.err(f"there is no log yet ({path})")
        return FAILED
    position = path.stat().st_size
    for line in _last_lines(path, lines):
        context.terminal.out(line)
    if follow:
        # With a timeout: a line may be written before the watch starts.
        async for _ in awatch(path.parent, rust_timeout=500, yield_on_timeout=True):
            size = path.stat().st_size
            if size < position:
                position = 0
            with path.open("rb") as file:
                file.seek(position)
                text = file.read(size - position).decode("utf-8", "replace")
            position = size
            for line in text.splitlines():
                context.terminal.out(line)
    return OK


def _last_lines(path: Path, count: int) -> Iterator[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    yield from text.splitlines()[-count:] if count else ()
