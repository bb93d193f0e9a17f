"""Files with the session's cookies and local storage."""

from __future__ import annotations

import json
from typing import Any

from pydantic import Field

from pwtui.operations.framework.browser_errors import rejected_as
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
    file: str = Field(
        description="File of state.save or auth.login, relative to the current folder."
    )


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
    """Save the session's cookies and local storage, readable only by you."""
    return await save_state(call, input.output)


async def save_state(call: SessionCall, output: str) -> StateData:
    state: Any = await call.session.context.storage_state()
    text = json.dumps(state, indent=2, ensure_ascii=False)
    path = call.save_artifact("auth", output, text.encode(), private=True)
    return _described(str(path), state)


@acts(
    "state.load",
    "state-load filename=file",
    example={"file": "state.json"},
    outcome="loaded {cookies} cookies and the storage of {origins} origins",
    python="page.context.set_storage_state(file)",
)
async def state_load(call: SessionCall, input: StateLoadInput) -> StateData:
    """Replace the session's cookies and local storage with saved ones.

    Open pages do not change until they are reloaded.
    """
    path = call.path(input.file)
    state: Any = read_storage_state(path).to_playwright()
    invalid = AuthError(
        f"the browser rejected {path}: invalid cookie or origin", details={"path": str(path)}
    )
    with rejected_as(call, lambda _: invalid):
        await call.session.context.set_storage_state(state)
    return _described(str(path), state)


def _described(path: str, state: dict[str, Any]) -> StateData:
    return StateData(path=path, cookies=len(state["cookies"]), origins=len(state["origins"]))
