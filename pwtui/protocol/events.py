"""The events of sessions, which the observer of each session publishes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from pwtui.protocol.kinds import KINDS, Kind
from pwtui.protocol.model import Maybe, WireModel
from pwtui.protocol.models import DialogInfo, TabData


class SessionEventBase(WireModel):
    """The fields that every event of a session has."""

    event_seq: Maybe[int] = Field(
        None, description="Number of the event; the daemon counts those that it sends."
    )
    time: float = Field(description="When it happened, in seconds since 1970.")
    session_key: str
    workspace: str
    profile: str
    tab: Maybe[int] = Field(None, description="Index of the tab, if it is known.")


class ConsoleEvent(SessionEventBase):
    """A page wrote a message to its console."""

    event: Literal["console"] = "console"
    type: str = Field(description="`log`, `warning`, `error` or another type of message.")
    text: str
    url: Maybe[str] = Field(None, description="The script.")
    line: Maybe[int] = None
    page_url: str


class PageErrorEvent(SessionEventBase):
    """A script threw an exception that nothing caught."""

    event: Literal["pageError"] = "pageError"
    text: str
    stack: Maybe[str] = None
    page_url: str


class Sizes(WireModel):
    """Bytes of a request and its response."""

    request_headers: int
    request_body: int
    response_headers: int
    response_body: int = Field(description="As transferred: compressed, 0 from a cache.")


class NetworkEvent(SessionEventBase):
    """A request was sent, its response began, or it ended.

    `finished` and `failed` are the last event of a request.
    """

    event: Literal["network"] = "network"
    change: Literal["request", "response", "finished", "failed"]
    request: int = Field(description="Number of the request in its session.")
    method: str
    url: str
    resource_type: str
    frame_url: Maybe[str] = Field(None, description="URL of the frame that sent it.")
    service_worker: Maybe[str] = Field(None, description="URL of the service worker that sent it.")
    redirected_from: Maybe[int] = Field(None, description="Number of the request before.")
    status: Maybe[int] = None
    status_text: Maybe[str] = None
    from_service_worker: Maybe[Literal[True]] = None
    from_cache: Maybe[Literal[True]] = Field(None, description="With `finished`.")
    failure: Maybe[str] = Field(None, description="With `failed`: the cause.")
    sizes: Maybe[Sizes] = Field(None, description="With `finished`.")
    timing: Maybe[dict[str, float]] = Field(
        None, description="Milliseconds since the start, for the phases that took place."
    )
    duration_ms: Maybe[float] = None


class WebSocketEvent(SessionEventBase):
    """A page opened or closed a WebSocket, or frames passed through it."""

    event: Literal["websocket"] = "websocket"
    change: Literal["opened", "frames", "closed"] = Field(
        description="`frames`: at most once a second."
    )
    socket: int = Field(description="Number of the WebSocket in its session.")
    url: str
    frames_sent: int = Field(description="Since it was opened, as all counts.")
    frames_received: int
    bytes_sent: int
    bytes_received: int
    error: Maybe[str] = None


class DialogEvent(SessionEventBase):
    """A dialog opened or closed."""

    event: Literal["dialog"] = "dialog"
    change: Literal["opened", "closed"]
    dialog: Maybe[DialogInfo] = Field(None, description="With `opened`.")


class FileChooserEvent(SessionEventBase):
    """A page asked for files."""

    event: Literal["fileChooser"] = "fileChooser"
    multiple: bool


class DownloadEvent(SessionEventBase):
    """A download started or ended."""

    event: Literal["download"] = "download"
    change: Literal["started", "finished", "failed"]
    download: int = Field(description="Number of the download in its session.")
    url: str
    suggested_filename: str
    failure: Maybe[str] = Field(None, description="With `failed`: the cause.")


class NavigationEvent(SessionEventBase):
    """A frame shows another URL."""

    event: Literal["navigation"] = "navigation"
    url: str
    frame: Literal["main", "child"]
    frame_name: Maybe[str] = None


class TabEvent(SessionEventBase):
    """A tab was opened or closed, crashed, or has another title after a page was loaded."""

    event: Literal["tab"] = "tab"
    change: Literal["opened", "closed", "crashed", "title"]
    url: str
    title: Maybe[str] = None


class BrowserEvent(SessionEventBase):
    """The session ended."""

    event: Literal["browser"] = "browser"
    change: Literal["ended"]
    how: Literal["closed", "exited", "workerLost"] = Field(
        description="`closed`: as requested; `exited`: the browser crashed, was killed or was "
        "closed by a person; `workerLost`: the process that drives it hung, crashed or was killed."
    )


class FloodEvent(SessionEventBase):
    """A page caused more events of a kind than are forwarded; listening paused for a while."""

    event: Literal["flood"] = "flood"
    kind: Kind
    dropped: int = Field(description="Events that arrived and were dropped: at least this many.")
    pauses: int = Field(description="How often listening paused, for up to 10 s each.")


class DroppedEvent(WireModel):
    """The subscriber did not read in time and lost events."""

    event: Literal["dropped"] = "dropped"
    count: int


ObservedEvent = (
    ConsoleEvent
    | PageErrorEvent
    | NetworkEvent
    | WebSocketEvent
    | DialogEvent
    | FileChooserEvent
    | DownloadEvent
    | NavigationEvent
    | TabEvent
    | BrowserEvent
    | FloodEvent
)
_ANY: TypeAdapter[ObservedEvent | DroppedEvent] = TypeAdapter(
    Annotated[ObservedEvent | DroppedEvent, Field(discriminator="event")]
)


class SessionState(WireModel):
    """An open session with its tabs, when a subscription begins."""

    session_key: str
    workspace: str
    profile: str
    browser: str
    headless: bool
    attached: bool
    tabs: list[TabData]


def read_event(wire: dict[str, Any]) -> ObservedEvent | DroppedEvent | None:
    """The event of a line from the daemon; None for one of an unknown kind."""
    if wire.get("event") not in (*KINDS, "flood", "dropped"):
        return None
    return _ANY.validate_python(wire, extra="ignore")
