"""The daemon's control messages. Lines with `op` are envelopes; lines with `cmd` are these."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from pwtui.daemon.line_protocol import EVENTS
from pwtui.protocol.envelope import BrowserName
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.events import FrameLimits
from pwtui.protocol.kinds import Kind
from pwtui.protocol.model import WireModel


class ControlMessage(WireModel):
    """The base of all control messages; `id` comes back in the reply."""

    id: Any = None


class Hello(ControlMessage):
    """Identifies the client; required before envelopes."""

    cmd: Literal["hello"]
    version: str = ""
    workspace: str
    cwd: str
    client: str = Field("", description="Display name of the client, such as `pw batch`.")
    profile: str | None = Field(None, description="Default profile of requests.")
    mode: Literal["exec", "batch"] = "batch"
    artifacts_dir: str | None = None
    verbosity: int = 0
    impatient: bool = False


class Argv(ControlMessage):
    """A command line to run, for the fast path."""

    cmd: Literal["run"]
    version: str = Field(description="Version and installation of the client.")
    cwd: str
    environment: dict[str, str] = Field(description="The environment variables that commands read.")
    columns: int = Field(description="Width of the terminal on stdout (0: not a terminal).")
    errors_on_terminal: bool = Field(description="Whether stderr is a terminal.")
    command: str = Field("", description="The command or keyword, without options before it.")
    argv: list[str]


class Launch(ControlMessage):
    """Start a session, or return the one that is running."""

    cmd: Literal["launch"]
    browser: BrowserName | None = None
    headless: bool = True
    profile: str | None = None
    cdp: bool | None = Field(None, description="As in session.start; the port is any free one.")


class Connect(ControlMessage):
    """Use a session for the envelopes that follow on this connection."""

    cmd: Literal["connect"]
    session_id: str = Field(alias="session_id")


class Close(ControlMessage):
    """Close a session."""

    cmd: Literal["close"]
    session_id: str = Field(alias="session_id")


class SeenEvent(WireModel):
    """The last event that a client saw before it connected again."""

    started_at: float = Field(description="Of the daemon, from its reply to `subscribe`.")
    event_seq: int


class Subscribe(ControlMessage):
    """Receive events, in place of those that were subscribed to before."""

    cmd: Literal["subscribe"]
    events: list[str] | None = Field(
        None, description="What clients do (default: all; none with `kinds`)."
    )
    kinds: list[Kind] | None = Field(None, description="What happens in sessions (default: none).")
    session: str | None = Field(
        None,
        description="Only `kinds` of this session: its key, or the name of another program's "
        "browser.",
    )
    profile: str | None = Field(None, description="Only `kinds` of this profile.")
    frames: FrameLimits = Field(
        default_factory=FrameLimits,
        description="Size of `frame` events; the largest of all subscribers applies.",
    )
    after: SeenEvent | None = None

    @property
    def effective_events(self) -> list[str]:
        if self.events is not None:
            return self.events
        return [] if self.kinds is not None else list(EVENTS)


class Sync(ControlMessage):
    """Answered after all events that happened before."""

    cmd: Literal["sync"]


class Acknowledge(ControlMessage):
    """The client has the last `frame` of a session, and can take the next one."""

    cmd: Literal["ack"]
    session: str


class Look(ControlMessage):
    """An envelope that only reads: it starts no browser and causes no events."""

    cmd: Literal["look"]
    request: dict[str, Any]


class Cancel(ControlMessage):
    """Stop a request: one of this connection by its requestId, or of any client by its number."""

    cmd: Literal["cancel"]
    request_id: str | None = None
    seq: int | None = None


class Status(ControlMessage):
    cmd: Literal["status"]


class Shutdown(ControlMessage):
    """Stop the daemon, now or as soon as no request is running."""

    cmd: Literal["shutdown"]
    when: Literal["now", "idle"] = "now"


class Enter(ControlMessage):
    """The user pressed Enter; the reply to an `ask` event."""

    cmd: Literal["answer"]


AnyControl = Annotated[
    Hello
    | Argv
    | Launch
    | Connect
    | Close
    | Subscribe
    | Sync
    | Acknowledge
    | Look
    | Cancel
    | Status
    | Shutdown
    | Enter,
    Field(discriminator="cmd"),
]
_CONTROL: TypeAdapter[AnyControl] = TypeAdapter(AnyControl)


def decode_control(value: dict[str, Any]) -> AnyControl:
    try:
        return _CONTROL.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "cmd"
        raise InvalidInput(f"{where}: {first['msg']}", details={"cmd": value.get("cmd")}) from None
