"""Runs a command: signals, broken pipes, unexpected errors, logs."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from pwtui.cli.argument_parser import Stop
from pwtui.protocol.errors import PwError
from pwtui.protocol.printable import printable
from pwtui.state.json_logging import MaskedLines, rotating_file
from pwtui.state.paths import log_file

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

log = logging.getLogger(__name__)


def run(main: Callable[[], Coroutine[Any, Any, int]], verbosity: int) -> int:
    """Run a command; Ctrl+C and SIGTERM cancel it, and it cleans up.

    A second signal exits at once: processes that it started exit when their pipes close.
    """
    _set_up_logging(verbosity)
    received: list[signal.Signals] = []

    async def supervised() -> int:
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()

        def end(number: signal.Signals) -> None:
            if received:
                os._exit(128 + number)
            received.append(number)
            if task is not None:
                task.cancel()

        for number in SIGNALS:
            loop.add_signal_handler(number, end, number)
        try:
            return await main()
        finally:
            # The loop would restore the default handlers, and a second signal kill this process.
            for number in SIGNALS:
                loop.remove_signal_handler(number)
                signal.signal(number, lambda number, _: os._exit(128 + number))

    try:
        return asyncio.run(supervised())
    except asyncio.CancelledError:
        return 128 + (received[0] if received else signal.SIGINT)
    except Stop:
        raise
    except BrokenPipeError:
        # The reader of the output has exited: print nothing more, and do not flush.
        sys.stdout = None
        return 128 + signal.SIGPIPE
    except PwError as error:
        sys.stderr.write(printable(f"pw: {error}\n"))
        return 1
    except Exception as error:
        log.exception("unexpected error in the command")
        more = f" (more in {log_file()})" if log_file().exists() else ""
        sys.stderr.write(printable(f"pw: {type(error).__name__}: {error}{more}\n"))
        return 1


def _set_up_logging(verbosity: int) -> None:
    """Log warnings to a private file; with `-vv` also everything to stderr."""
    root = logging.getLogger("pwtui")
    root.setLevel(logging.DEBUG if verbosity > 1 else logging.WARNING)
    file = _FaultFile(logging.WARNING)
    file.setFormatter(MaskedLines("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root.addHandler(file)
    if verbosity > 1:
        shown = logging.StreamHandler()
        shown.setFormatter(MaskedLines())
        root.addHandler(shown)


class _FaultFile(logging.Handler):
    """Opens the log file for each fault: most commands have none, and rotation loads pickle."""

    def emit(self, record: logging.LogRecord) -> None:
        path = log_file()
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = rotating_file(path)
            file.setFormatter(self.formatter)
            file.handle(record)
            file.close()
