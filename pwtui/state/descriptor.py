"""Descriptors of running browsers, for other processes: sessions/*.json of a profile."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from pwtui.protocol.envelope import BrowserName, parse_json
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import Maybe
from pwtui.state.config import StateModel
from pwtui.state.files import write_json


class SessionDescriptor(StateModel):
    """A browser that outlives the command that started it."""

    schema_: Literal[2] = Field(2, alias="schema")
    session_key: str
    workspace: str
    workspace_id: str
    profile: str
    browser: BrowserName
    headless: bool
    owner: Literal["daemon", "detached"] = Field(
        description="The daemon closes it, or it runs until it is closed."
    )
    owner_pid: Maybe[int] = None
    pid: int = Field(description="Process id of the browser.")
    started_at: float = Field(description="Start time of the process, to detect a reused pid.")
    cdp_endpoint: Maybe[str] = None
    ws_endpoint: Maybe[str] = Field(None, description="Endpoint for Playwright clients.")
    user_data_dir: Maybe[str] = None
    driver_version: str
    created_at: float
    last_used_at: float


def read_descriptor(path: Path) -> SessionDescriptor | None:
    """The descriptor; None if it is missing or invalid."""
    try:
        return SessionDescriptor.model_validate(parse_json(path.read_bytes(), what="it"))
    except (OSError, InvalidInput, ValidationError):
        return None


def write_descriptor(path: Path, descriptor: SessionDescriptor) -> None:
    write_json(path, descriptor.model_dump(mode="json"), private=True)
