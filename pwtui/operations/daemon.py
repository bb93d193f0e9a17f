"""The daemon's state, told truthfully while there is none."""

from __future__ import annotations

from pydantic import Field

from pwtui.operations.call import Call
from pwtui.operations.declare import operation
from pwtui.operations.fields import Data, Input, NoInput
from pwtui.protocol.errors import UnsupportedMode

NO_DAEMON = "no daemon is running; each pw process runs its own browser"


class StartInput(Input):
    foreground: bool = Field(False, description="Stay in the terminal.")


class StartedData(Data):
    started: bool
    running: bool


class StoppedData(Data):
    stopped: bool
    message: str


class StatusData(Data):
    running: bool
    message: str


@operation("daemon.start")
async def daemon_start(call: Call, input: StartInput) -> StartedData:
    """Start the daemon; this version refuses, as it has none."""
    raise UnsupportedMode(
        "this version has no daemon; keep a browser across requests with `pw batch`, or across "
        "commands with `connect` and launch"
    )


@operation("daemon.stop")
async def daemon_stop(call: Call, input: NoInput) -> StoppedData:
    """Stop the daemon."""
    return StoppedData(stopped=False, message=NO_DAEMON)


@operation("daemon.status")
async def daemon_status(call: Call, input: NoInput) -> StatusData:
    """Tell whether the daemon runs."""
    return StatusData(running=False, message=NO_DAEMON)
