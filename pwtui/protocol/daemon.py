"""The state of the daemon on the wire."""

from __future__ import annotations

from pydantic import Field

from pwtui.protocol.model import Maybe, Volatile, WireModel

NO_DAEMON = "no daemon is running; it starts with the first operation that needs a browser"


class RunningRequestData(WireModel):
    seq: Volatile[int] = Field(description="Number of the request, for cancel.")
    op: str
    profile: Volatile[Maybe[str]] = None
    client: str
    running_ms: float


class DaemonData(WireModel):
    """The state of the daemon."""

    running: bool
    message: Maybe[str] = None
    pid: Volatile[Maybe[int]] = None
    version: Volatile[Maybe[str]] = None
    socket: Volatile[Maybe[str]] = None
    log: Volatile[Maybe[str]] = None
    uptime_seconds: Volatile[Maybe[float]] = None
    idle_timeout_seconds: Maybe[float] = Field(None, description="0: no timeout.")
    clients: Maybe[list[str]] = None
    requests_served: Maybe[int] = None
    requests_running: Maybe[list[RunningRequestData]] = None
    sessions: Maybe[int] = None
    memory_bytes: Volatile[Maybe[int]] = None
    cpu_seconds: Volatile[Maybe[float]] = None
    history_problem: Maybe[str] = Field(
        None, description="Why the history is not recorded at the moment."
    )
