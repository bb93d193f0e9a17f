"""Starting, replacing and stopping the daemon from another process."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from pwtui import __version__
from pwtui.client.connection import DaemonConnection
from pwtui.client.spawn import DAEMON_MODULE, read_word, spawn
from pwtui.daemon.address import INSTALLATION, runtime_dir
from pwtui.daemon.instance import lock_holder, private_folder
from pwtui.protocol.errors import SessionError
from pwtui.protocol.version import is_older
from pwtui.state.paths import daemon_log_file

if TYPE_CHECKING:
    from pwtui.protocol.daemon import DaemonData

START_SECONDS = 20.0
ASK_SECONDS = 3.0
# A daemon that exits in an orderly way kills what hangs below it well before.
STOP_SECONDS = 15.0
POLL_SECONDS = 0.02

Say = Callable[[str], None]


def silent(text: str) -> None:
    pass


async def connect_or_start(
    say: Say = silent,
    *,
    idle: float | None = None,
    folder: str | None = None,
    warm: bool = False,
) -> tuple[DaemonConnection, bool]:
    """Connect to the daemon, started if needed; also returns whether it was started."""
    connection = await DaemonConnection.connect(folder)
    if connection is not None:
        return connection, False
    say("starting the daemon")
    private_folder(folder)
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        ready = spawn(idle, folder=folder, warm=warm)
        if not await asyncio.to_thread(read_word, ready):
            raise SessionError("the daemon exited during start-up", hint=f"see {daemon_log_file()}")
        # Another start may have won, or a daemon may be exiting: the holder of the lock listens
        # soon, or releases it.
        while (connection := await DaemonConnection.connect(folder)) is None:
            await asyncio.sleep(POLL_SECONDS)
            if lock_holder(folder) is None or time.monotonic() > end:
                break
        else:
            return connection, True
    raise SessionError(
        "the daemon does not respond",
        hint=f"stop it with `pw daemon stop` (its log: {daemon_log_file()})",
    )


async def replaced_if_older(
    connection: DaemonConnection, greeting: Mapping[str, Any], say: Say
) -> bool:
    """Ask an older daemon to exit when it is idle; returns whether it exited."""
    version = str(greeting["version"])
    if not is_older(version):
        if version == __version__ and greeting.get("installation") not in (None, INSTALLATION):
            say(
                f"the daemon in {runtime_dir()} belongs to another installation "
                f"({greeting['installation']}); `pw daemon restart` starts one of this installation"
            )
        return False
    say(f"the daemon is older ({version}, this is {__version__}); it is replaced when it is idle")
    await connection.control("shutdown", when="idle")
    with suppress(TimeoutError):
        async with asyncio.timeout(STOP_SECONDS):
            await connection.closed()
    return not connection.is_open


class OutsideControl:
    """Starts, stops and queries the daemon from another process."""

    def __init__(self, say: Say = silent, *, idle: float | None = None) -> None:
        self._say = say
        self._idle = idle

    async def start(self) -> tuple[bool, DaemonData]:
        connection, started = await connect_or_start(self._say, idle=self._idle)
        return started, await _status(connection)

    async def stop(self) -> bool:
        """Ask the daemon to exit; kill it, with its browsers, when it does not."""
        connection = await DaemonConnection.connect()
        pid = lock_holder() if connection is None else connection.daemon_pid
        grace = 0.0
        if connection is not None:
            with suppress(SessionError, TimeoutError):
                async with asyncio.timeout(ASK_SECONDS):
                    await connection.control("shutdown")
                    grace = STOP_SECONDS
            await connection.close()
        if pid is None:
            return connection is not None
        # Only stopping needs it, and each start of the panel would wait for it.
        from pwtui.browser.launch.processes import end_process

        await end_process(pid, grace=grace)
        return True

    async def status(self) -> DaemonData:
        connection = await DaemonConnection.connect()
        if connection is not None:
            return await _status(connection)
        from pwtui.protocol.daemon import NO_DAEMON, DaemonData

        return DaemonData(running=False, message=NO_DAEMON)


def daemon_data(reply: Mapping[str, Any]) -> DaemonData:
    """The state in the reply to `status`; a newer daemon may send more than is known here."""
    from pwtui.protocol.daemon import DaemonData  # which a command that finds no daemon never reads

    known = {field.alias or name for name, field in DaemonData.model_fields.items()}
    return DaemonData.model_validate({key: reply[key] for key in known & reply.keys()})


async def _status(connection: DaemonConnection) -> DaemonData:
    try:
        return daemon_data(await connection.control("status"))
    finally:
        await connection.close()


def serve_in_foreground(idle_timeout: float | None) -> NoReturn:
    """Replace this process by the daemon, which stays in the terminal until Ctrl+C."""
    option = [] if idle_timeout is None else [f"--idle-timeout={idle_timeout:g}"]
    os.execv(sys.executable, [sys.executable, "-m", DAEMON_MODULE, "--foreground", *option])
