"""Operations on the daemon."""

from __future__ import annotations

from typing import Protocol

from pydantic import Field

from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import Outcome, Run, configures, reads
from pwtui.operations.framework.fields import Input, NoInput, StoppedData
from pwtui.protocol.daemon import NO_DAEMON, DaemonData
from pwtui.protocol.errors import UnsupportedMode

RUNNING = Outcome(
    columns={
        "daemon": "running, pid {pid}, version {version}",
        "uptime": "{uptimeSeconds:duration}",
        "idle timeout": "{idleTimeoutSeconds:duration}",
        "memory": "{memoryBytes:size}",
        "sessions": "{sessions}",
        "clients": "{clients|'none'}",
        "requests": "{requestsServed} served{requestsRunning:running}",
        "socket": "{socket}",
        "log": "{log}",
    },
    needs="running",
    empty="{message}",
)


class DaemonControl(Protocol):
    """Starts, stops and queries the daemon, from inside or outside its process."""

    async def start(self) -> tuple[bool, DaemonData]:
        """Start the daemon unless it runs; returns whether it was started, and its state."""

    async def stop(self) -> bool:
        """Stop the daemon; False when none was running."""

    async def status(self) -> DaemonData: ...


class NoDaemon:
    """For a process without a daemon."""

    async def start(self) -> tuple[bool, DaemonData]:
        raise UnsupportedMode("this process cannot start a daemon", hint="use `pw daemon start`")

    async def stop(self) -> bool:
        return False

    async def status(self) -> DaemonData:
        return DaemonData(running=False, message=NO_DAEMON)


class DaemonStartInput(Input):
    foreground: bool = Field(False, description="Run in the foreground.")


class StartedData(DaemonData):
    started: bool
    already_running: bool


@configures("daemon.start", run=Run(where="client", queued=False), outcome=RUNNING)
async def daemon_start(call: Call, input: DaemonStartInput) -> StartedData:
    """Start the daemon, or return the one that is running."""
    if input.foreground:
        raise UnsupportedMode(
            "a daemon in the foreground requires a terminal",
            hint="use `pw daemon start --foreground`",
        )
    started, state = await call.daemon.start()
    return StartedData(started=started, already_running=not started, **state.model_dump())


@configures(
    "daemon.stop",
    run=Run(where="client", queued=False),
    outcome="{message|'stopped the daemon'}",
)
async def daemon_stop(call: Call, input: NoInput) -> StoppedData:
    """Stop the daemon and close its browsers."""
    stopped = await call.daemon.stop()
    return StoppedData(stopped=stopped, message=None if stopped else NO_DAEMON)


@reads("daemon.status", run=Run(where="client", queued=False), outcome=RUNNING)
async def daemon_status(call: Call, input: NoInput) -> DaemonData:
    """Show whether the daemon is running, its memory, sessions and clients."""
    return await call.daemon.status()
