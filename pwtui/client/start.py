"""Starting, replacing and stopping the daemon from another process."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from pwtui import __version__
from pwtui.client.connection import DaemonConnection
from pwtui.daemon.address import INSTALLATION, RUNTIME_VARIABLE, runtime_dir
from pwtui.daemon.instance import idle_seconds, lock_holder, private_folder
from pwtui.daemon.launcher import CAN_FORK
from pwtui.daemon.launcher import spawn as spawn_worker_process
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
DAEMON_MODULE = "pwtui.daemon_process"

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
    """A connection to the daemon, started when there is none; whether it was."""
    connection = await DaemonConnection.connect(folder)
    if connection is not None:
        return connection, False
    say("starting the daemon")
    private_folder(folder)
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        # Another start may win, or a daemon may be exiting: the holder of the lock listens soon, or
        # releases it.
        ready = spawn(idle, folder=folder, warm=warm)
        if not await asyncio.to_thread(_read_word, ready):
            raise SessionError("the daemon ended at its start", hint=f"see {daemon_log_file()}")
        connection = await DaemonConnection.connect(folder)
        if connection is not None:
            return connection, True
        await asyncio.sleep(POLL_SECONDS)
    raise SessionError(
        "the daemon does not answer",
        hint=f"end it with `pw daemon stop` (its log: {daemon_log_file()})",
    )


async def replaced_if_older(
    connection: DaemonConnection, greeting: Mapping[str, Any], say: Say
) -> bool:
    """Ask an older daemon to exit once it is idle; whether it did."""
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
    """Starts, stops and asks the daemon from another process."""

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


def spawn(idle: float | None = None, *, folder: str | None = None, warm: bool = False) -> int:
    """Start the daemon's process; the descriptor from which it can be read once it listens.

    A `warm` one has a worker at once: the process that forks it starts beside the daemon.
    """
    log_path = daemon_log_file()
    try:
        log_path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SessionError(
            f"cannot use {log_path.parent} for the daemon's log: {error.strerror}",
            hint="see HOME and XDG_STATE_HOME",
        ) from None
    idle = idle_seconds() if idle is None else idle
    environment = os.environ | ({RUNTIME_VARIABLE: folder} if folder else {})
    read_end, write_end = os.pipe()
    command = [sys.executable, "-m", DAEMON_MODULE]
    command += [f"--idle-timeout={idle:g}", f"--ready-fd={write_end}"]
    descriptors = [write_end]
    try:
        if warm and CAN_FORK:
            daemons, forkers = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
            descriptors.append(daemons.detach())
            command += ["--warm", f"--forker-fd={descriptors[-1]}"]
            with forkers:
                spawn_worker_process(forkers, environment=environment)
        with log_path.open("ab") as errors:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                pass_fds=descriptors,
                start_new_session=True,
                cwd="/",
                env=environment,
            )
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    # When it exits before this process, it must be waited for, or it stays as a zombie.
    threading.Thread(target=process.wait, daemon=True, name="daemon").start()
    return read_end


def leave_starting() -> None:
    """Start the daemon for later commands, and do not wait for it."""
    with suppress(SessionError, OSError):
        private_folder()
        os.close(spawn())


def serve_in_foreground(idle_timeout: float | None) -> NoReturn:
    """Replace this process by the daemon, which stays in the terminal until Ctrl+C."""
    option = [] if idle_timeout is None else [f"--idle-timeout={idle_timeout:g}"]
    os.execv(sys.executable, [sys.executable, "-m", DAEMON_MODULE, "--foreground", *option])


def _read_word(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 64)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
