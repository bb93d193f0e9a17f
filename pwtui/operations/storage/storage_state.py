"""The session's cookies and local storage, to a file and back."""

from __future__ import annotations

import json
from typing import Any

from playwright.async_api import Error
from pydantic import Field

from pwtui.operations.framework.declare import Group, acts, reads
from pwtui.operations.framework.fields import Data, Input, OutputPath, output_file
from pwtui.operations.framework.page_call import SessionCall
from pwtui.protocol.errors import AuthError
from pwtui.protocol.model import Volatile
from pwtui.state.auth import read_storage_state

GROUP = Group.STORAGE


class StateSaveInput(Input):
    output: OutputPath = output_file("state", ".json")


class StateLoadInput(Input):
    file: str = Field(description="File of state.save or auth.login, relative to where you are.")


class StateData(Data):
    path: Volatile[str]
    cookies: int
    origins: int


@reads(
    "state.save",
    "state-save [filename=output] --filename=output",
    example={"output": "state.json"},
    outcome="",
    python="page.context.storage_state(path=output or 'state.json')",
)
async def state_save(call: SessionCall, input: StateSaveInput) -> StateData:
    """Save the session's cookies and local storage; only you can read the file."""
    state: Any = await call.session.context.storage_state()
    text = json.dumps(state, indent=2, ensure_ascii=False)
    path = call.save_artifact("auth", input.output, text.encode(), private=True)
    return _described(str(path), state)


@acts(
    "state.load",
    "state-load filename=file",
    example={"file": "state.json"},
    outcome="loaded {cookies} cookies and the storage of {origins} origins",
    python="page.context.set_storage_state(file)",
)
async def state_load(call: SessionCall, input: StateLoadInput) -> StateData:
    """Replace the cookies and local storage of the session by saved ones.

    Pages that are open go on as they are: reload them to see the difference.
    """
    path = call.path(input.file)
    state: Any = read_storage_state(path).to_playwright()
    try:
        await call.session.context.set_storage_state(state)
    except Error as error:
        if not call.session.alive:
            raise
        raise AuthError(
            f"the browser rejected {path}: invalid cookie or origin", details={"path": str(path)}
        ) from error
    return _described(str(path), state)


def _described(path: str, state: dict[str, Any]) -> StateData:
    return StateData(path=path, cookies=len(state["cookies"]), origins=len(state["origins"]))
