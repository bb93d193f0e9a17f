"""Starting, finding and ending the daemon from outside."""

from __future__ import annotations

import asyncio
import fcntl
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pwtui import __version__
from pwtui.daemon.address import (
    INSTALLATION,
    RUNTIME_VARIABLE,
    UnsafeFolder,
    check_private,
    runtime_dir,
)
from pwtui.daemon.client import DaemonClient
from pwtui.protocol.daemon import NOT_RUNNING, DaemonData
from pwtui.protocol.errors import SessionError
from pwtui.state.paths import daemon_log_file

START_SECONDS = 20.0
ASK_SECONDS = 3.0
# A daemon that ends in an orderly way kills what hangs below it well before.
STOP_SECONDS = 15.0
POLL_SECONDS = 0.02
IDLE_VARIABLE = "PWTUI_IDLE_TIMEOUT"
DEFAULT_IDLE_SECONDS = 3600.0
SERVE_MODULE = "pwtui.daemon_process"
LOCK_FILE = "daemon.lock"


class DaemonLock:
    """Held by the one daemon of this user for as long as it lives; the kernel lets go of it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def take(cls) -> DaemonLock | None:
        """The lock, or None while another daemon has it."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(private_folder() / LOCK_FILE, flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return None
        with suppress(OSError):
            os.truncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
        return cls(descriptor)

    def release(self) -> None:
        os.close(self._descriptor)


def lock_holder() -> int | None:
    """The process id of a daemon that holds the lock, also of one that does not listen."""
    import psutil

    path = Path(runtime_dir()) / LOCK_FILE
    try:
        pid = int(path.read_text())
        opened = [Path(each.path) for each in psutil.Process(pid).open_files()]
    except (OSError, ValueError, psutil.Error):
        return None
    # The number alone proves nothing: the process may have ended, and another have it now.
    return pid if path.resolve() in opened else None


def private_folder() -> Path:
    """The runtime folder, made if need be; refused when others could use it."""
    folder = Path(runtime_dir())
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700, parents=True)
        check_private(str(folder))
    except UnsafeFolder as error:
        raise SessionError(str(error)) from None
    except OSError as error:
        raise SessionError(
            f"cannot use {folder}: {error.strerror}; see {RUNTIME_VARIABLE}"
        ) from None
    return folder


def idle_seconds() -> float:
    """How long the daemon waits without clients before it ends; 0 is for ever."""
    text = os.environ.get(IDLE_VARIABLE, "")
    try:
        return max(0.0, float(text)) if text else DEFAULT_IDLE_SECONDS
    except ValueError:
        raise SessionError(f"{IDLE_VARIABLE} must be a number of seconds, not {text!r}") from None


async def connect_or_start(
    tell: Callable[[str], None], *, idle: float | None = None
) -> tuple[DaemonClient, bool]:
    """A connection to the daemon, started when there is none; whether it was."""
    client = await DaemonClient.connect()
    if client is not None:
        return client, False
    tell("starting the daemon")
    private_folder()
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        # Ours may lose against another start, or against a daemon that is just ending: whoever
        # holds the lock listens soon, or lets go of it.
        await spawn(idle if idle is not None else idle_seconds())
        client = await DaemonClient.connect()
        if client is not None:
            return client, True
        await asyncio.sleep(POLL_SECONDS)
    raise SessionError(
        f"the daemon does not answer; end it with `pw daemon stop` (its log: {daemon_log_file()})"
    )


async def make_way_for_us(
    client: DaemonClient, greeting: Mapping[str, Any], tell: Callable[[str], None]
) -> bool:
    """Ask an older daemon to end once it is idle; whether it did."""
    version = str(greeting["version"])
    if _numbers(version) >= _numbers(__version__):
        if version == __version__ and greeting.get("installation") not in (None, INSTALLATION):
            tell(
                f"the daemon in {runtime_dir()} belongs to another installation "
                f"({greeting['installation']}); `pw daemon restart` starts one of this installation"
            )
        return False
    tell(f"the daemon is older ({version}, this is {__version__}); it makes way once it is idle")
    await client.control("shutdown", when="idle")
    return await client.wait_closed(STOP_SECONDS)


class OutsideControl:
    """Starts, stops and asks the daemon from another process."""

    def __init__(self, tell: Callable[[str], None], *, idle: float | None = None) -> None:
        self._tell = tell
        self._idle = idle

    async def start(self) -> tuple[bool, DaemonData]:
        client, started = await connect_or_start(self._tell, idle=self._idle)
        try:
            return started, await _status(client)
        finally:
            await client.close()

    async def stop(self) -> bool:
        """Ask the daemon to end; kill it, with its browsers, when it does not."""
        client = await DaemonClient.connect()
        pid = lock_holder() if client is None else client.daemon_pid
        grace = 0.0
        if client is not None:
            with suppress(SessionError, TimeoutError):
                async with asyncio.timeout(ASK_SECONDS):
                    await client.control("shutdown")
                    grace = STOP_SECONDS
            await client.close()
        if pid is None:
            return client is not None
        # Only the end of a daemon needs it, and each start of the panel would wait for it.
        from pwtui.browser.launch.processes import end_process

        await end_process(pid, grace=grace)
        return True

    async def status(self) -> DaemonData:
        client = await DaemonClient.connect()
        if client is None:
            return DaemonData(running=False, message=NOT_RUNNING)
        try:
            return await _status(client)
        finally:
            await client.close()


async def _status(client: DaemonClient) -> DaemonData:
    reply = await client.ask("status")
    known = {field.alias or name for name, field in DaemonData.model_fields.items()}
    return DaemonData.model_validate({key: reply[key] for key in known & reply.keys()})


async def spawn(idle: float, *, folder: str | None = None) -> None:
    """Start the daemon apart from us and wait until it listens, or says why not."""
    log_path = daemon_log_file()
    try:
        log_path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SessionError(
            f"cannot use {log_path.parent} for the daemon's log: {error.strerror}; see HOME and "
            "XDG_STATE_HOME"
        ) from None
    environment = os.environ | ({RUNTIME_VARIABLE: folder} if folder else {})
    read_end, write_end = os.pipe()
    try:
        with log_path.open("ab") as errors:
            process = subprocess.Popen(  # noqa: ASYNC220 - a few ms, and it must outlive the loop
                [
                    sys.executable,
                    "-m",
                    SERVE_MODULE,
                    f"--idle-timeout={idle:g}",
                    f"--ready-fd={write_end}",
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                pass_fds=(write_end,),
                start_new_session=True,
                cwd="/",
                env=environment,
            )
    finally:
        os.close(write_end)
    # When it ends before us somebody has to take note, or it stays as a zombie.
    threading.Thread(target=process.wait, daemon=True, name="daemon").start()
    word = await asyncio.to_thread(_read_word, read_end)
    if not word:
        raise SessionError(f"the daemon ended at its start; see {log_path}")


def _read_word(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 64)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())
