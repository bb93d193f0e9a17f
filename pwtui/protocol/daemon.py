"""The daemon's state, as it is told to everybody."""

from __future__ import annotations

from pydantic import Field

from pwtui.protocol.model import Maybe, WireModel

EVENTS = ("request", "response", "client", "session", "page")
"""What a client can subscribe to."""
NOT_RUNNING = "no daemon is running; it starts with the first operation that needs a browser"


class RunningRequestData(WireModel):
    seq: int = Field(description="Its number, for cancel.")
    op: str
    profile: Maybe[str] = None
    client: str
    running_ms: float


class DaemonData(WireModel):
    """The state of the daemon."""

    running: bool
    message: Maybe[str] = None
    pid: Maybe[int] = None
    version: Maybe[str] = None
    socket: Maybe[str] = None
    log: Maybe[str] = None
    uptime_seconds: Maybe[float] = None
    idle_timeout_seconds: Maybe[float] = Field(None, description="0 is never.")
    clients: Maybe[list[str]] = None
    requests_served: Maybe[int] = None
    requests_running: Maybe[list[RunningRequestData]] = None
    sessions: Maybe[int] = None
    memory_bytes: Maybe[int] = None
    cpu_seconds: Maybe[float] = None
