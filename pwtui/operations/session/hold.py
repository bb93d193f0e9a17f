"""Holding the actions of other clients in a session."""

from __future__ import annotations

from pydantic import Field

from pwtui.operations.framework.call import Call, HoldAction
from pwtui.operations.framework.declare import Group, Run, configures
from pwtui.operations.framework.fields import Data, Input
from pwtui.protocol.model import Maybe, Volatile

GROUP = Group.SESSION


class SessionNameInput(Input):
    name: str | None = Field(
        None,
        description="The session: a profile, the name of another program's browser, or a session "
        "key (default: the session of the profile).",
    )


class PauseInput(SessionNameInput):
    while_connected: bool = Field(
        False, description="Resume the session when this client disconnects."
    )


class HoldData(Data):
    session: Volatile[str] = Field(description="Key of the session.")
    title: str
    held: bool = Field(description="Whether actions are held now.")
    changed: bool
    message: Maybe[str] = None


@configures(
    "session.pause",
    example={"name": "assistant"},
    run=Run(queued=False, needs_trust=False),
    outcome="{message|'holds the actions of other clients'}",
    python="pass",
)
async def session_pause(call: Call, input: PauseInput) -> HoldData:
    """Hold the actions of other clients in a session, until session.resume.

    In a session of pwtui, requests that act are held before they run; those that read are not. The
    client that paused it is not held while it is connected. In a browser of another program,
    Playwright holds the next action in each context. A held action does not time out.
    """
    return await _change(call, "pause", input.name, while_connected=input.while_connected)


@configures(
    "session.resume",
    example={"name": "assistant"},
    run=Run(queued=False, needs_trust=False),
    outcome="{message|'released all actions'}",
    python="pass",
)
async def session_resume(call: Call, input: SessionNameInput) -> HoldData:
    """Release the actions that session.pause holds."""
    return await _change(call, "resume", input.name)


@configures(
    "session.step",
    example={"name": "assistant"},
    run=Run(queued=False, needs_trust=False),
    outcome="{message|'lets one action run'}",
    python="pass",
)
async def session_step(call: Call, input: SessionNameInput) -> HoldData:
    """Let the held action run, or else the next one, and hold the one after it."""
    return await _change(call, "step", input.name)


async def _change(
    call: Call, action: HoldAction, name: str | None, *, while_connected: bool = False
) -> HoldData:
    caller = call.caller._replace(profile=call.runtime.profile)
    session, changed = await call.sessions.holds.change(
        action, name, caller, while_connected=while_connected
    )
    unchanged = "the session is paused already" if action == "pause" else "nothing is held"
    return HoldData(
        session=session.session_key or "",
        title=session.title,
        held=action != "resume",
        changed=changed,
        message=None if changed else unchanged,
    )
