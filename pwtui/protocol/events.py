"""The events of sessions, which the observer of each session publishes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from pwtui.protocol.kinds import KINDS, Kind
from pwtui.protocol.model import Maybe, WireModel
from pwtui.protocol.models import DialogInfo, TabData


class SessionEventBase(WireModel):
    """The fields that every event of a session has."""

    text_limit: ClassVar[int] = 10_000
    """Longer texts are cut."""
    event_seq: Maybe[int] = Field(
        None, description="Number of the event; the daemon counts those that it sends."
    )
    time: float = Field(description="When it happened, in seconds since 1970.")
    session_key: str
    workspace: Maybe[str] = None
    profile: Maybe[str] = Field(None, description="In a session of pwtui.")
    client: Maybe[str] = Field(
        None, description="In a browser of another program: the name that it bound it with."
    )
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
    index: Maybe[int] = Field(
        None, description="Its number in `requests.list` of the tab, from `response` on."
    )
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
    """A download started, continues or ended."""

    event: Literal["download"] = "download"
    change: Literal["started", "progress", "finished", "failed"] = Field(
        description="`progress`: at most twice a second, in Chromium."
    )
    download: int = Field(description="Number of the download in its session.")
    url: str
    suggested_filename: str
    received_bytes: Maybe[int] = None
    total_bytes: Maybe[int] = Field(None, description="If the server said it.")
    failure: Maybe[str] = Field(None, description="With `failed`: the cause.")


class NavigationEvent(SessionEventBase):
    """A frame shows another URL."""

    event: Literal["navigation"] = "navigation"
    url: str
    frame: Literal["main", "child"]
    frame_name: Maybe[str] = None


class TabEvent(SessionEventBase):
    """A tab was opened or closed, has loaded a page, crashed, or has another title."""

    event: Literal["tab"] = "tab"
    change: Literal["opened", "closed", "loaded", "crashed", "title"]
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


class UserEvent(SessionEventBase):
    """A person did something by hand, or another program that controls the browser."""

    event: Literal["user"] = "user"
    action: Literal["click", "fill", "select", "press", "navigate", "reload"]
    url: str = Field(description="Of the page; with `navigate` the new one.")
    selector: Maybe[str] = Field(None, description="A durable locator of the element.")
    text: Maybe[str] = Field(None, description="With `fill`; masked for passwords.")
    values: Maybe[list[str]] = Field(None, description="With `select`: the chosen labels.")
    key: Maybe[str] = Field(None, description="With `press`, such as `Enter` or `Control+s`.")
    button: Maybe[Literal["left", "middle", "right"]] = None
    count: Maybe[int] = Field(None, description="2 is the second click of a double click.")


class SnapshotEvent(SessionEventBase):
    """The accessibility tree of the active tab, after it has changed or another tab became active.

    It is whole: nothing is lost with an event that a slow subscriber misses. Snapshots are taken
    while no request runs, one at a time, for about a tenth of the time. Elements that have not
    changed keep their refs. In a browser of another program, texts in fields are masked, and
    a change that no action of the program caused is noticed after about two seconds.
    """

    event: Literal["snapshot"] = "snapshot"
    text_limit: ClassVar[int] = 4_000_000
    url: str
    title: str
    text: str = Field(description="As `snapshot` of `page.aria`.")


class FrameLimits(WireModel):
    """How large frames are at most."""

    model_config = ConfigDict(frozen=True)

    max_width: int = Field(800, ge=16, le=4096)
    max_height: int = Field(600, ge=16, le=4096)
    quality: int = Field(60, ge=1, le=100, description="Of the JPEG.")

    @classmethod
    def largest(cls, limits: Iterable[FrameLimits]) -> FrameLimits | None:
        """The limits for all of these: there is one screencast for all subscribers."""
        each = [(one.max_width, one.max_height, one.quality) for one in limits]
        if not each:
            return None
        width, height, quality = map(max, zip(*each, strict=True))
        return cls(max_width=width, max_height=height, quality=quality)


class FrameEvent(SessionEventBase):
    """A picture of the active tab, after it has changed or another tab became active.

    The next one is sent after `ack`, and is the newest one then. It shows what the page shows.
    """

    event: Literal["frame"] = "frame"
    text_limit: ClassVar[int] = 8_000_000
    frame: int = Field(description="Number of the frame in its session.")
    data: str = Field(description="JPEG in Base64.")
    viewport_width: int
    viewport_height: int


class SourceLine(WireModel):
    """Where a program makes a call."""

    file: str
    line: Maybe[int] = None


class CallEvent(SessionEventBase):
    """A program that owns its browser calls Playwright; typed text is masked.

    A call has two events: `running` when it begins, then its result.
    """

    event: Literal["call"] = "call"
    call: int = Field(description="Number of the call in its session.")
    tool: str = Field(description="`playwright cli`, `playwright mcp`, or the program's command.")
    pid: Maybe[int] = Field(None, description="Process id of the program.")
    title: str = Field(description="What it does, in Playwright's words.")
    target: Maybe[str] = Field(None, description="The locator or URL in `title`.")
    status: Literal["running", "success", "error"]
    error: Maybe[str] = None
    source: Maybe[SourceLine] = None
    duration_ms: Maybe[float] = Field(None, description="With the result, holds included.")


class HoldEvent(SessionEventBase):
    """A person holds the actions of other clients, or an action is held or released."""

    event: Literal["hold"] = "hold"
    change: Literal["began", "held", "released", "ended"] = Field(
        description="`began` and `ended`: the session is paused and resumed; `held` and "
        "`released`: one action."
    )
    by: Maybe[str] = Field(None, description="With `began`: the client that paused the session.")
    client: Maybe[str] = Field(None, description="Whose action it is.")
    action: Maybe[str] = Field(None, description="With `held` and `released`: the action.")
    reason: Maybe[str] = Field(None, description="With `ended`: why, if not as requested.")


class FloodEvent(SessionEventBase):
    """A page caused more events of a kind than are forwarded; listening paused for a while."""

    event: Literal["flood"] = "flood"
    kind: Kind
    dropped: int = Field(
        description="Events that were dropped: at least this many, as the browser does not report "
        "what is not listened to."
    )
    is_exact: Maybe[Literal[True]] = Field(None, description="`dropped` is the exact count.")
    pauses: int = Field(description="How often listening paused, for up to 10 s each.")


class UnseenEvent(SessionEventBase):
    """Events of a kind cannot be observed in this session."""

    event: Literal["unseen"] = "unseen"
    kind: Kind
    reason: str


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
    | UserEvent
    | SnapshotEvent
    | FrameEvent
    | CallEvent
    | HoldEvent
    | FloodEvent
    | UnseenEvent
)
_ANY: TypeAdapter[ObservedEvent | DroppedEvent] = TypeAdapter(
    Annotated[ObservedEvent | DroppedEvent, Field(discriminator="event")]
)


class SessionState(WireModel):
    """An open session with its tabs, when a subscription begins."""

    session_key: str
    workspace: Maybe[str] = None
    profile: Maybe[str] = None
    client: Maybe[str] = Field(
        None, description="In a browser of another program: the name that it bound it with."
    )
    browser: Maybe[str] = None
    headless: Maybe[bool] = None
    attached: bool
    tabs: list[TabData]


def read_event(wire: dict[str, Any]) -> ObservedEvent | DroppedEvent | None:
    """The event of a line from the daemon; None for one of an unknown kind."""
    if wire.get("event") not in (*KINDS, "flood", "unseen", "dropped"):
        return None
    return _ANY.validate_python(wire, extra="ignore")
