"""The daemon, as the operations see it."""

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
    """What starts, stops and asks the daemon, from inside or outside of it."""

    async def start(self) -> tuple[bool, DaemonData]:
        """Make it run; whether it was started just now, and its state."""

    async def stop(self) -> bool:
        """End it; False when there was none."""

    async def status(self) -> DaemonData: ...


class NoDaemon:
    """For a process that has nothing to do with any daemon."""

    async def start(self) -> tuple[bool, DaemonData]:
        raise UnsupportedMode("this process cannot start a daemon", hint="use `pw daemon start`")

    async def stop(self) -> bool:
        return False

    async def status(self) -> DaemonData:
        return DaemonData(running=False, message=NO_DAEMON)


class DaemonStartInput(Input):
    foreground: bool = Field(False, description="Stay in the terminal.")


class StartedData(DaemonData):
    started: bool
    already_running: bool


@configures("daemon.start", run=Run(where="client", queued=False), outcome=RUNNING)
async def daemon_start(call: Call, input: DaemonStartInput) -> StartedData:
    """Start the daemon, or answer with the one that runs."""
    if input.foreground:
        raise UnsupportedMode(
            "in the foreground it needs a terminal", hint="use `pw daemon start --foreground`"
        )
    started, state = await call.daemon.start()
    return StartedData(started=started, already_running=not started, **state.model_dump())


@configures(
    "daemon.stop",
    run=Run(where="client", queued=False),
    outcome="{message|'the daemon is stopped'}",
)
async def daemon_stop(call: Call, input: NoInput) -> StoppedData:
    """Stop the daemon and close its browsers."""
    stopped = await call.daemon.stop()
    return StoppedData(stopped=stopped, message=None if stopped else NO_DAEMON)


@reads("daemon.status", run=Run(where="client", queued=False), outcome=RUNNING)
async def daemon_status(call: Call, input: NoInput) -> DaemonData:
    """Show whether the daemon runs, and what it does."""
    return await call.daemon.status()
