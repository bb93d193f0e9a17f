"""Sessions and tabs as the daemon reports them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from pwtui.protocol.model import Maybe, WireModel
from pwtui.protocol.secrets import mask_text

# Sessions are listed for everybody who asks.
MaskedUrl = Annotated[str, AfterValidator(mask_text)]


class PageInfo(WireModel):
    title: str
    url: MaskedUrl


class SessionData(WireModel):
    """A browser that runs. What is not known is left out."""

    origin: Literal["pwtui", "playwright", "cdp", "relay"] = Field(
        description="Who started it; a relay leads to a browser of the user."
    )
    owner: Maybe[Literal["daemon", "detached", "process"]] = Field(
        None, description="What keeps ours alive: the daemon, nothing, or the process that asks."
    )
    title: str
    profile: Maybe[str] = None
    workspace: Maybe[str] = None
    workspace_id: Maybe[str] = None
    namespace: Maybe[str] = Field(None, description="The same as profile.")
    session_key: Maybe[str] = None
    browser: Maybe[str] = None
    headless: Maybe[bool] = None
    attached: bool = Field(False, description="Whether we use a browser that somebody else owns.")
    pid: Maybe[int] = Field(None, description="The browser's own process.")
    owner_pid: Maybe[int] = None
    cdp_endpoint: Maybe[MaskedUrl] = None
    ws_endpoint: Maybe[str] = Field(None, description="Where other Playwright clients can attach.")
    version: Maybe[str] = None
    pages: list[PageInfo] | None = Field(None, description="null when they are not known.")
    memory_bytes: Maybe[int] = None
    created_at: Maybe[float] = None
    last_used_at: Maybe[float] = None
    age_seconds: Maybe[float] = None


class TabData(WireModel):
    index: int
    title: str
    url: str
    active: Maybe[Literal[True]] = None
    protected: Maybe[Literal[True]] = None
    dialog: Maybe[Literal[True]] = Field(None, description="A dialog waits for an answer.")
    file_chooser: Maybe[Literal[True]] = Field(None, description="A chooser waits for upload.")
    crashed: Maybe[Literal[True]] = None
