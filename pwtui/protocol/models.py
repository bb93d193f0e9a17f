"""Results and events that clients read: sessions, tabs, snapshots, relays, requests."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field

from pwtui.protocol.model import Maybe, Volatile, WireModel
from pwtui.protocol.secrets import mask_text

M = TypeVar("M", bound=WireModel)

# Every client can list the sessions.
MaskedUrl = Annotated[str, AfterValidator(mask_text)]


def read(model: type[M], wire: object) -> M:
    """A model from the wire; fields that a newer daemon added are ignored."""
    return model.model_validate(wire, extra="ignore")


# -- sessions and tabs -----------------------------------------------------------------------------


class FrameInfo(WireModel):
    name: str
    url: MaskedUrl


class PageInfo(WireModel):
    title: str
    url: MaskedUrl
    index: Maybe[int] = Field(None, description="Index of the tab, in a session of pwtui.")
    frames: Maybe[list[FrameInfo]] = Field(
        None, description="The frames inside it, as far as they are known."
    )


class SessionData(WireModel):
    """A running browser. Unknown values are left out."""

    origin: Literal["pwtui", "playwright", "cdp", "pipe", "relay"] = Field(
        description="The tool that started it, or how it can be reached. `pipe`: only by its "
        "program, so it cannot be attached; `relay`: by the extension of its user."
    )
    owner: Maybe[Literal["daemon", "detached", "process"]] = Field(
        None, description="The process that the browser closes with; `detached`: none."
    )
    title: str
    profile: Volatile[Maybe[str]] = None
    workspace: Volatile[Maybe[str]] = None
    workspace_id: Volatile[Maybe[str]] = None
    namespace: Maybe[str] = Field(None, description="Same as `profile`.")
    session_key: Volatile[Maybe[str]] = None
    tool: Maybe[str] = Field(
        None,
        description="The program that bound it: `playwright cli`, `playwright mcp` or a command.",
    )
    held: Maybe[Literal[True]] = Field(
        None, description="Whether `session.pause` holds the actions of other clients in it."
    )
    browser: Maybe[str] = None
    headless: Maybe[bool] = None
    attached: bool = Field(False, description="Whether pwtui attached to it and does not own it.")
    pid: Volatile[Maybe[int]] = Field(None, description="Process id of the browser.")
    owner_pid: Volatile[Maybe[int]] = None
    cdp_endpoint: Maybe[MaskedUrl] = None
    ws_endpoint: Maybe[str] = Field(None, description="Where other Playwright clients can attach.")
    version: Volatile[Maybe[str]] = None
    pages: list[PageInfo] | None = Field(None, description="Open pages (null: unknown).")
    memory_bytes: Volatile[Maybe[int]] = None
    created_at: Volatile[Maybe[float]] = None
    last_used_at: Volatile[Maybe[float]] = None
    age_seconds: Volatile[Maybe[float]] = None
    programs: Volatile[Maybe[list[str]]] = Field(
        None,
        description="Of another program's browser: the programs that started it, the "
        "nearest first.",
    )
    orphan: Maybe[Literal[True]] = Field(
        None, description="The program that started it has exited. It has no window."
    )
    idle_seconds: Volatile[Maybe[float]] = Field(
        None,
        description="Of another program's browser: how long it has hardly used the "
        "processor, as far as the daemon has looked.",
    )

    @property
    def may_have_user(self) -> bool:
        """Whether a person may use it: it has a window, or that is not known."""
        return self.headless is not True or self.origin == "relay"


class SessionsData(WireModel):
    sessions: list[SessionData]
    count: int


class TabData(WireModel):
    index: int
    title: str
    url: str
    active: Maybe[Literal[True]] = None
    protected: Maybe[Literal[True]] = None
    dialog: Maybe[Literal[True]] = Field(None, description="A dialog is open.")
    file_chooser: Maybe[Literal[True]] = Field(None, description="A file chooser is open.")
    crashed: Maybe[Literal[True]] = None


class TabsData(WireModel):
    tabs: list[TabData]
    count: int
    next_index: int = Field(description="The index of the next new tab.")


# -- the page --------------------------------------------------------------------------------------


class AriaData(WireModel):
    url: str
    title: str
    snapshot: str = Field(description="Playwright's text format, with refs.")
    tree: Maybe[list[dict[str, Any]]] = Field(None, description="The same as nested nodes.")
    node_count: int
    ref_count: int


class Coords(WireModel):
    """The position of an element; x and y are its centre."""

    x: int
    y: int
    width: int
    height: int
    text: Maybe[str] = None
    href: Maybe[str] = None


class CoordsData(WireModel):
    coords: Coords
    selector: str


# -- relays ----------------------------------------------------------------------------------------


class RelayStep(WireModel):
    step: str
    number: int
    at_ms: float | None = None


class MissingStep(WireModel):
    step: str
    number: int
    hint: str
    waited_ms: Volatile[float | None] = None


class RelayProgress(WireModel):
    """The progress of a connection, or of one of its pages; times in ms since its start."""

    steps: list[RelayStep]
    missing: MissingStep | None = None


class RelayTargetData(RelayProgress):
    target_id: str
    type: str | None = None
    url: str
    title: str = ""
    crashed: bool = False


class RelayClientData(RelayProgress):
    id: str
    agent: Maybe[str] = None
    extension: Maybe[str] = None
    connected: bool
    refused: str | None = None
    connected_at: float
    commands: Maybe[int] = None
    targets: list[RelayTargetData]


class RelayPageData(WireModel):
    target_id: str
    url: str
    title: str
    crashed: bool = False
    clients: list[str] = Field([])


class RelayExtensionData(WireModel):
    id: str
    browser: str
    version: Volatile[str] = ""
    connected_at: float
    pages: list[RelayPageData]


class UnpairedExtension(WireModel):
    id: str
    browser: str
    refused_at: float


class RelayNote(WireModel):
    time: Volatile[float]
    level: Literal["info", "warning"]
    message: str


class RelayTrace(WireModel):
    port: Volatile[int]
    pid: Volatile[int]
    version: Volatile[str] = ""
    started_at: Volatile[float]
    separate_window: bool
    extensions: list[RelayExtensionData]
    clients: list[RelayClientData]
    past: list[RelayClientData]
    notes: list[RelayNote]
    unpaired: list[UnpairedExtension]


class RelayTraceData(WireModel):
    relays: list[RelayTrace] = Field(
        description="Each with its port, extensions, clients, past clients and notes."
    )
    count: int


# -- events ----------------------------------------------------------------------------------------


class DialogInfo(WireModel):
    """An open dialog."""

    type: Literal["alert", "confirm", "prompt", "beforeunload"]
    message: str
    default_value: Maybe[str] = None


class ClientInfo(WireModel):
    name: str


class RequestEvent(WireModel):
    """A client's request started or, with `response`, finished; secrets are masked."""

    seq: int | str
    time: float
    client: ClientInfo
    workspace: str = ""
    profile: str | None = None
    request: dict[str, Any]
    response: dict[str, Any] | None = None

    @property
    def effective_profile(self) -> str:
        """The profile of the request, as far as it is known."""
        runtime = (self.response or {}).get("effectiveRuntime") or {}
        return str(runtime.get("profile") or self.profile or "default")


class SessionEvent(WireModel):
    """A browser was opened or closed; `others`: the browsers of other programs changed."""

    change: Literal["opened", "closed", "others"]
    workspace: str = ""
    profile: str = ""
    unexpected: bool = False


class PageEvent(WireModel):
    """Something happened to a tab."""

    change: str
    workspace: str
    profile: str
    tab: int
    dialog: DialogInfo | None = None
